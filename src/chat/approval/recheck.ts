import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import type { Approval } from '../../store/index.js';
import type { Observation } from '../command.js';
import { inWords } from '../explain.js';
import type { ApprovalDeps } from '../runtime.js';
import { deadToken, isDeadToken } from './dead-token.js';
import { hiddenFrom } from './hidden-from.js';
import { aboutOf } from './policy.js';
import { type Readied, readAsk } from './readied.js';
import { Shown } from './shown.js';
import { unfitRequester, votesOf } from './standing.js';

/** Approval is not enough: why it must not be sent now (its age, its people, their accounts, or its subject). */
export async function whyNotNow(deps: ApprovalDeps, approval: Approval, ready: Readied): Promise<string | undefined> {
  if (deps.services.now().getTime() >= approval.policy.expiresAt) return 'it expired before it could be run.';
  const unfit = await whyNoLonger(deps, approval, ready);
  if (unfit !== undefined) return unfit;
  const { counting } = await votesOf(deps, approval);
  if (counting.length < approval.policy.needed) return 'an approval no longer counts.';
  return whatChanged(deps, approval);
}

/** Why the requester may no longer ask for it, or its card may no longer say how it went; undefined if neither. */
export async function whyNoLonger(deps: ApprovalDeps, approval: Approval, ready: Readied): Promise<string | undefined> {
  const { command, args, context } = ready;
  const unfit = await unfitRequester(deps, approval, ready);
  // the repository or the channel may have changed since
  return unfit ?? hiddenFrom(deps, aboutOf(command, args, context), Shown.parse(approval.shown).channel);
}

const statuses: Readonly<Record<string, string>> = { in_progress: 'in progress', completed: 'finished' };

/** A commit's first characters are enough for people. */
function shown(value: unknown): string {
  const text = String(value ?? 'unset');
  return Object.hasOwn(statuses, text) ? (statuses[text] ?? text) : text.replace(/^([0-9a-f]{10})[0-9a-f]{30,}$/, '$1');
}

/** Undefined if everything is still as shown. */
export async function whatChanged(deps: ApprovalDeps, approval: Approval): Promise<string | undefined> {
  if (approval.bound === null) return undefined;
  const present = await boundNow(deps, approval);
  if (typeof present === 'string') return present;
  const before = new Map(Object.entries(typeof approval.bound === 'object' ? approval.bound : {}));
  const names = [...new Set([...before.keys(), ...Object.keys(present)])];
  const changes = names
    .filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(present[name]))
    .map((name) => `${name} was ${shown(before.get(name))}, now ${shown(present[name])}`);
  return changes.length === 0 ? undefined : `it changed since it was shown: ${changes.join('; ')}.`;
}

/** The current state; a sentence if the command now refuses it. */
async function boundNow(deps: ApprovalDeps, approval: Approval): Promise<Observation['bound'] | string> {
  const ready = await readAsk(deps, approval);
  const { command, args, context } = ready;
  try {
    return command.observe ? (await command.observe(args, context)).bound : {};
  } catch (error) {
    if (error instanceof UserError) return inWords(error, context.slash);
    if (error instanceof ApiError && error.kind === 'notFound') return 'it no longer exists.';
    // the reader's own token is fine, and theirs may work again until it expires
    if (await isDeadToken(deps, approval, ready, error))
      throw new UserError(`${deadToken} They have to link their account again.`, { cause: error });
    throw error;
  }
}
