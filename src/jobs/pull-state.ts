import { type Checks, type ItemState, pullState, verdictsOf } from '../feed/item.js';
import { type Api, ApiError, gathered } from '../forge/index.js';
import { openRequests } from '../forge/review-requests.js';
import type { CommitStatus } from '../forge/schemas/commit.js';
import type { PullRequest } from '../forge/schemas/pull.js';

const mostReviews = 200;
const patienceMs = 5_000;
/** One sick item must not open the circuit for everybody. */
const asked = () => ({ signal: AbortSignal.timeout(patienceMs), detail: true });

interface Where {
  readonly owner: string;
  readonly repo: string;
  readonly index: number;
}

/** A pull request with who said what and how its checks are; what the forge does not tell is left out. */
export function createPullReader(service: Api) {
  const get = (where: Where): Promise<PullRequest> => service.pulls.get(where, asked());

  async function checks({ owner, repo }: Where, { state, head }: PullRequest): Promise<Checks | undefined> {
    if (state !== 'open' || !head?.sha) return undefined;
    const status = await service.repos.commitStatus({ owner, repo, ref: head.sha }, asked());
    return status.statuses.length > 0 ? checksOf(status) : undefined;
  }

  async function reviewed(where: Where, pull: PullRequest): Promise<ItemState> {
    const all = gathered(service.pulls.listReviews.each(where, { max: mostReviews, ...asked() }));
    const reviews = await ifKnown(all);
    return reviews
      ? { ...pullState({ ...pull, ...openRequests(reviews) }), verdicts: verdictsOf(reviews) }
      : pullState(pull);
  }

  return {
    get,
    checks,
    reviewed,
    async whole(where: Where, pull: PullRequest): Promise<ItemState> {
      const [item, found] = await Promise.all([reviewed(where, pull), ifKnown(checks(where, pull))]);
      return found ? { ...item, checks: found } : item;
    },
  };
}

/** Undefined where the forge does not tell: the card goes without. */
async function ifKnown<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

const bad: ReadonlySet<string> = new Set(['failure', 'error']);
const good: ReadonlySet<string> = new Set(['success', 'warning', 'skipped']);

const checksOf = ({ statuses }: CommitStatus): Checks => ({
  total: statuses.length,
  passed: statuses.filter(({ status }) => good.has(status)).length,
  failed: statuses
    .filter(({ status }) => bad.has(status))
    .map(({ context }) => context.slice(0, 60))
    .slice(0, 20),
});
