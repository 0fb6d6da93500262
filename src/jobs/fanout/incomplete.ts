import type { Event } from '../../feed/event.js';
import type { SourceAbout } from '../../feed/sources/about.js';
import { type IncompleteRow, plainJson } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';

/** Remembers events whose item could not be read, so that they are completed later. */
export async function noteIncomplete(
  { store, log }: FeedDeps,
  { source, about }: { readonly source: string; readonly about: SourceAbout },
  events: readonly Event[],
  unread: ReadonlySet<string>,
): Promise<void> {
  for (const event of events) {
    const { thread } = event.item;
    if (thread === undefined || !unread.has(thread)) continue;
    const row = { id: event.id, source, about: plainJson(about), event: plainJson(event) };
    if (!(await store.incomplete.add(thread, row)))
      log.warn({ source, thread }, 'too many items could not be read; this one is not completed later');
  }
}

export function incompleteEvent({ event }: IncompleteRow): Event {
  return event as unknown as Event; // written by `noteIncomplete` of this same program, versioned by `v`
}
