import type { Event } from '../../feed/event.js';
import type { SourceAbout } from '../../feed/sources/about.js';
import type { Source } from '../../feed/sources/source.js';
import { ApiError } from '../../forge/index.js';

type Seen = { readonly error: unknown } | { readonly events: readonly Event[]; readonly changed: boolean };

/** A poll found nothing, rows under another name or other repositories: what must be read again at once. */
export function inDoubt(source: Source, about: SourceAbout, seen: Seen, now: number): SourceAbout | undefined {
  if (source.kind === 'owner') return 'changed' in seen && seen.changed ? { ...about, changedAt: now } : undefined;
  if (source.kind !== 'repo') return undefined;
  const doubted =
    'error' in seen
      ? seen.error instanceof ApiError && seen.error.kind === 'notFound'
      : seen.events.some(({ repo }) => repo.id === source.id && repo.fullName !== `${about.owner}/${about.name}`);
  return doubted ? { ...about, readAt: 0 } : undefined;
}
