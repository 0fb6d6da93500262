import type { Event } from '../../feed/event.js';
import type { SourceAbout } from '../../feed/sources/about.js';
import type { Source } from '../../feed/sources/source.js';
import { ApiError } from '../../forge/index.js';
import type { SourceState } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';

type Outcome = { readonly news: number; readonly events: readonly Event[] } | { readonly error: unknown };

/** Where an owner's feed tells which of many repositories moved, it is asked more often, and they themselves less. */
const oftener = 4;
const seldomer = 8;

/** In how many milliseconds a source is due again: busy ones often, idle and failing ones ever less. */
export function createTempo({ policy, tempo, now, forgeNow }: FeedDeps) {
  const busy = policy.feed.busySeconds * 1_000;
  const idle = Math.max(busy, policy.feed.idleSeconds * 1_000);
  const ownerIdle = Math.max(busy, idle / oftener);

  /** Rows of a hidden repository may be missing in its owner's feed: that is relied on once it told of it. */
  const slowest = (
    source: Source,
    { together, hidden }: SourceAbout,
    { told: ownerFeedCovers = hidden === false }: SourceState,
  ): number => {
    if (!together) return idle;
    if (source.kind === 'owner') return ownerIdle;
    return source.kind === 'repo' && ownerFeedCovers ? idle * seldomer : idle;
  };

  const isEarly = ({ askedAt, tempoMs }: SourceState): boolean =>
    askedAt !== undefined && tempoMs !== undefined && now() < askedAt + tempoMs * 0.9;

  return {
    next(source: Source, about: SourceAbout, before: SourceState, outcome: Outcome): number {
      const last = before.tempoMs ?? busy;
      if ('error' in outcome) {
        const asked = outcome.error instanceof ApiError ? (outcome.error.retryAfter ?? 0) * 1_000 : 0;
        return Math.max(asked, Math.min(idle, Math.max(busy, last * 2)));
      }
      if (outcome.news > 0) return busy;
      // a forge writes notifications only after it sent the hook: nothing yet is looked at once more
      if (source.kind === 'inbox' && isEarly(before)) return tempo.soonMs;
      return Math.min(slowest(source, about, before), Math.max(busy, Math.round(last * 1.5)));
    },

    /** The slow look found what the owner's feed had time enough to tell of: it is not relied on here any more. */
    missed(source: Source, { together }: SourceAbout, before: SourceState, outcome: Outcome): boolean {
      if (source.kind !== 'repo' || !together || 'error' in outcome || isEarly(before)) return false;
      const present = forgeNow() ?? now();
      return outcome.events.some(({ at }) => Date.parse(at) < present - 2 * ownerIdle);
    },
  };
}
