import type { Unit } from '../../feed/event.js';
import type { Api } from '../../forge/index.js';
import { ApiError, isHidden } from '../../forge/index.js';
import { isUnseen } from '../../forge/possible.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { splitFullName } from '../../full-name.js';
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

type At = { readonly owner: string; readonly repo: string };
const one = { limit: 1 } as const;
const probes: Readonly<Record<Unit, (api: Api, at: At) => Promise<unknown>>> = {
  issues: (api, at) => api.issues.list({ ...at, query: { ...one, type: 'issues', state: 'all' } }),
  pulls: (api, at) => api.pulls.list({ ...at, query: { ...one, state: 'all' } }),
  code: (api, at) => api.repos.listBranches({ ...at, query: one }),
  actions: (api, at) => api.runs.list({ ...at, query: one }),
  releases: (api, at) => api.repos.listReleases({ ...at, query: one }),
};

/** Whether this account may read that part of a repository it sees; false if the server does not let it ask. Throws if nobody can tell. */
export async function readsUnit(api: Api, { owner, repo }: At, unit: Unit): Promise<boolean> {
  try {
    await probes[unit](api, { owner, repo });
    return true;
  } catch (error) {
    if (!isUnseen(error)) throw error;
    return false;
  }
}

/** Which units of this repository an account may read, each asked once; everything of one that everyone sees. */
export function unitReader(repository: Repository, api: Api): (units: readonly Unit[]) => Promise<boolean> {
  const at = splitFullName(repository.full_name);
  const known = new Map<Unit, Promise<boolean>>();
  const reads = (unit: Unit) => {
    const asked = known.get(unit) ?? readsUnit(api, at, unit);
    known.set(unit, asked);
    return asked;
  };
  return async (units) => !isHidden(repository) || (await Promise.all(units.map(reads))).every(Boolean);
}
