import type { Context } from '../../chat/context.js';
import { readOnlySession } from '../../chat/session.js';
import { type Found, find } from '../../domain/subscriptions/find-target.js';
import { slim } from '../../domain/subscriptions/form-parts.js';
import { follow } from '../../domain/subscriptions/save.js';
import { readTarget } from '../../domain/subscriptions/target.js';
import { here, showable } from '../../domain/subscriptions/this-channel.js';
import { UserError } from '../../errors.js';
import { parseFilter } from '../../feed/filter-words.js';
import type { OpenServices } from '../../services.js';
import { plainJson, type Subscription } from '../../store/index.js';
import { type Entry, keyOf } from './file.js';
import type { Step } from './plan.js';

/** Existing subscriptions by their key in the file. */
export type Present = ReadonlyMap<string, Subscription>;

/** The same checks as the command, as the future owner. */
async function prepared(entry: Entry, open: OpenServices): Promise<{ found: Found; context: Context }> {
  const person = { team: open.identity.teamId, user: entry.owner };
  const account = await open.services.store.accounts.get(person);
  if (account?.state !== 'active')
    throw new UserError(`${entry.owner} has no linked forge account; ask them to run /forge signin`);
  const context = await readOnlySession(open.services, {
    person,
    channel: entry.channel,
    account,
  });
  const target = readTarget(entry.follows);
  if (!target) throw new UserError(`${entry.follows} is not a repository, a pattern or a person`);
  const where = await here(context);
  const shown = showable(await find(target, context), where, context.exposure);
  if ('refusal' in shown) throw new UserError(shown.refusal);
  return { found: shown.found, context };
}

/** Why it would be refused; writes nothing. */
export async function problemOf(step: Step, open: OpenServices): Promise<string | undefined> {
  if (step.kind === 'remove') return undefined;
  try {
    await prepared(step.entry, open);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

export async function apply(step: Step, present: Present, open: OpenServices): Promise<void> {
  const { subscriptions } = open.services.store;
  if (step.kind === 'remove') {
    const old = present.get(keyOf(step.old));
    if (old) await subscriptions.remove(old);
    return;
  }
  const { found, context } = await prepared(step.entry, open);
  const filter = slim(parseFilter(step.entry.filter));
  const sub = await follow(found, filter, { team: context.person.team, channel: step.entry.channel }, context);
  await subscriptions.change(sub, { owner: step.entry.owner, filter: plainJson(filter) });
}
