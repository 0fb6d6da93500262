import type { Event } from '../feed/event.js';
import type { SourceAbout } from '../feed/sources/about.js';
import type { Source } from '../feed/sources/source.js';
import { ApiError } from '../forge/index.js';

/** A poll that found nothing, or rows under another name: what is known of the repository is read again at once. */
export function inDoubt(
  source: Source,
  about: SourceAbout,
  outcome: { error: unknown } | { events: readonly Event[] },
): boolean {
  if (source.kind !== 'repo') return false;
  if ('error' in outcome) return outcome.error instanceof ApiError && outcome.error.kind === 'notFound';
  return outcome.events.some(({ repo }) => repo.id === source.id && repo.fullName !== `${about.owner}/${about.name}`);
}
