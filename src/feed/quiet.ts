export interface QuietHours {
  /** `22:00` in the person's local time. */
  readonly from: string;
  readonly to: string;
}

/** Why a conversation is paused during them. */
export const quietReason = 'quiet hours';

const dayMinutes = 24 * 60;

/** When the quiet hours active at `now` end; undefined if none are. They may span midnight. */
export function quietUntil(now: number, quiet: QuietHours | null, offsetMinutes: number): number | undefined {
  if (!quiet) return undefined;
  const from = minutesOf(quiet.from);
  const to = minutesOf(quiet.to);
  if (from === undefined || to === undefined || from === to) return undefined;
  const local = Math.floor(now / 60_000) + offsetMinutes;
  const minute = ((local % dayMinutes) + dayMinutes) % dayMinutes;
  const reigns = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!reigns) return undefined;
  const left = (to - minute + dayMinutes) % dayMinutes;
  return (Math.floor(now / 60_000) + left) * 60_000;
}

function minutesOf(time: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}
