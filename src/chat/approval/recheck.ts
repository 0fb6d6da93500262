import { z } from 'zod';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import type { Approval } from '../../store/index.js';
import type { Observation } from '../command.js';
import { inWords } from '../explain.js';
import type { ApprovalDeps } from '../runtime.js';
import { boundOf, difference } from './bound.js';
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

/** Undefined if everything is still as shown. */
export async function whatChanged(deps: ApprovalDeps, approval: Approval): Promise<string | undefined> {
  const present = await boundNow(deps, approval);
  return typeof present === 'string' ? present : difference(Values.parse(approval.bound), present);
}

const Values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** Built again; a sentence if the command now refuses it. */
async function boundNow(deps: ApprovalDeps, approval: Approval): Promise<Observation['bound'] | string> {
  const ready = await readAsk(deps, approval);
  const { command, args, context } = ready;
  try {
    const planned = await command.plan(args, context);
    const unobserved = Shown.parse(approval.shown).unobserved ? 'allow' : 'refuse';
    return (await boundOf(command, args, context, planned, unobserved)).values;
  } catch (error) {
    if (error instanceof UserError) return inWords(error, context.slash);
    if (error instanceof ApiError && error.kind === 'notFound') return 'it no longer exists.';
    // the reader's own token is fine, and theirs may work again until it expires
    if (await isDeadToken(deps, approval, ready, error))
      throw new UserError(`${deadToken} They have to link their account again.`, { cause: error });
    throw error;
  }
}
