import type { WebClient } from '@slack/web-api';
import { createRoles } from './chat/roles.js';
import type { Services } from './chat/session.js';
import { createSignInLink, type SignInLink } from './chat/sign-in-link.js';
import { commands } from './commands/index.js';
import { type Config, oauthOf } from './config.js';
import { type CallResult, createForge, type Forge } from './forge/index.js';
import type { Metrics } from './http/metrics.js';
import type { Log } from './log.js';
import { onlyReads, watchForgeToken } from './services/forge-token.js';
import { type Identity, whoAmI } from './services/identity.js';
import { watchRedis } from './services/redis-watch.js';
import { createClient } from './slack/client.js';
import { createSlackFacts } from './slack/facts.js';
import { configDirectory, emailDirectory } from './slack/people.js';
import {
  type Connection,
  checkRedis,
  close,
  connect,
  createClock,
  createPeople,
  createSeal,
  createStore,
  openNamespace,
  ready,
  redisTrouble,
  rememberAccount,
} from './store/index.js';

/** Shared by bot and worker, opened once per process. */
export interface OpenServices {
  readonly services: Services;
  /** Absent where people sign in by token. */
  readonly signInLink: SignInLink | undefined;
  readonly identity: Identity;
  readonly client: WebClient;
  readonly redis: Connection;
  readonly forgeId: string;
  /** Rejects with the reason while nothing works: Redis takes no writes, or the forge refuses our token. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface ServicesOptions {
  readonly config: Config;
  readonly log: Log;
  readonly now?: () => Date;
  /** The bot fails fast when Redis is slow; the worker waits. */
  readonly redisTimeoutMs?: number;
  readonly metrics?: Metrics | undefined;
}

const rolesEveryMs = 5 * 60_000;

export async function openServices({
  config,
  log,
  now: given,
  redisTimeoutMs,
  metrics,
}: ServicesOptions): Promise<OpenServices> {
  const client = createClient(config.slack, metrics?.slackCall);
  const redis = connect(config.redisUrl, {
    ...(redisTimeoutMs === undefined ? {} : { timeoutMs: redisTimeoutMs }),
    onError: redisTrouble(log),
  });
  const { identity, namespace } = await opened(config, client, redis);
  const clock = given ? undefined : await createClock(redis);
  const now = given ?? (() => new Date(clock?.now() ?? Date.now()));
  const seal = createSeal(config.keys);
  const store = createStore({
    redis,
    forgeId: namespace.id,
    seal,
    now: () => now().getTime(),
    onForged: ({ kind, id, reason, person }) => {
      metrics?.forged(kind);
      log.error({ kind, id, reason, ...person }, 'refused a record in Redis that Bellows did not write');
    },
  });
  const { url, webUrl, ca, proxy } = config.forge;
  const forge = counted(createForge({ url, webUrl, ca, proxy, oauth: oauthOf(config), log }), metrics);
  const slack = createSlackFacts({ client, team: identity.teamId, store });
  const roles = createRoles({
    roles: config.policy.roles,
    team: identity.teamId,
    groupMembers: slack.userGroupMembers,
  });
  await roles.refresh().catch((error: unknown) => log.warn({ reason: String(error) }, 'user groups could not be read'));
  const refreshing = setInterval(() => {
    roles.refresh().catch((error: unknown) => log.warn({ reason: String(error) }, 'user groups could not be read'));
  }, rolesEveryMs).unref();
  const token = watchForgeToken({
    log,
    remember: (account) => rememberAccount(redis, namespace.name, account),
  });
  const after = (_: string, result: CallResult) => token.heard(result);
  const service = forge.as({ kind: 'token', token: config.forge.token }, { before: onlyReads, after });
  token.start(service);
  const watching = watchRedis(redis, namespace, log);
  const directories = [
    configDirectory(config.policy.people),
    ...(config.policy.matchEmail ? [emailDirectory({ slack, service })] : []),
  ];
  const signInLink =
    forge.oauth && config.publicUrl !== undefined
      ? createSignInLink({ seal, forgeId: namespace.id, publicUrl: config.publicUrl, now: store.now })
      : undefined;
  const services: Services = {
    forge,
    store,
    slack,
    people: createPeople(store.accounts, directories),
    roles,
    service,
    log,
    now,
    commands,
    slash: config.command,
    exposure: config.policy.exposure,
    deployments: config.policy.deployments,
    teams: config.policy.teams,
    workObjects: config.policy.workObjects,
    agents: config.policy.agents,
    wake: wakeOf(config),
    signIn: signInLink,
  };
  return {
    services,
    signInLink,
    identity,
    client,
    redis,
    forgeId: namespace.id,
    async ready() {
      await checkRedis(redis, namespace);
      await token.ready();
    },
    async close() {
      token.stop();
      watching.stop();
      clearInterval(refreshing);
      clock?.stop();
      await forge.close();
      await close(redis);
    },
  };
}

/** If one of them fails, nothing stays open. */
async function opened(config: Config, client: WebClient, redis: Connection) {
  try {
    const [identity] = await Promise.all([whoAmI(client), ready(redis)]);
    return { identity, namespace: await openNamespace(redis, config.namespace, config.forge.url) };
  } catch (error) {
    await close(redis);
    throw error;
  }
}

function wakeOf({ publicUrl, forge }: Config): Services['wake'] {
  if (publicUrl === undefined || forge.webhookSecret === undefined) return undefined;
  return { url: `${publicUrl.replace(/\/+$/, '')}/hooks/forge`, secret: forge.webhookSecret };
}

/** Counts every call to the forge by operation and result, for all accounts. */
function counted(forge: Forge, metrics: Metrics | undefined): Forge {
  if (!metrics) return forge;
  return {
    ...forge,
    as: (credential, sender = {}) =>
      forge.as(credential, {
        ...sender,
        after(name, result) {
          metrics.forgeCall(name, result.kind ?? 'ok');
          sender.after?.(name, result);
        },
      }),
  };
}
