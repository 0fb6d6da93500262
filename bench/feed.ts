import { events } from './feed/events.js';
import { idlePolls } from './feed/idle.js';
import { idleHour } from './feed/idle-hour.js';
import { subscriptions } from './feed/subscriptions.js';

/** The feed: its speed, the cost of an idle poll, and the cost of a subscription. */
export async function run(): Promise<Record<string, number>> {
  const parts = { events, 'idle-polls': idlePolls, subscriptions, 'idle-hour': idleHour };
  const wanted = Object.entries(parts).filter(([name]) => (process.argv[3] ?? name) === name);
  if (wanted.length === 0) throw new Error(`Say which: ${Object.keys(parts).join(', ')}, or nothing for all.`);
  let figures: Record<string, number> = {};
  for (const [, part] of wanted) figures = { ...figures, ...(await part()) };
  return figures;
}
