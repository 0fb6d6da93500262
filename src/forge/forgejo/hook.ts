import { CannotAsk } from '../cannot-ask.js';
import type { Product, Values } from '../operation.js';

const systemOnly = 'Forgejo lists system webhooks only; default webhooks are on its site administration page.';

/** It lists only system hooks, whatever type is requested. */
export function hookQuery({ type, ...rest }: Values): Values {
  if (type === 'default') throw new CannotAsk(systemOnly);
  return rest;
}

export const hookNote = ({ type }: Values): string | undefined => (type === 'all' ? systemOnly : undefined);

/** Its own names; unknown names would be dropped silently. */
const events: Readonly<Record<string, readonly string[]>> = {
  workflow_run: ['action_run_failure', 'action_run_recover', 'action_run_success'],
  pull_request_review: ['pull_request_review_approved', 'pull_request_review_rejected', 'pull_request_review_comment'],
  status: [],
  workflow_job: [],
};

/** An event that is only wanted if the server has it. */
export const whereKnown = (event: string): string => `${event}?`;
const plainEvent = (event: string): string => event.replace(/\?$/, '');

export function hookBody(body: Values, product: Product): Values {
  if (!Array.isArray(body['events'])) return body;
  const all = body['events'].map(String);
  if (product !== 'Forgejo') return { ...body, events: all.map(plainEvent) };
  const asked = all.filter((event) => plainEvent(event) === event);
  const unknown = asked.filter((event) => events[event]?.length === 0);
  if (unknown.length > 0) throw new CannotAsk(`Forgejo has no webhook event ${unknown.join(', ')}.`);
  return { ...body, events: asked.flatMap((event) => events[event] ?? [event]) };
}
