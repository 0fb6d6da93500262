import { z } from 'zod';
import type { OpenServer } from '../../contract/forge/open.js';

const Packages = z.array(z.object({ type: z.string(), name: z.string(), version: z.string() }));
const Repos = z.array(z.object({ name: z.string() }));
const Hooks = z.array(z.object({ id: z.int(), config: z.record(z.string(), z.string()) }));
const Runners = z.array(z.object({ id: z.int(), name: z.string() }));

/** Takes away what the tests made on somebody's own server, and says what it could not. */
export async function tidy({ people, org }: OpenServer): Promise<void> {
  const { root, ...others } = people;
  const left: string[] = [];

  async function rows<T>(path: string, schema: z.ZodType<T[]>): Promise<T[]> {
    const { status, text } = await root.send('GET', path);
    if (status !== 200) return [];
    const body: unknown = JSON.parse(text);
    const wrapped = z.object({ runners: z.array(z.unknown()) }).safeParse(body);
    return schema.parse((wrapped.success ? wrapped.data.runners : body) ?? []);
  }
  async function remove(path: string): Promise<void> {
    const { status } = await root.send('DELETE', path);
    if (status >= 300 && status !== 404) left.push(`${path} (${status})`);
  }

  for (const { type, name, version } of await rows(`/packages/${org}?limit=50`, Packages)) {
    await remove(`/packages/${org}/${type}/${name}/${version}`);
  }
  for (let page = await rows(`/orgs/${org}/repos?limit=50`, Repos); page.length > 0; ) {
    for (const { name } of page) await remove(`/repos/${org}/${name}`);
    const next = await rows(`/orgs/${org}/repos?limit=50`, Repos);
    page = next.length < page.length ? next : [];
  }
  await remove(`/orgs/${org}`);
  for (const { login } of Object.values(others)) await remove(`/admin/users/${login}?purge=true`);
  // The tests listen on this machine alone, and name their runners so.
  for (const { id, config } of await rows('/admin/hooks?type=all&limit=50', Hooks)) {
    if (config['url']?.startsWith('http://127.0.0.1:')) await remove(`/admin/hooks/${id}`);
  }
  for (const { id, name } of await rows('/admin/actions/runners?limit=50', Runners)) {
    if (/^builder-[0-9a-f]{8}$/.test(name)) await remove(`/admin/actions/runners/${id}`);
  }
  console.log(left.length === 0 ? 'the server is as it was' : `left behind: ${left.join(', ')}`);
}
