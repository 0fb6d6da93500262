import { z } from 'zod';
import { UserError } from '../errors.js';
import { type Seal, type Store, unseal } from '../store/index.js';
import { failureCard } from '../view/cards/outcome.js';
import { message } from '../view/message.js';
import type { CommandJob } from './act-job.js';
import { runButtonIfFits } from './actions.js';
import type { AnyCommand } from './command.js';
import type { Context, Person } from './context.js';
import type { Args, Field, Fields } from './fields.js';
import { MessageError, SeveralRepositories } from './message-error.js';
import { fieldsOf } from './usage.js';

const Sealed = z.strictObject({ sealed: z.string() });

type Loose = Readonly<Record<string, unknown>>;

const about = (command: string, person: Person) => ['argument', command, person.team, person.user] as const;

/** Secrets are never stored in a job unencrypted. */
export function sealArgs(command: AnyCommand, args: Loose, person: Person, seal: Seal): Record<string, unknown> {
  return mapArgs(command, args, (field, value) =>
    field.secret ? { sealed: seal.seal(JSON.stringify(value), about(command.name, person)) } : value,
  );
}

/** Input from Redis, a button or a form is validated by the command's own fields. */
export function openArgs(
  command: AnyCommand,
  job: Pick<CommandJob, 'args' | 'person'>,
  store: Pick<Store, 'seal'>,
): Loose {
  const unknown = Object.keys(job.args).find((name) => !(name in command.fields));
  if (unknown !== undefined) throw new UserError(`${command.name} no longer has the option ${unknown}. Run it again.`);
  return mapArgs(command, job.args, (field, value) => {
    const sealed = field.secret ? Sealed.safeParse(value) : undefined;
    // Undefined, which no field accepts, if its key is gone.
    const open = sealed?.success ? unseal(store.seal, sealed.data.sealed, about(command.name, job.person)) : value;
    const read = field.schema.safeParse(open);
    if (read.success) return read.data;
    throw new UserError(`${command.name} could not read the ${field.label.toLowerCase()}. Run it again.`);
  });
}

/** Fills in the channel's default repository and linked people. */
export async function resolveArgs(command: AnyCommand, args: Loose, context: Context): Promise<Args<Fields>> {
  const resolved: Record<string, unknown> = {};
  for (const [name, field] of fieldsOf(command)) {
    const value = args[name];
    // A required field with a fallback (the channel's repository) is resolved from nothing.
    if (value === undefined && !field.required) continue;
    resolved[name] = await resolveOne(command, args, name, field, context);
  }
  return resolved;
}

async function resolveOne(command: AnyCommand, args: Loose, name: string, field: Field, context: Context) {
  const value = args[name];
  try {
    return await field.resolve(value, context);
  } catch (error) {
    if (!(error instanceof SeveralRepositories)) throw error;
    const given = Object.entries(args).filter(([other]) => command.fields[other]?.secret !== true);
    const buttons = error.among.map((at) =>
      runButtonIfFits({
        text: `${at.owner}/${at.repo}`,
        again: command,
        args: { ...Object.fromEntries(given), [name]: Object.assign({}, value, at) },
        dryRun: context.dryRun,
      }),
    );
    throw new MessageError(message({ blocks: failureCard({ says: error.message, buttons }) }), error);
  }
}

/** For an incomplete form: resolves only what was given. */
export async function resolveGiven(command: AnyCommand, args: Loose, context: Context): Promise<Partial<Args<Fields>>> {
  const given = fieldsOf(command).filter(([name]) => args[name] !== undefined);
  const values = await Promise.all(
    given.map(async ([name, field]) => [name, await field.resolve(args[name], context)] as const),
  );
  return Object.fromEntries(values);
}

/** For audit, cards and logs: secrets are named, never shown. */
export function maskArgs(command: AnyCommand, args: Loose): Record<string, unknown> {
  return mapArgs(command, args, (field, value) => (field.secret ? '[secret]' : value));
}

function mapArgs(
  command: AnyCommand,
  args: Loose,
  change: (field: Field, value: unknown) => unknown,
): Record<string, unknown> {
  const given = fieldsOf(command).filter(([name]) => args[name] !== undefined);
  return Object.fromEntries(given.map(([name, field]) => [name, change(field, args[name])]));
}
