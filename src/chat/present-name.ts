import { possible, unlessAbsent } from '../forge/possible.js';
import { splitFullName } from '../full-name.js';
import type { Context } from './context.js';
import type { RepositoryRef } from './references.js';

/** The forge follows a former name to where the repository is now, so what is allowed depends on the present name. */
export async function presentName(named: RepositoryRef, { api }: Pick<Context, 'api'>): Promise<RepositoryRef> {
  const found = await possible(unlessAbsent(api.repos.get(named)));
  // without one, it does not exist yet, or the server cannot look it up
  return found ? splitFullName(found.full_name) : named;
}
