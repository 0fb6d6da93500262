import { z } from 'zod';
import type { OpenServer } from '../../contract/forge/open.js';
import type { Person } from '../../contract/forge/server.js';

const Packages = z.array(z.object({ type: z.string(), name: z.string(), version: z.string() }));
const Repos = z.array(z.object({ name: z.string() }));
const Hooks = z.array(z.object({ id: z.int() }));
const Runners = z.array(z.object({ id: z.int(), name: z.string() }));

/** Every row over every page; none if the server has no such list. */
async function rows<T extends object>(root: Person, path: string, schema: z.ZodType<T[]>): Promise<T[]> {
  const all = new Map<string, T>();
  for (let page = 1; page <= 40; page += 1) {
    const { status, text } = await root.send('GET', `${path}${path.includes('?') ? '&' : '?'}limit=50&page=${page}`);
    if (status !== 200) break;
    const body: unknown = JSON.parse(text);
    const wrapped = z.object({ runners: z.array(z.unknown()) }).safeParse(body);
    const found = schema.parse((wrapped.success ? wrapped.data.runners : body) ?? []);
    const known = all.size;
    for (const row of found) all.set(JSON.stringify(row), row);
    // Some lists come whole, whatever page is requested.
    if (all.size === known) break;
  }
  return [...all.values()];
}

export interface Tidy {
  /** Removes what the tests created, and reports what it could not. */
  after(server: OpenServer): Promise<void>;
}

/** Inspects someone's own server before the tests, so that only what they create is removed. */
export async function tidyLater({ people: { root } }: OpenServer): Promise<Tidy> {
  const hooks = () => rows(root, '/admin/hooks?type=all', Hooks);
  const before = new Set((await hooks()).map(({ id }) => id));
  return {
    async after({ people, org }) {
      const { root: _admin, ...others } = people;
      const left: string[] = [];
      const remove = async (path: string): Promise<void> => {
        const { status } = await root.send('DELETE', path);
        if (status >= 300 && status !== 404) left.push(`${path} (${status})`);
      };
      for (const { type, name, version } of await rows(root, `/packages/${org}`, Packages)) {
        await remove(`/packages/${org}/${type}/${name}/${version}`);
      }
      for (const { name } of await rows(root, `/orgs/${org}/repos`, Repos)) await remove(`/repos/${org}/${name}`);
      await remove(`/orgs/${org}`);
      for (const { login } of Object.values(others)) await remove(`/admin/users/${login}?purge=true`);
      for (const { id } of await hooks()) if (!before.has(id)) await remove(`/admin/hooks/${id}`);
      for (const { id, name } of await rows(root, '/admin/actions/runners', Runners)) {
        // As the tests name their runners.
        if (/^builder-[0-9a-f]{8}$/.test(name)) await remove(`/admin/actions/runners/${id}`);
      }
      console.log(left.length === 0 ? 'the server is as it was' : `left behind: ${left.join(', ')}`);
    },
  };
}
