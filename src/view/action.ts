import type { z } from 'zod';
import { UserError } from '../errors.js';
import { limits } from './limits.js';

/** Letters, digits and `. : _ -`; the part after `~` distinguishes two buttons of one block. */
export function actionId(name: string, copy = 1): string {
  const id = copy === 1 ? name : `${name}~${copy}`;
  if (!/^[a-z][a-z0-9.:_-]*(?:~\d+)?$/iu.test(id) || id.length > limits.actionId)
    throw new RangeError(`not an action id: ${id.slice(0, 80)}`);
  return id;
}

/** The name given to `actionId`, read from what Slack sends back. */
export function actionName(id: string): string {
  return id.replace(/~\d+$/u, '');
}

/** JSON for a button's value; what does not fit belongs in the store, with a key sent instead. */
export function encodeValue(data: unknown, max: number = limits.button.value): string {
  const text = JSON.stringify(data);
  if (text === undefined || text.length > max)
    throw new RangeError(`a button's value takes ${max} characters of JSON, not ${text?.length ?? 0}`);
  return text;
}

/** A button's value went through Slack: it is validated like any other input. */
export function readValue<Schema extends z.ZodType>(schema: Schema, text: string | undefined): z.output<Schema> {
  const read = schema.safeParse(parse(text));
  if (read.success) return read.data;
  throw new UserError('This button is out of date. Run the command again and use the new one.');
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
