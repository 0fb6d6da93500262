import { causedMs, type InboxEvent } from '../../feed/inbox-why.js';
import { type Api, ApiError } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { Comment } from '../../forge/schemas/comment.js';
import type { PullReview } from '../../forge/schemas/review.js';
import type { TimelineEntry } from '../../forge/schemas/timeline.js';
import { splitFullName } from '../../full-name.js';
import { detail } from '../detail.js';

const dayMs = 86_400_000;

/** Comments that may have caused the notification; a message without the text is better than none. */
export async function commentsOf(api: Api, event: InboxEvent, card: number | undefined): Promise<readonly Comment[]> {
  const { repo, item, commentUrl, at } = event;
  if (commentUrl === undefined || item.number === undefined) return [];
  const { owner, repo: name } = splitFullName(repo.fullName);
  const caused = Date.parse(at) - causedMs;
  const since = new Date(card === undefined ? caused : Math.max(Math.min(card, caused), Date.parse(at) - dayMs));
  const comments = api.issues.listComments({ owner, repo: name, index: item.number, query: { since } }, detail());
  return (await ifAnswered(comments))?.items ?? [];
}

/** Longer than the interval of an idle inbox, so that nothing between two polls is missed. */
const betweenPollsMs = 600_000;
const mostEntries = 50;

/** The item's recent events, in one request; undefined if the forge does not say or too much happened. */
export async function entriesOf(
  api: Api,
  { repo, item, at }: InboxEvent,
): Promise<readonly TimelineEntry[] | undefined> {
  if (item.number === undefined) return undefined;
  const { owner, repo: name } = splitFullName(repo.fullName);
  const query = { since: new Date(Date.parse(at) - betweenPollsMs), limit: mostEntries };
  const page = await ifAnswered(api.issues.timeline({ owner, repo: name, index: item.number, query }, detail()));
  return page?.hasMore ? undefined : page?.items;
}

const mostReviews = 100;

/** The review that caused the notification, if one did. */
export async function latestReview(api: Api, { repo, item, at }: InboxEvent): Promise<PullReview | undefined> {
  if (item.kind !== 'pull' || item.number === undefined) return undefined;
  const { owner, repo: name } = splitFullName(repo.fullName);
  const since = Date.parse(at) - causedMs;
  let latest: PullReview | undefined;
  try {
    for await (const review of api.pulls.listReviews.each(
      { owner, repo: name, index: item.number },
      { max: mostReviews, ...detail() },
    )) {
      const time = (review.submitted_at ?? review.updated_at)?.getTime() ?? 0;
      if (time >= since && (!latest || latest.id < review.id)) latest = review;
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  return latest;
}
