import { lookUp } from '../features/repos/lookup.js';
import type { Api } from '../forge/index.js';
import { isRefused } from '../forge/possible.js';
import type { Repository } from '../forge/schemas.js';
import { splitFullName } from '../full-name.js';

/** The repository as this account sees it; undefined if it does not exist or is hidden from it. Throws if nobody can tell. */
export async function visible(fullName: string, api: Api): Promise<Repository | undefined> {
  const { owner, repo } = splitFullName(fullName);
  try {
    return await lookUp({ owner, name: repo }, api);
  } catch (error) {
    if (!isRefused(error)) throw error;
    // a token for public repositories only is refused here but may still list the others
    await api.repos.search({ query: { limit: 1 } });
    return undefined;
  }
}
