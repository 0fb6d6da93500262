import type { Event } from '../../feed/event.js';
import type { Standing } from '../../feed/standing.js';
import type { Place } from '../../store/index.js';

const opening: ReadonlySet<Event['kind']> = new Set<Event['kind']>(['pulls:opened', 'pulls:reopened', 'pulls:ready']);

/** A group has no use for a mention that only one person sees. */
export const isDirect = ({ channel }: Place): boolean => channel.startsWith('D');

/** Teams this channel has not seen asked for a review: their group is mentioned now, and not with every later message. */
export function newlyAsked(place: Place, event: Event, before: Standing | undefined, now: Standing): readonly string[] {
  const isOpening = before !== undefined || opening.has(event.kind);
  if (!isOpening || isDirect(place) || now.item?.state !== 'open') return [];
  const known = before?.item?.teams ?? [];
  return (now.item.teams ?? []).filter((team) => !known.includes(team));
}
