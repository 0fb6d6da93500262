import type { Event } from '../../feed/event.js';
import type { SourceAbout } from '../../feed/sources/about.js';
import type { Source } from '../../feed/sources/source.js';
import type { SourceState } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';

type Outcome = { readonly news: number; readonly events: readonly Event[] } | { readonly error: unknown };

/** If an owner's feed shows activity in many repositories, it is polled more often and they less. */
const oftener = 4;
const seldomer = 8;

/** In how many milliseconds a source is due again: busy ones often, idle and failing ones less and less. */
export function createTempo({ policy, tempo, now, forgeNow }: FeedDeps) {
  const busy = policy.feed.busySeconds * 1_000;
  const idle = Math.max(busy, policy.feed.idleSeconds * 1_000);
  const ownerIdle = Math.max(busy, idle / oftener);

  /** Rows of a hidden repository may be missing in its owner's feed, which is trusted only once it has shown one. */
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
      if ('error' in outcome) return Math.min(idle, Math.max(busy, last * 2));
      if (outcome.news > 0) return busy;
      // a forge writes notifications only after sending the webhook, so an empty result is retried
      if (source.kind === 'inbox' && isEarly(before)) return tempo.soonMs;
      return Math.min(slowest(source, about, before), Math.max(busy, Math.round(last * 1.5)));
    },

    /** The slow poll found something the owner's feed should have shown by now: it is no longer trusted here. */
    missed(source: Source, { together }: SourceAbout, before: SourceState, outcome: Outcome): boolean {
      if (source.kind !== 'repo' || !together || 'error' in outcome || isEarly(before)) return false;
      const present = forgeNow() ?? now();
      return outcome.events.some(({ at }) => Date.parse(at) < present - 2 * ownerIdle);
    },
  };
}
