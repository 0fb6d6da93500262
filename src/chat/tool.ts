import { z } from 'zod';
import { UserError } from '../errors.js';
import { closedToAgents } from './agent.js';
import type { AnyCommand } from './command.js';
import { type Field, isHidden, type Reading, standIn } from './fields.js';
import { titleOf } from './title.js';
import { fieldsOf, omissible, opensForm } from './usage.js';

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
const toolFields = (command: AnyCommand): readonly (readonly [name: string, field: Field])[] =>
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

type Loose = Readonly<Record<string, unknown>>;

interface ToolCall {
  readonly args: Loose;
  readonly dryRun: boolean;
}

/** Reads an agent's arguments as if typed; throws a UserError that names the argument. */
export function readToolArgs(command: AnyCommand, { dry_run: dry, ...given }: Loose, reading: Reading): ToolCall {
  const fields = toolFields(command);
  const unknown = Object.keys(given).find((name) => !fields.some(([known]) => known === name));
  if (unknown !== undefined) throw new UserError(`${command.name} has no argument ${unknown.slice(0, 40)}.`);
  if (dry !== undefined && typeof dry !== 'boolean') throw new UserError('dry_run is true or false.');
  const args: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const absent = field.required ? standIn(field) : undefined;
    const value = Object.hasOwn(given, name) ? readValue(name, field, given[name], reading) : absent;
    if (value === undefined && field.required)
      throw new UserError(`${name} is missing. Write ${field.placeholder}.`, { field: name });
    if (value !== undefined) args[name] = value;
  }
  const dryRun = dry === true && command.risk !== 'read';
  if (!dryRun && opensForm(command, args)) throw new UserError(`${command.name} needs at least one more argument.`);
  command.check?.(args);
  return { args, dryRun };
}

/** Text is read as typed; other values go through their text form, so that they are validated the same way. */
function readValue(name: string, field: Field, value: unknown, reading: Reading): unknown {
  try {
    return field.read(textOf(field, value), reading);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`${name}: ${error.message}`, { field: name, cause: error });
  }
}

function textOf(field: Field, value: unknown): string {
  if (typeof value === 'string') return value;
  const own = field.schema.safeParse(value);
  if (own.success) return field.show(own.data);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  throw new UserError(`this value is not understood. Write ${field.placeholder}.`);
}
