import type { Source } from '../feed/sources/source.js';
import { ApiError } from '../forge/index.js';
import type { SourceState } from '../store/index.js';
import type { FeedDeps } from './feed-deps.js';

type Outcome = { readonly news: number } | { readonly error: unknown };

/** In how many milliseconds a source is due again: busy ones often, idle and failing ones ever less. */
export function createTempo({ policy, tempo, now }: FeedDeps) {
  const busy = policy.feed.busySeconds * 1_000;
  const idle = Math.max(busy, policy.feed.idleSeconds * 1_000);

  /** Woken before its time. A forge writes notifications only after it sent the hook: nothing yet is looked at once more. */
  const early = (source: Source, { askedAt, tempoMs }: SourceState): boolean =>
    source.kind === 'inbox' && askedAt !== undefined && tempoMs !== undefined && now() < askedAt + tempoMs * 0.9;

  return (source: Source, before: SourceState, outcome: Outcome): number => {
    const last = before.tempoMs ?? busy;
    if ('error' in outcome) {
      const asked = outcome.error instanceof ApiError ? (outcome.error.retryAfter ?? 0) * 1_000 : 0;
      return Math.max(asked, Math.min(idle, Math.max(busy, last * 2)));
    }
    if (outcome.news > 0) return busy;
    return early(source, before) ? tempo.soonMs : Math.min(idle, Math.max(busy, Math.round(last * 1.5)));
  };
}
