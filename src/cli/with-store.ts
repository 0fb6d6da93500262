import { type Config, readConfig } from '../config.js';
import { commands } from '../features/index.js';
import {
  close,
  connect,
  createSeal,
  createStore,
  openNamespace,
  readNamespace,
  ready,
  type Store,
} from '../store/index.js';

/** Where a subcommand writes its lines. */
export type Print = (text: string) => void;

/** Opens the store for a subcommand that needs neither forge nor Slack, so the forge's address does not matter. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const { redisUrl, namespace, forge, keys } = config;
  const redis = connect(redisUrl);
  try {
    await ready(redis);
    const { id } = (await readNamespace(redis, namespace)) ?? (await openNamespace(redis, namespace, forge.url));
    return await work(createStore({ redis, forgeId: id, seal: createSeal(keys) }));
  } finally {
    await close(redis);
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/** @internal Tests check the policy file against them too. */
export const knownCommands = commands.map(({ name, approval }) => ({
  name,
  branch: approval?.branches !== undefined,
  separate: approval?.policy !== undefined,
}));

/** The settings, with the commands named in bellows.yaml checked against those that exist. */
export const readSettings = (env: Env): Config => readConfig(env, knownCommands);
