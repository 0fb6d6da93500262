import { ApiError } from '../forge/index.js';
import { splitFullName } from '../full-name.js';
import type { Context } from './context.js';
import type { RepositoryRef } from './references.js';

/** The forge follows a former name to where the repository is now, so what is allowed depends on the present name. */
export async function presentName(named: RepositoryRef, { api }: Pick<Context, 'api'>): Promise<RepositoryRef> {
  try {
    return splitFullName((await api.repos.get(named)).full_name);
  } catch (error) {
    // It does not exist yet, or the server cannot look it up.
    if (error instanceof ApiError && (error.kind === 'notFound' || error.unsupported)) return named;
    throw error;
  }
}
