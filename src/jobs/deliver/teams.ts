import type { Event } from '../../feed/event.js';
import type { Standing } from '../../feed/standing.js';
import type { Place } from '../../store/index.js';

const opening: ReadonlySet<Event['kind']> = new Set<Event['kind']>(['pulls:opened', 'pulls:reopened', 'pulls:ready']);

/** Mentioning a group makes no sense where only one person sees it. */
export const isDirect = ({ channel }: Place): boolean => channel.startsWith('D');

/** Teams whose review request is new in this channel: their group is mentioned now, and not in every later message. */
export function newlyAsked(place: Place, event: Event, before: Standing | undefined, now: Standing): readonly string[] {
  const isOpening = before !== undefined || opening.has(event.kind);
  if (!isOpening || isDirect(place) || now.item?.state !== 'open') return [];
  const known = before?.item?.teams ?? [];
  return (now.item.teams ?? []).filter((team) => !known.includes(team));
}
