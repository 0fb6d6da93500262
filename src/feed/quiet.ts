import type { Person, Place, Store } from '../store/index.js';
import { strikes, type Zone } from '../wall-clock.js';

export interface QuietHours {
  /** `22:00` in the person's local time. */
  readonly from: string;
  readonly to: string;
}

/** Why a conversation is paused during them. */
export const quietReason = 'quiet hours';

/** When the quiet hours active at `now` end; undefined if none are. They may span midnight and a change of the clocks. */
export function quietUntil(now: number, quiet: QuietHours | null, zone: Zone): number | undefined {
  if (!quiet) return undefined;
  const from = minutesOf(quiet.from);
  const to = minutesOf(quiet.to);
  if (from === undefined || to === undefined || from === to) return undefined;
  const end = strikes(zone, to, now);
  return strikes(zone, from, now).last > end.last ? end.next : undefined;
}

function minutesOf(time: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

/** Whom messages there are for, with their quiet hours as read before. */
interface Reader {
  readonly person: Person;
  readonly quiet: QuietHours | null;
  readonly zone: Zone;
  readonly now: number;
}

/** Whether messages wait there. A mute that is longer than quiet hours stays, and so does the pause of a lost channel. */
export async function waits(
  store: Pick<Store, 'outbox' | 'settings'>,
  place: Place,
  { person, quiet, zone, now }: Reader,
): Promise<boolean> {
  const { outbox, settings } = store;
  const until = quietUntil(now, quiet, zone);
  const paused = await outbox.paused(place);
  if (until === undefined) return paused !== undefined;
  if (paused && (paused.until === undefined || paused.until >= until)) return true;
  await outbox.pause(place, quietReason, until);
  // whoever changed them since they were read found no pause to end
  const { quiet: present } = await settings.get(person);
  if (quietUntil(now, present, zone) === until) return true;
  await (paused ? outbox.pause(place, paused.reason, paused.until) : outbox.resume(place));
  return waits(store, place, { person, quiet: present, zone, now });
}
