import { CannotAsk } from '../cannot-ask.js';
import type { Product, Values } from '../operation.js';

/** A word the server does not know counts as plain git there: the code alone would come, without a word. */
export function migrateBody(body: Values, product: Product): Values {
  const { service } = body;
  if (product === 'Gitea') return service === 'forgejo' ? { ...body, service: 'gitea' } : body;
  if (service === 'codecommit') throw new CannotAsk('Forgejo cannot import from CodeCommit; use --service git.');
  return body;
}
