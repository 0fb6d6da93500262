import type { WebClient } from '@slack/web-api';
import { createRoles } from './chat/admit.js';
import { keepAndTell } from './chat/answer-once.js';
import { createSignInLink, type SignInLink } from './chat/linking.js';
import type { Answers } from './chat/runtime.js';
import type { Services } from './chat/session.js';
import { createSignIn, type SignIn } from './chat/sign-in.js';
import { type Config, oauthOf } from './config.js';
import { within } from './deadline.js';
import { reasonOf } from './errors.js';
import { commands } from './features/index.js';
import {
  type Api,
  type CallResult,
  createForge,
  type Forge,
  type Operation,
  type OperationName,
} from './forge/index.js';
import type { Metrics } from './http/metrics.js';
import type { Log } from './log.js';
import { slackTrouble } from './slack/app.js';
import { createClient } from './slack/client.js';
import { configDirectory, createSlackFacts, emailDirectory } from './slack/facts.js';
import {
  type Connection,
  checkRedis,
  close,
  connect,
  createClock,
  createPeople,
  createSeal,
  createStore,
  type ForgeAccount,
  type Namespace,
  openNamespace,
  readNamespace,
  ready,
  redisTrouble,
  rememberAccount,
  writeNamespace,
} from './store/index.js';

interface ForgeToken {
  /** Asks whose token it is, and keeps asking while it is refused. */
  start(service: Api): void;
  /** Every answer to the bot's own account shows whether its token is accepted. */
  heard(result: CallResult): void;
  /** Rejects while the forge refuses the token. */
  ready(): Promise<void>;
  stop(): void;
}

interface ForgeTokenOptions {
  readonly log: Log;
  /** Whose token it is, if the forge says. */
  readonly remember: (account: ForgeAccount) => Promise<void>;
  readonly againMs?: number;
}

/** A forge that takes longer to answer refuses nothing. */
const patienceMs = 1_000;

/** Whether the forge accepts FORGE_TOKEN. */
function watchForgeToken({ log, remember, againMs = 5_000 }: ForgeTokenOptions): ForgeToken {
  let refused = false;

  const heard = ({ kind }: CallResult): void => {
    if (kind === 'unauthorized' && !refused) {
      refused = true;
      log.error('the forge refuses FORGE_TOKEN: create a new token for the service account and set FORGE_TOKEN');
    } else if (kind === undefined && refused) {
      refused = false;
      log.info('the forge accepts FORGE_TOKEN again');
    }
  };
  const ask = async (service: Api): Promise<void> => {
    const { id, login, created } = await service.users.me();
    await remember({ id, login, ...(created && { created: created.toISOString() }) });
  };
  let first: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  return {
    start(service) {
      // an unreachable forge is not a refusal and is reported elsewhere
      first = ask(service).catch(() => {});
      timer = setInterval(() => void (refused && ask(service).catch(() => {})), againMs).unref();
    },
    heard,
    async ready() {
      await within(patienceMs, first, '').catch(() => {});
      if (refused) throw new Error('the forge refuses FORGE_TOKEN');
    },
    stop: () => clearInterval(timer),
  };
}

/** The bot's own account writes nothing, whatever its token allows. */
async function onlyReads(name: OperationName, { effect }: Operation): Promise<void> {
  if (effect !== 'read') throw new Error(`the service account only reads, and ${name} writes`);
}

/** Whose bot token it is. */
interface Identity {
  readonly teamId: string;
  /** The workspace's name. */
  readonly teamName: string;
  /** The Enterprise Grid organization it belongs to. */
  readonly enterpriseId?: string | undefined;
  readonly botId: string;
  readonly botUserId: string;
}

async function whoAmI(client: WebClient): Promise<Identity> {
  const answer = await client.auth.test().catch((error: unknown) => {
    throw slackTrouble(error, 'SLACK_BOT_TOKEN');
  });
  if (!answer.team_id || !answer.user_id) throw new Error('Slack did not say whose token this is');
  return {
    teamId: answer.team_id,
    teamName: answer.team ?? answer.team_id,
    enterpriseId: answer.enterprise_id,
    botId: answer.bot_id ?? '',
    botUserId: answer.user_id,
  };
}

const everyMs = 5_000;

/** If Redis was emptied while running, it is set up again as new, and that is logged once. */
function watchRedis(redis: Connection, namespace: Namespace, log: Log): { stop(): void } {
  const look = async (): Promise<void> => {
    if ((await readNamespace(redis, namespace.name)) !== undefined) return;
    await writeNamespace(redis, namespace.name, namespace.address, namespace.id);
    log.error(
      { namespace: namespace.name },
      'Redis was emptied: accounts, subscriptions and history are lost, starting without them',
    );
  };
  // an unresponsive Redis is reported elsewhere
  const timer = setInterval(() => void look().catch(() => {}), everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

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

interface ServicesOptions {
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
  const { identity, namespace } = await openStore(config, client, redis);
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
  const forge = countRequests(createForge({ url, webUrl, ca, proxy, oauth: oauthOf(config), log }), metrics);
  const slack = createSlackFacts({ client, team: identity.teamId, store });
  const roles = createRoles({
    roles: config.policy.roles,
    team: identity.teamId,
    groupMembers: slack.userGroupMembers,
  });
  await roles
    .refresh()
    .catch((error: unknown) => log.warn({ reason: reasonOf(error) }, 'user groups could not be read'));
  const refreshing = setInterval(() => {
    roles.refresh().catch((error: unknown) => log.warn({ reason: reasonOf(error) }, 'user groups could not be read'));
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
    policy: config.policy,
    agentsUrl: config.publicUrl && `${config.publicUrl.replace(/\/+$/, '')}/mcp`,
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
async function openStore(config: Config, client: WebClient, redis: Connection) {
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
function countRequests(forge: Forge, metrics: Metrics | undefined): Forge {
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

/** The browser side of signing in; absent where people sign in by token. */
export function joinSignIn(open: OpenServices, answers: Answers): SignIn | undefined {
  const { services, signInLink: link, identity } = open;
  if (!link) return undefined;
  return createSignIn({
    services,
    link,
    workspace: { id: identity.teamId, name: identity.teamName },
    async tell(person, id, message) {
      const to = { person, answer: {}, acceptedAt: services.now().getTime() };
      await keepAndTell({ services, answers }, id, { to, message }, 'known');
    },
  });
}
