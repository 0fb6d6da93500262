import { z } from 'zod';
import { closedToAgents } from './agent.js';
import type { AnyCommand } from './command.js';
import type { Field } from './field.js';
import { isHidden } from './fields/make.js';
import { titleOf } from './title.js';
import { fieldsOf, omissible } from './usage.js';

type Json = Readonly<Record<string, unknown>>;

/** A command as agents see it; nothing here is written only for agents. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly properties: Json; readonly required: string[] };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** `issue_close`; tool names cannot contain spaces. */
export const toolName = ({ name }: Pick<AnyCommand, 'name'>): string => name.replaceAll(' ', '_');

/** What an agent may set: no secrets, and of the button-only fields just the list offset. */
export const toolFields = (command: AnyCommand): readonly (readonly [name: string, field: Field])[] =>
  fieldsOf(command).filter(
    ([, field]) => !field.secret && !field.notForAgents && (!isHidden(field) || command.risk === 'read'),
  );

const dryRun = { type: 'boolean', description: 'Show what would be sent, and send nothing.' };
const waits = 'A second person has to approve it in Slack: the answer is then an id for request_status.';

/** Undefined if agents do not get it. */
export function toolOf(command: AnyCommand): Tool | undefined {
  if (closedToAgents(command) !== undefined) return undefined;
  const fields = toolFields(command);
  const properties = fields.map(([name, field]) => [name, { ...shapeOf(field), description: words(field) }]);
  const reads = command.risk === 'read';
  return {
    name: toolName(command),
    title: titleOf(command),
    description: `${command.summary}.${command.risk === 'risky' ? ` ${waits}` : ''}`,
    inputSchema: {
      type: 'object',
      properties: { ...Object.fromEntries(properties), ...(reads ? {} : { dry_run: dryRun }) },
      required: fields.filter(([, field]) => !omissible(field)).map(([name]) => name),
    },
    annotations: {
      readOnlyHint: reads,
      destructiveHint: command.risk === 'risky',
      idempotentHint: command.effect !== 'once',
      openWorldHint: true,
    },
  };
}

function words(field: Field): string {
  if (isHidden(field)) return 'Where a list continues; take it from `next` in the previous answer.';
  const { label, hint, placeholder, input } = field;
  if (input.kind === 'checkbox') return `${input.text}.`;
  const says = input.kind !== 'choice' && placeholder !== label.toLowerCase();
  return [`${label}.`, hint, says ? `Written as: ${placeholder}` : ''].filter(Boolean).join(' ');
}

/** Plain JSON types if the field has them; everything else as people type it. */
function shapeOf(field: Field): Json {
  const { input } = field;
  if (input.kind === 'checkbox') return { type: 'boolean' };
  if (input.kind === 'choice') {
    const one = { type: 'string', enum: input.choices.map(({ value }) => value) };
    return input.many ? { type: 'array', items: one } : one;
  }
  const { type, minimum, maximum } = z.toJSONSchema(field.schema, { unrepresentable: 'any' });
  if (type === 'array') return { type: 'array', items: { type: 'string' } };
  // a duration is a number internally but written in words
  if (type === 'integer' && /^-?\d+$/.test(field.show(minimum ?? 0))) return { type: 'integer', minimum, maximum };
  return { type: 'string', ...(input.kind === 'text' && input.max !== undefined && { maxLength: input.max }) };
}
