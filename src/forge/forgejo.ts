import { CannotAsk } from './errors.js';
import type { Product, Values } from './operation.js';
import { RunFilter, statusWords } from './schemas.js';

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
  if (unknown.length > 0) throw new CannotAsk(`Forgejo has no webhook event ${unknown.join(', ')}: leave it out.`);
  return { ...body, events: asked.flatMap((event) => events[event] ?? [event]) };
}

/** The server silently treats an unknown service as plain git and would import only the code. */
export function migrateBody(body: Values, product: Product): Values {
  const { service } = body;
  if (product === 'Gitea') return service === 'forgejo' ? { ...body, service: 'gitea' } : body;
  if (service === 'codecommit') throw new CannotAsk('Forgejo cannot import from CodeCommit; use --service git.');
  return body;
}

/** Branches are filtered by full ref if the server has that filter. */
export function runQuery(query: Values, lists: (name: string) => boolean): Values {
  const { status, branch, exclude_pull_requests: _shape, ...rest } = query;
  const byRef = typeof branch === 'string' && lists('ref');
  return {
    ...rest,
    ...(Array.isArray(status) && { status: pickKnownStatuses(status) }),
    ...(byRef ? { ref: `refs/heads/${branch}` } : { branch }),
  };
}

function pickKnownStatuses(status: readonly unknown[]): string[] {
  const words = statusWords(RunFilter.array().parse(status));
  // an empty filter would return everything
  if (words.length === 0) throw new CannotAsk(`Forgejo has no runs that are ${status.join(', ')}.`);
  return words;
}
