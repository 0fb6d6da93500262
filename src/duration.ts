const unitSeconds = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 } as const;
type Unit = keyof typeof unitSeconds;

const whole = /^(?:\d+(?:\.\d+)?[wdhms]\s*)+$/;
const part = /(\d+(?:\.\d+)?)([wdhms])/g;

/** `1h30m`, `90m`, `1.5h`, `2d` in seconds; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase();
  if (trimmed.length > 40 || !whole.test(trimmed)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of trimmed.matchAll(part)) seconds += Number(amount) * unitSeconds[unit as Unit];
  return Math.round(seconds);
}

/** The two largest units, or more of them: `1h30m`, `2d4h`, `45s`. */
export function showDuration(seconds: number, mostUnits = 2): string {
  let left = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const amount = Math.floor(left / unitSeconds[unit]);
    if (amount === 0) continue;
    parts.push(`${amount}${unit}`);
    left -= amount * unitSeconds[unit];
    if (parts.length === mostUnits) break;
  }
  return parts.join('') || '0s';
}
