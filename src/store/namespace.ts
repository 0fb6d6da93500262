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
  /** The part in its keys. */
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

/** The namespace of this name, created if missing. */
export async function openNamespace(redis: Connection, name: string, url: string): Promise<Namespace> {
  const known = await readNamespace(redis, name);
  const found = known ?? (await writeNamespace(redis, name, url, name));
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
