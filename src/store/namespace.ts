import { createHash } from 'node:crypto';
import { Cluster } from 'ioredis';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { createKeys } from './keys.js';
import type { Connection } from './redis.js';
import { script } from './script.js';
import { texts, versioned } from './value.js';

const ForgeAccount = z.object({ id: z.int(), login: z.string(), created: z.string().optional() });
/** The bot's own account as the forge described it: the same one shows that the forge is the same. */
export type ForgeAccount = z.infer<typeof ForgeAccount>;
const account = versioned(ForgeAccount);

/** What a namespace remembers about itself. */
export interface Namespace {
  readonly name: string;
  /** What its keys carry: its name, or the id made from an address by versions that had no names. */
  readonly id: string;
  /** The forge all of it is about. */
  readonly address: string;
  readonly account?: ForgeAccount;
}

/** However it is written: without slash at the end, without /api/v1. */
export function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}`;
}

/** Before namespaces had names the forge's address was the name. */
export const addressId = (url: string): string =>
  createHash('sha256').update(addressOf(url)).digest('hex').slice(0, 10);

const keyOf = (name: string) => createKeys(name).namespace();

/** What is remembered; nothing is written. */
export async function readNamespace(redis: Connection, name: string): Promise<Namespace | undefined> {
  return read(name, await redis.hgetall(keyOf(name)));
}

function read(name: string, fields: Readonly<Record<string, string>>): Namespace | undefined {
  const { id, address, account: text } = fields;
  if (id === undefined || address === undefined) return undefined;
  return { name, id, address, ...(text === undefined ? {} : { account: account.decode(text) }) };
}

/**
 * The namespace of this name, made where there is none. What an earlier version kept under the forge's address is taken
 * over by remembering its id: one write, nothing moves, and a process of that version may still be running.
 */
export async function openNamespace(redis: Connection, name: string, url: string): Promise<Namespace> {
  const known = await readNamespace(redis, name);
  const found = known ?? (await writeNamespace(redis, name, url, await firstId(redis, name, url)));
  if (found.address !== addressOf(url)) throw new UserError(movedWords(found, url));
  return found;
}

export const movedWords = ({ name, address }: Namespace, url: string): string =>
  [
    `FORGE_URL is now ${addressOf(url)}, but the namespace "${name}" holds the data of ${address}.`,
    'If it is the same forge under a new address, run: bellows namespace accept.',
    'For another forge, set BELLOWS_NAMESPACE to a name of its own.',
  ].join(' ');

/** The first one decides; everyone else gets what was decided. */
export async function writeNamespace(redis: Connection, name: string, url: string, id: string): Promise<Namespace> {
  const pairs = texts.parse(await writeOnce(redis, [keyOf(name)], [id, addressOf(url)]));
  const fields = Object.fromEntries(pairs.flatMap((field, at) => (at % 2 === 0 ? [[field, pairs[at + 1] ?? '']] : [])));
  return read(name, fields) ?? { name, id, address: addressOf(url) };
}

async function firstId(redis: Connection, name: string, url: string): Promise<string> {
  const ids = await unnamedIds(redis);
  const old = addressId(url);
  if (ids.includes(old)) return old;
  if (ids.length === 0) return name;
  throw new UserError(unnamedWords);
}

export const unnamedWords = [
  'Redis holds data that an earlier version kept under another FORGE_URL.',
  'If it is the same forge, run: bellows namespace accept --was <the old FORGE_URL>.',
  'To start without that data, use another Redis or another database number in REDIS_URL.',
].join(' ');

/** Ids made from an address that no namespace has taken over. Reads all names of keys, so only before the first start. */
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

/** The forge was found to be the same: from now on it is known by this address. */
export async function rememberAddress(redis: Connection, name: string, url: string): Promise<void> {
  await redis.hset(keyOf(name), 'address', addressOf(url));
}

export async function rememberAccount(redis: Connection, name: string, who: ForgeAccount): Promise<void> {
  await redis.hset(keyOf(name), 'account', account.encode(who));
}

const writeOnce = script(`
if redis.call('HSETNX', KEYS[1], 'id', ARGV[1]) == 1 then redis.call('HSET', KEYS[1], 'address', ARGV[2]) end
return redis.call('HGETALL', KEYS[1])`);
