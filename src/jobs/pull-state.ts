import { type Checks, type ItemState, pullState, verdictsOf } from '../feed/item.js';
import { type CommitChecks, commitChecks } from '../forge/commit-checks.js';
import { type Api, gather } from '../forge/index.js';
import { ifAnswered } from '../forge/possible.js';
import { openRequests } from '../forge/review-requests.js';
import type { PullRequest } from '../forge/schemas.js';
import { detail } from './detail.js';

const mostReviews = 200;

interface Where {
  readonly owner: string;
  readonly repo: string;
  readonly index: number;
}

/** A pull request with its reviews and checks, as far as the forge provides them. */
export function createPullReader(service: Api) {
  const get = (where: Where): Promise<PullRequest> => service.pulls.get(where, detail());

  async function checks({ owner, repo }: Where, { state, head }: PullRequest): Promise<Checks | undefined> {
    if (state !== 'open' || !head?.sha) return undefined;
    const found = await commitChecks(service, { owner, repo, ref: head.sha }, detail());
    return found.all.length > 0 ? checksOf(found) : undefined;
  }

  async function readReviewed(where: Where, pull: PullRequest): Promise<ItemState> {
    const all = gather(service.pulls.listReviews.each(where, { max: mostReviews, ...detail() }));
    const reviews = await ifAnswered(all);
    return reviews
      ? { ...pullState({ ...pull, ...openRequests(reviews) }), verdicts: verdictsOf(reviews) }
      : pullState(pull);
  }

  return {
    get,
    checks,
    readReviewed,
    async whole(where: Where, pull: PullRequest): Promise<ItemState> {
      const [item, found] = await Promise.all([readReviewed(where, pull), ifAnswered(checks(where, pull))]);
      return found ? { ...item, checks: found } : item;
    },
  };
}

const good: ReadonlySet<string> = new Set(['success', 'skipped']);

const checksOf = ({ all, failed, warned }: CommitChecks): Checks => ({
  total: all.length,
  passed: all.filter(({ status }) => good.has(status)).length,
  failed: [...failed, ...warned].map(({ context }) => context.slice(0, 60)).slice(0, 20),
});
