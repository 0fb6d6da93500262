import { CannotAsk } from '../cannot-ask.js';
import type { Product, Values } from '../operation.js';

/** The server silently treats an unknown service as plain git and would import only the code. */
export function migrateBody(body: Values, product: Product): Values {
  const { service } = body;
  if (product === 'Gitea') return service === 'forgejo' ? { ...body, service: 'gitea' } : body;
  if (service === 'codecommit') throw new CannotAsk('Forgejo cannot import from CodeCommit; use --service git.');
  return body;
}
