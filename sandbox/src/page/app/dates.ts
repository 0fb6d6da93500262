const day = 86_400_000;

const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** Today, yesterday, tomorrow; otherwise undefined. */
function near(date: Date, now: Date): string | undefined {
  const days = Math.round((midnight(date) - midnight(now)) / day);
  return { '-1': 'yesterday', '0': 'today', '1': 'tomorrow' }[String(days)];
}

const show = (date: Date, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en', options).format(date);

/** Slack's date tokens, in the reader's time zone. */
export function formatDate(seconds: number, format: string, now: Date): string {
  const date = new Date(seconds * 1000);
  const long = () => show(date, { month: 'long', day: 'numeric', year: 'numeric' });
  const short = () => show(date, { month: 'short', day: 'numeric', year: 'numeric' });
  const parts: Readonly<Record<string, () => string>> = {
    date_num: () => date.toISOString().slice(0, 10),
    date: long,
    date_pretty: () => near(date, now) ?? long(),
    date_short: short,
    date_short_pretty: () => near(date, now) ?? short(),
    date_long: () => show(date, { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' }),
    date_long_pretty: () => near(date, now) ?? long(),
    time: () => clock(date),
    time_secs: () => show(date, { hour: 'numeric', minute: '2-digit', second: '2-digit' }),
    ago: () => short(),
  };
  const said = format.replace(/\{([a-z_]+)\}/g, (whole, name: string) => parts[name]?.() ?? whole);
  return said.charAt(0).toUpperCase() + said.slice(1);
}

export const clock = (date: Date): string => show(date, { hour: 'numeric', minute: '2-digit' });

/** A message's own time, from Slack's `1700000000.000100`. */
export const momentOf = (ts: string): Date => new Date(Number(ts) * 1000);

export const dayOf = (date: Date, now: Date): string => {
  const word = near(date, now);
  if (word === undefined) return show(date, { weekday: 'long', month: 'long', day: 'numeric' });
  return word.charAt(0).toUpperCase() + word.slice(1);
};
