import { CannotAsk } from '../cannot-ask.js';
import type { Values } from '../operation.js';
import { RunFilter } from '../schemas/run-filter.js';
import { statusWords } from './status.js';

/** Branches are filtered by full ref if the server has that filter. */
export function runQuery(query: Values, lists: (name: string) => boolean): Values {
  const { status, branch, exclude_pull_requests: _shape, ...rest } = query;
  const byRef = typeof branch === 'string' && lists('ref');
  return {
    ...rest,
    ...(Array.isArray(status) && { status: known(status) }),
    ...(byRef ? { ref: `refs/heads/${branch}` } : { branch }),
  };
}

function known(status: readonly unknown[]): string[] {
  const words = statusWords(RunFilter.array().parse(status));
  // an empty filter would return everything
  if (words.length === 0 && status.length > 0)
    throw new CannotAsk(`Forgejo has no runs that are ${status.join(', ')}.`);
  return words;
}
