import { events } from './feed/events.js';
import { idlePolls } from './feed/idle.js';
import { subscriptions } from './feed/subscriptions.js';

/** The event road: how fast it moves, what an idle poll costs, and what a subscription costs. */
export async function run(): Promise<Record<string, number>> {
  return { ...(await events()), ...(await idlePolls()), ...(await subscriptions()) };
}
