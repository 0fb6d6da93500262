import { type Config, readConfig } from '../config.js';
import { UserError } from '../errors.js';
import { type Api, ApiError, createForge } from '../forge/index.js';
import { unlessUnseen } from '../forge/possible.js';
import { splitFullName } from '../full-name.js';
import {
  addressOf,
  type Connection,
  close,
  connect,
  createSeal,
  createStore,
  type ForgeAccount,
  type Namespace,
  readNamespace,
  ready,
  rememberAccount,
  rememberAddress,
  type Store,
} from '../store/index.js';

interface Comparison {
  readonly same: readonly string[];
  readonly differs: readonly string[];
  readonly me: ForgeAccount | undefined;
}

const mostRepositories = 5;

/** A forge is recognized by ids it assigned: the service account and followed repositories. */
async function compareForge(known: Namespace, store: Store, service: Api): Promise<Comparison> {
  const same: string[] = [];
  const differs: string[] = [];
  const me = await whoAmI(service);
  const before = known.account;
  if (me && before) {
    const sameAccount = me.id === before.id && me.login === before.login && me.created === before.created;
    if (sameAccount) same.push(`service account ${me.login}`);
    else differs.push(`the service account is ${me.login} (id ${me.id}), but was ${before.login} (id ${before.id})`);
  }
  const followed = (await store.subscriptions.listFollowed()).filter(({ kind }) => kind === 'repo');
  for (const { id, name } of followed.slice(0, mostRepositories)) {
    const there = await idOf(service, name);
    if (there === id) same.push(name);
    else if (there !== undefined) differs.push(`${name} has the id ${there}, but had ${id}`);
  }
  return { same, differs, me };
}

async function whoAmI(service: Api): Promise<ForgeAccount | undefined> {
  try {
    const { id, login, created } = await service.users.me();
    return { id, login, ...(created && { created: created.toISOString() }) };
  } catch (error) {
    if (error instanceof ApiError && (error.unsupported || error.kind === 'forbidden')) return undefined;
    throw error;
  }
}

/** Undefined if it cannot be seen: renamed, deleted or hidden, which proves nothing. */
async function idOf(service: Api, name: string): Promise<number | undefined> {
  const { owner, repo } = splitFullName(name);
  return (await unlessUnseen(service.repos.get({ owner, repo })))?.id;
}

export async function run(word: 'show' | 'accept', options: Wish): Promise<number> {
  const config = readConfig(process.env);
  const redis = connect(config.redisUrl);
  try {
    await ready(redis);
    console.log(word === 'show' ? await show(config, redis) : await accept(config, redis, options));
    return 0;
  } finally {
    await close(redis);
  }
}

async function show(config: Config, redis: Connection): Promise<string> {
  const known = await readNamespace(redis, config.namespace);
  if (!known) return `Namespace ${config.namespace} is empty. It is created at the first start.`;
  const account = known.account ? `, service account ${known.account.login}` : '';
  return `Namespace ${known.name}: ${known.address}${account}, keys bellows:{${known.id}:…}`;
}

interface Wish {
  readonly force?: boolean;
}

/** @internal The address may change, the forge may not: everything comparable is compared first. */
export async function accept(config: Config, redis: Connection, { force }: Wish): Promise<string> {
  const known = await readNamespace(redis, config.namespace);
  if (!known) throw new UserError(`Nothing to accept: namespace ${config.namespace} is empty.`);
  if (known.address === addressOf(config.forge.url)) {
    return `Nothing to accept: namespace ${known.name} already belongs to ${known.address}.`;
  }
  const { url, webUrl, ca, proxy, token } = config.forge;
  const forge = createForge({ url, webUrl, ca, proxy, retry: { attempts: 1 } });
  try {
    const service = forge.as({ kind: 'token', token });
    const store = createStore({ redis, forgeId: known.id, seal: createSeal(config.keys) });
    const { same, differs, me } = await compareForge(known, store, service);
    // people's tokens would go to a stranger: no word of the operator makes up for that
    if (differs.length > 0)
      throw new UserError(`This is not the same forge: ${differs.join('; ')}. Nothing was changed.`);
    if (same.length === 0 && !force) {
      throw new UserError(
        'Bellows has nothing to compare this forge with. If you are sure it is the same one, add --force.',
      );
    }
    await rememberAddress(redis, known.name, url);
    if (me) await rememberAccount(redis, known.name, me);
    const shown = same.length > 0 ? `recognized by ${same.join(', ')}` : 'not checked';
    return `Namespace ${known.name} now belongs to ${addressOf(url)} (before: ${known.address}); ${shown}.`;
  } finally {
    await forge.close();
  }
}
