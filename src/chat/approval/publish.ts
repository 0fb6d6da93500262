import { reasonOf, UserError } from '../../errors.js';
import type { Approval, Deployment } from '../../store/index.js';
import { followedBy, versionOf } from '../deploy/followed.js';
import type { ApprovalDeps } from '../runtime.js';
import { cardOf } from './card.js';
import { hiddenFrom } from './hidden-from.js';
import { aboutOf } from './policy.js';
import { argsOf } from './readied.js';
import { Shown } from './shown.js';

/** Whether its channel may read how it went. unsure: that cannot be checked for now. */
type Publicity = 'open' | 'withheld' | 'unsure';

/** For the card, in place of how it went. */
const withheld = 'The details went to the requester.';

/** Posts the card in its current state; it counts as announced only once it is in the outbox. */
export async function publish(deps: ApprovalDeps, approval: Approval): Promise<Publicity> {
  const { channel } = Shown.parse(approval.shown);
  const { now, store } = deps.services;
  const followed = await followedBy(deps.services, approval);
  const telling = await publicityOf(deps, approval, followed);
  // what the card already shows stays until that can be checked
  if (telling === 'unsure' && approval.announced === approval.state) return telling;
  const parts = [approval.state, ...approval.decisions.map(({ by, at }) => `${by.user}@${at}`)];
  const isOpen = telling === 'open';
  const more = isOpen ? followed && versionOf(followed) : 'withheld';
  const version = more === undefined ? parts : [...parts, more];
  const brief = approval.result && { result: { ...approval.result, summary: withheld } };
  const message = isOpen ? cardOf(approval, now(), followed) : cardOf({ ...approval, ...brief }, now());
  await deps.post({ key: `approval-${approval.id}`, channel, message, version: version.join('-') });
  if (telling !== 'unsure') await store.approvals.announced(approval.id, approval.state);
  return telling;
}

/** Checked each time: the repository or the channel may have changed since the request. */
async function publicityOf(
  deps: ApprovalDeps,
  approval: Approval,
  followed: Deployment | undefined,
): Promise<Publicity> {
  const { result, shown, id } = approval;
  if (!result && !followed) return 'open';
  try {
    const about = followed ? [followed.repository] : await aboutOfRequest(deps, approval);
    const refusal = about ? await hiddenFrom(deps, about, Shown.parse(shown).channel) : 'unknown';
    // the refusal itself says nothing about the repository
    return refusal === undefined || (!followed && refusal === result?.summary) ? 'open' : 'withheld';
  } catch (error) {
    deps.services.log.warn({ approval: id, reason: reasonOf(error) }, 'cannot check who may read an approval’s result');
    return 'unsure';
  }
}

/** Undefined if nobody can tell: its command, its arguments or its environment no longer exist. */
async function aboutOfRequest(deps: ApprovalDeps, approval: Approval) {
  const command = deps.catalog.get(approval.command);
  const args = await argsOf(deps, approval);
  if (!command || !args) return undefined;
  try {
    return aboutOf(command, args, deps.services);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
