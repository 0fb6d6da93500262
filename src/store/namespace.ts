import { createHash } from 'node:crypto';
import { Cluster } from 'ioredis';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { script, texts, versionedCodec } from './ground.js';
import { createKeys } from './keys.js';
import type { Connection } from './redis.js';

const ForgeAccount = z.object({ id: z.int(), login: z.string(), created: z.string().optional() });
/** The bot's account as the forge described it: if it is the same, the forge is the same. */
export type ForgeAccount = z.infer<typeof ForgeAccount>;
const account = versionedCodec(ForgeAccount);

/** What is stored about a namespace. */
export interface Namespace {
  readonly name: string;
  /** The part in its keys: its name, or an id derived from an address by versions without names. */
  readonly id: string;
  /** The forge it belongs to. */
  readonly address: string;
  readonly account?: ForgeAccount;
}

/** Normalized: without trailing slash and /api/v1. */
export function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}`;
}

/** Before namespaces had names, the forge's address was the name. */
export const addressId = (url: string): string =>
  createHash('sha256').update(addressOf(url)).digest('hex').slice(0, 10);

const keyOf = (name: string) => createKeys(name).namespace();

/** Read-only. */
export async function readNamespace(redis: Connection, name: string): Promise<Namespace | undefined> {
  return readNamespaceRow(name, await redis.hgetall(keyOf(name)));
}

function readNamespaceRow(name: string, fields: Readonly<Record<string, string>>): Namespace | undefined {
  const { id, address, account: text } = fields;
  if (id === undefined || address === undefined) return undefined;
  return { name, id, address, ...(text === undefined ? {} : { account: account.decode(text) }) };
}

/**
 * The namespace of this name, created if missing. Data that an earlier version stored under the forge's address is
 * adopted by storing its id: one write, nothing moves, and a process of that version may still be running.
 */
export async function openNamespace(redis: Connection, name: string, url: string): Promise<Namespace> {
  const known = await readNamespace(redis, name);
  const found = known ?? (await writeNamespace(redis, name, url, await firstId(redis, name, url)));
  if (found.address !== addressOf(url)) throw new UserError(movedWords(found, url));
  return found;
}

export const movedWords = ({ name, address }: Namespace, url: string): string =>
  [
    `FORGE_URL is now ${addressOf(url)}, but the namespace "${name}" contains the data of ${address}.`,
    'If it is the same forge at a new address, run: bellows namespace accept.',
    'If it is another forge, set BELLOWS_NAMESPACE to a new name.',
  ].join(' ');

/** The first process decides; all others get what was decided. */
export async function writeNamespace(redis: Connection, name: string, url: string, id: string): Promise<Namespace> {
  const pairs = texts.parse(await writeOnce(redis, [keyOf(name)], [id, addressOf(url)]));
  const fields = Object.fromEntries(pairs.flatMap((field, at) => (at % 2 === 0 ? [[field, pairs[at + 1] ?? '']] : [])));
  return readNamespaceRow(name, fields) ?? { name, id, address: addressOf(url) };
}

async function firstId(redis: Connection, name: string, url: string): Promise<string> {
  const ids = await unnamedIds(redis);
  const old = addressId(url);
  if (ids.includes(old)) return old;
  if (ids.length === 0) return name;
  throw new UserError(unnamedWords);
}

export const unnamedWords = [
  'Redis contains data that an earlier version stored under another FORGE_URL.',
  'If it is the same forge, run: bellows namespace accept --was <the old FORGE_URL>.',
  'To start without that data, use another Redis or another database number in REDIS_URL.',
].join(' ');

/** Address-derived ids that no namespace has adopted. Scans all keys, so only before the first start. */
export async function unnamedIds(redis: Connection): Promise<readonly string[]> {
  const ids = new Set<string>();
  const taken = new Set<string>();
  for (const node of redis instanceof Cluster ? redis.nodes('master') : [redis]) {
    for await (const keys of node.scanStream({ match: 'bellows:*', count: 1_000 })) {
      for (const key of texts.parse(keys)) {
        const [, id] = /^bellows:\{?([0-9a-f]{10}):/.exec(key) ?? [];
        if (id !== undefined) ids.add(id);
        const [, name] = /^bellows:([a-z0-9-]+):namespace$/.exec(key) ?? [];
        if (name !== undefined) taken.add((await redis.hget(key, 'id')) ?? '');
      }
    }
  }
  return [...ids].filter((id) => !taken.has(id));
}

/** The forge was confirmed to be the same: from now on it has this address. */
export async function rememberAddress(redis: Connection, name: string, url: string): Promise<void> {
  await redis.hset(keyOf(name), 'address', addressOf(url));
}

export async function rememberAccount(redis: Connection, name: string, who: ForgeAccount): Promise<void> {
  await redis.hset(keyOf(name), 'account', account.encode(who));
}

const writeOnce = script(`
if redis.call('HSETNX', KEYS[1], 'id', ARGV[1]) == 1 then redis.call('HSET', KEYS[1], 'address', ARGV[2]) end
return redis.call('HGETALL', KEYS[1])`);
