import { type Api, ApiError } from '../../forge/index.js';
import { unlessUnseen } from '../../forge/possible.js';
import { splitFullName } from '../../full-name.js';
import type { ForgeAccount, Namespace, Store } from '../../store/index.js';

export interface Comparison {
  readonly same: readonly string[];
  readonly differs: readonly string[];
  readonly me: ForgeAccount | undefined;
}

const mostRepositories = 5;

/** A forge is recognized by ids it assigned: the service account and followed repositories. */
export async function compareForge(known: Namespace, store: Store, service: Api): Promise<Comparison> {
  const same: string[] = [];
  const differs: string[] = [];
  const me = await whoAmI(service);
  const before = known.account;
  if (me && before) {
    const sameAccount = me.id === before.id && me.login === before.login && me.created === before.created;
    if (sameAccount) same.push(`service account ${me.login}`);
    else differs.push(`the service account is ${me.login} (id ${me.id}), but was ${before.login} (id ${before.id})`);
  }
  const followed = (await store.subscriptions.followed()).filter(({ kind }) => kind === 'repo');
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
