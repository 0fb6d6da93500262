import { UserError } from '../errors.js';
import type { AnyCommand } from './command.js';
import type { Field, Reading } from './field.js';
import { standIn } from './fields/make.js';
import { toolFields } from './tool.js';
import { opensForm } from './usage.js';

type Loose = Readonly<Record<string, unknown>>;

export interface ToolCall {
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
