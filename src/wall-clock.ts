/** An IANA name such as Europe/Berlin, or minutes east of UTC where the name is not known. */
export type Zone = string | number;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const two = '2-digit';
  const parts = { year: 'numeric', month: two, day: two, hour: two, minute: two } as const;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...parts });
  formats.set(zone, made);
  return made;
}

export function isZone(name: string): boolean {
  try {
    return formatOf(name).format(0) !== '';
  } catch {
    return false;
  }
}

/** What a clock there shows, in milliseconds as if it were UTC. */
export function localTime(zone: Zone, at: number): number {
  const minute = Math.floor(at / minuteMs) * minuteMs;
  if (typeof zone === 'number') return minute + zone * minuteMs;
  const parts = new Map(
    formatOf(zone)
      .formatToParts(minute)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
}

export const offsetAt = (zone: Zone, at: number): number => localTime(zone, at) - Math.floor(at / minuteMs) * minuteMs;

/** The first moment at which clocks there show this time; if they skip it, the moment they skip it. */
export function momentOf(zone: Zone, local: number): number {
  const before = offsetAt(zone, local - dayMs);
  const after = offsetAt(zone, local + dayMs);
  const [early, late] = [local - before, local - after];
  if (offsetAt(zone, early) === before) return early;
  if (offsetAt(zone, late) === after) return late;
  let [from, to] = [late, early];
  while (to - from > minuteMs) {
    const middle = Math.ceil((from + to) / 2 / minuteMs) * minuteMs;
    if (offsetAt(zone, middle) === before) from = middle;
    else to = middle;
  }
  return to;
}

/** When clocks there last showed this minute of the day, and when they will next. */
export function strikes(zone: Zone, minute: number, now: number): { readonly last: number; readonly next: number } {
  const today = Math.floor(localTime(zone, now) / dayMs) * dayMs;
  const on = (day: number) => momentOf(zone, today + day * dayMs + minute * minuteMs);
  const mine = on(0);
  return mine <= now ? { last: mine, next: on(1) } : { last: on(-1), next: mine };
}
