import type { Api } from '../../forge/index.js';
import { ApiError } from '../../forge/index.js';
import type { Repository } from '../../forge/schemas/repository.js';
import type { NewName } from './new-name.js';

/** The repository of that name, if it exists; on a server that cannot read one, by search. */
export async function lookUp({ owner, name }: NewName, api: Api): Promise<Repository | undefined> {
  try {
    return await api.repos.get({ owner, repo: name });
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'notFound') throw error;
    return error.unsupported ? searched(`${owner}/${name}`, name, api) : undefined;
  }
}

async function searched(whole: string, name: string, api: Api): Promise<Repository | undefined> {
  for await (const found of api.repos.search.each({ query: { q: name } }, { max: 500 })) {
    if (found.full_name.toLowerCase() === whole.toLowerCase()) return found;
  }
  return undefined;
}
