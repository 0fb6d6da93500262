import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { FailureKind, Page } from '../../../src/forge/index.js';
import type { ContractServer, Repo } from './server.js';

/** Names never collide: tests share one server, which may be someone's own. */
export function fresh(word: string): string {
  return `${word}-${randomBytes(4).toString('hex')}`;
}

export async function freshRepo(server: ContractServer, options: { private?: boolean; empty?: boolean } = {}) {
  const body = { name: fresh('repo'), auto_init: !options.empty, default_branch: 'main', private: options.private };
  await server.people.alice.api.repos.createInOrg({ org: server.org, body });
  return { owner: server.org, repo: body.name } satisfies Repo;
}

/** Opened by carol; its number goes into the path. */
export async function freshIssue(server: ContractServer, at: Repo, body = '') {
  const issue = await server.people.carol.api.issues.create({ ...at, body: { title: fresh('Issue'), body } });
  return { ...at, index: issue.number };
}

export function sshKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const wire = [Buffer.from('ssh-ed25519'), raw].flatMap((part) => [size(part), part]);
  return `ssh-ed25519 ${Buffer.concat(wire).toString('base64')}`;
}

function size(part: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(part.length);
  return bytes;
}

export async function expectFailure(call: Promise<unknown>, kind: FailureKind): Promise<void> {
  await expect(call).rejects.toMatchObject({ name: 'ApiError', kind });
}

type Paged<T> = (query: { page: number; limit: number }) => Promise<Page<T>>;

/** At least two rows: the pages differ, link to each other, and end. Rows may still arrive between two reads. */
export function expectPages<T>(list: Paged<T>, key: (item: T) => unknown): Promise<void> {
  return eventually(async () => {
    const [one, two, far] = [
      await list({ page: 1, limit: 1 }),
      await list({ page: 2, limit: 1 }),
      await list({ page: 100_000, limit: 1 }),
    ];
    expect(one.hasMore).toBe(true);
    expect(one.items).toHaveLength(1);
    expect(two.items).toHaveLength(1);
    expect(two.items.map(key)).not.toEqual(one.items.map(key));
    expect(far).toMatchObject({ items: [], hasMore: false });
  });
}

/** On a server with queues, feeds, notifications and indexes follow a moment later. */
export function eventually<T>(read: () => Promise<T>): Promise<T> {
  return vi.waitFor(read, { timeout: 120_000, interval: 50 });
}

/** For behavior, not for capabilities, which come from the server's API document. */
export function isAtLeast({ version }: ContractServer, release: `${number}.${number}`): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const [wantedMajor = 0, wantedMinor = 0] = release.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

/** Every item over every page. */
export { gather as all } from '../../../src/forge/index.js';
