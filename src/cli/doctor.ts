import { randomBytes } from 'node:crypto';
import { devNull } from 'node:os';
import { WebClient } from '@slack/web-api';
import { Cluster, type Redis } from 'ioredis';
import { WebSocket } from 'undici';
import { type Config, callbackUrl, type Deployment, oauthOf } from '../config.js';
import { ConfigError, reasonOf } from '../errors.js';
import { commands } from '../features/index.js';
import { workflowAt } from '../features/workflows/file.js';
import {
  type Api,
  ApiError,
  createForge,
  type Forge,
  OAuthRefusal,
  oldestGit,
  operationNames,
  serverName,
} from '../forge/index.js';
import { ifAnswered, unlessUnseen } from '../forge/possible.js';
import { teamMembers } from '../forge/review-requests.js';
import { lackedScopes } from '../forge/scopes.js';
import { splitFullName } from '../full-name.js';
import { property } from '../property.js';
import { clientOptions } from '../slack/client.js';
import { pagesOf } from '../slack/facts.js';
import {
  emailScopes,
  events,
  eventUses,
  optionalScopes,
  scopes,
  syncEvents,
  workObjectEvents,
} from '../slack/manifest.js';
import { platformError } from '../slack/platform-error.js';
import { readAddress } from '../store/address.js';
import {
  addressOf,
  type Connection,
  close,
  connect,
  countUnopened,
  createSeal,
  createStore,
  movedWords,
  readNamespace,
  ready,
  type Store,
} from '../store/index.js';
import { readSettings } from './with-store.js';

type Area = 'config' | 'redis' | 'forge' | 'slack';
type Level = 'ok' | 'note' | 'warning' | 'failure';

/** One check; all but the good ones say what to do. */
interface Finding {
  readonly area: Area;
  readonly level: Level;
  readonly says: string;
  readonly remedy?: string;
  /** The details, one row each. */
  readonly rows?: readonly (readonly [what: string, words: string])[];
}

interface Notebook {
  readonly findings: readonly Finding[];
  ok(says: string): void;
  /** Worth knowing, nothing to fix. */
  note(says: string, remedy?: string, rows?: Finding['rows']): void;
  warning(says: string, remedy: string): void;
  failure(says: string, remedy: string): void;
}

function notebook(area: Area): Notebook {
  const findings: Finding[] = [];
  const add = (level: Level) => (says: string, remedy?: string, rows?: Finding['rows']) => {
    findings.push({ area, level, says, ...(remedy === undefined ? {} : { remedy }), ...(rows && { rows }) });
  };
  return { findings, ok: add('ok'), note: add('note'), warning: add('warning'), failure: add('failure') };
}

const marks: Readonly<Record<Level, string>> = { ok: '  ok  ', note: ' note ', warning: ' WARN ', failure: ' FAIL ' };

/** @internal Tested on its own. */
export function report(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ area, level, says, remedy, rows = [] }) => [
    `[${marks[level]}] ${area.padEnd(6)} ${says}`,
    ...(remedy === undefined ? [] : [`                  → ${remedy}`]),
    ...rows.map(([what, words]) => `                    ${what.padEnd(24)} ${words}`),
  ]);
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const [failures, warnings] = [count('failure'), count('warning')];
  const verdict =
    failures > 0
      ? `Problems to fix: ${failures}. Warnings: ${warnings}.`
      : warnings > 0
        ? `Bellows can run. Warnings: ${warnings}.`
        : 'No problems found.';
  return [...lines, '', verdict].join('\n');
}

/** The forge's failures say what to do; their message names the operation, which tells an operator nothing. */
function wordsOf(error: unknown): string {
  if (error instanceof ApiError && error.hint !== undefined)
    return error.code === undefined ? error.hint : error.hint.replace(/\.$/, ` (${error.code}).`);
  return error instanceof Error ? error.message : 'The check failed for an unknown reason.';
}

/** A failing check becomes a finding; the other checks continue. */
async function examineArea(
  area: Area,
  remedy: string,
  look: (found: Notebook) => Promise<void>,
): Promise<readonly Finding[]> {
  const found = notebook(area);
  try {
    await look(found);
  } catch (error) {
    const says = wordsOf(error);
    // some errors end with the same advice
    found.failure(says.replace(` ${remedy}`, ''), remedy);
  }
  return found.findings;
}

/** Every place in bellows.yaml that can name approvers and a channel for them. */
function policiesIn({ approvals, deployments }: Config['policy']) {
  const { risky, write, commands, rules } = approvals;
  const all = [risky, write, ...Object.values(commands), ...rules, ...Object.values(deployments)];
  return all.filter((each) => each !== undefined);
}

/** Who is named there to approve or deploy; roles are left out. */
function namedIn(policy: Config['policy']) {
  const asked = Object.values(policy.deployments).map(({ ask }) => ask);
  const all = [...policiesIn(policy).map(({ approve }) => approve), ...asked];
  return all.filter((each) => typeof each === 'object');
}

/** Whether what bellows.yaml names exists: repositories, workflow files, teams. */
async function lookAtDeployments({ policy }: Config, service: Api, forge: Forge, found: Notebook): Promise<void> {
  for (const [name, deployment] of Object.entries(policy.deployments))
    await lookAt(name, deployment, { service, forge }, found);
  for (const [at, { repository }] of policy.queues.entries())
    if (!/[*?]/.test(repository) && !(await exists(service.repos.get(splitFullName(repository)))))
      found.failure(
        `queues.${at}: the service account can’t see ${repository}`,
        'Check the name, and give the account access.',
      );
  if (policy.queues.some(({ way }) => way === 'branch')) {
    const version = await forge.git.version();
    if (version === undefined)
      found.failure(
        `queues: way: branch needs git ${oldestGit} or newer, and it is not installed here`,
        'Install git where the worker runs, or set way: update.',
      );
    else found.ok(`queues: git ${version} makes the branches to test`);
  }
  const approving = teamsIn(policy);
  for (const team of approving) await lookAtTeam(team, 'can approve', service, found);
  const mentioned = Object.keys(policy.teams).filter((team) => !approving.includes(team));
  for (const team of mentioned) await lookAtTeam(team, 'are mentioned through a Slack user group', service, found);
}

async function lookAt(
  name: string,
  { repository, workflow }: Deployment,
  { service, forge }: { readonly service: Api; readonly forge: Forge },
  found: Notebook,
): Promise<void> {
  const at = splitFullName(repository);
  if (!(await exists(service.repos.get(at))))
    return found.failure(
      `deployments.${name}: the service account can’t see ${repository}`,
      'Check the name, and give the account access.',
    );
  if (await unlessUnseen(workflowAt({ at, file: workflow }, forge, service)))
    return found.ok(`deployments.${name}: ${workflow} in ${repository}`);
  found.failure(
    `deployments.${name}: ${repository} has no workflow ${workflow} on its default branch`,
    'Check the file name.',
  );
}

function teamsIn(policy: Config['policy']): string[] {
  return [...new Set(namedIn(policy).flatMap(({ teams }) => teams))];
}

async function lookAtTeam(team: string, what: string, service: Api, found: Notebook): Promise<void> {
  const members = await unlessUnseen(teamMembers(service, team));
  if (!members)
    return found.failure(
      `team ${team}: the service account can’t see it`,
      'Check the name, and add the account to the team: only its members and the organization’s owners can see who is in it.',
    );
  found.ok(`team ${team}: ${members.length} members ${what}`);
}

const exists = async (asking: Promise<unknown>): Promise<boolean> => (await unlessUnseen(asking)) !== undefined;

/** Whether people can sign in at the forge: asks the provider itself, with a made-up code. */
async function lookAtSignIn(config: Config, forge: Forge, found: Notebook): Promise<void> {
  const { oauth } = forge;
  if (!oauth || config.publicUrl === undefined) {
    return found.note(
      'sign-in: people link accounts with access tokens',
      'To let them sign in with the forge, register Bellows there; see bellows oauth-app.',
    );
  }
  const provider = await oauth.provider();
  if (!provider) {
    return found.failure(
      'sign-in: the forge has no OAuth2 provider',
      'Enable it on the forge ([oauth2] ENABLED), or remove FORGE_OAUTH_CLIENT_ID.',
    );
  }
  if (!provider.code_challenge_methods_supported.includes('S256'))
    return found.failure('sign-in: the forge does not support PKCE with S256', 'Upgrade the forge.');
  const shown = new URL(provider.authorization_endpoint).host;
  const ours = new URL(forge.web).host;
  if (shown !== ours) {
    found.warning(
      `sign-in: the forge sends browsers to ${shown}, but Bellows to ${ours}`,
      'Set FORGE_WEB_URL to the address people use.',
    );
  }
  const refusal = await oauth
    .exchange(new URLSearchParams({ code: 'bellows-doctor', state: 'doctor' }), {
      state: 'doctor',
      verifier: await oauth.verifier(),
    })
    .then(() => undefined)
    .catch((error: unknown) => {
      if (error instanceof OAuthRefusal) return error;
      throw error;
    });
  if (refusal?.isOfProgram) {
    const isRedirect = /redirect uri/i.test(refusal.description);
    return found.failure(
      `sign-in: the forge does not accept Bellows as an application (${refusal.description})`,
      isRedirect
        ? `Register the redirect address ${callbackUrl(config.publicUrl)} on the forge.`
        : 'Check FORGE_OAUTH_CLIENT_ID and FORGE_OAUTH_CLIENT_SECRET; bellows oauth-app shows what to register.',
    );
  }
  if (config.publicUrl.startsWith('http:'))
    found.warning('sign-in: BELLOWS_PUBLIC_URL is not https', 'Serve it over TLS: browsers send sign-in data there.');
  found.ok(`sign-in: the forge accepts Bellows and sends browsers back to ${callbackUrl(config.publicUrl)}`);
}

/** The scopes the service account needs; it never writes. */
const serviceScopes = ['read:repository', 'read:issue', 'read:user', 'read:organization'] as const;

async function lookAtForge(config: Config, found: Notebook): Promise<void> {
  const { url, webUrl, ca, proxy, token } = config.forge;
  const forge = createForge({ url, webUrl, ca, proxy, oauth: oauthOf(config), retry: { attempts: 1 } });
  try {
    const service = forge.as({ kind: 'token', token });
    const sample = await firstRepository(service);
    if (sample === 'refused') {
      return found.failure('token: the forge rejected FORGE_TOKEN', `Create a token with ${serviceScopes.join(', ')}.`);
    }
    if (sample === 'absent') {
      return found.failure(
        'connected, but there is no Gitea or Forgejo API at this address',
        'Set FORGE_URL to the address of the forge’s start page, such as https://git.example.org.',
      );
    }
    const server = await forge.capabilities.server();
    const version = server.version ?? 'version unknown';
    found.ok(`connected: ${server.product} ${version}, links start with ${forge.web}`);
    await lookAtForgeToken(service, forge, found);
    await lookAtOperations(forge, found);
    lookAtLinks(sample?.html_url, forge, found);
    lookAtHook(config, found);
    await lookAtSignIn(config, forge, found);
    await lookAtDeployments(config, service, forge, found);
  } finally {
    await forge.close();
  }
}

/** The first request: it shows whether the forge answers and accepts the token. */
async function firstRepository(service: Api): Promise<{ html_url: string } | undefined | 'refused' | 'absent'> {
  try {
    const { items } = await service.repos.search({ query: { limit: 1 } });
    return items[0];
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'unauthorized') return 'refused';
    // another web server answers with a 404 or with its own page
    if (error instanceof ApiError && (error.kind === 'notFound' || error.status === 200)) return 'absent';
    throw error;
  }
}

async function lookAtForgeToken(service: Api, forge: Forge, found: Notebook): Promise<void> {
  try {
    const me = await service.users.me();
    found.ok(`service account: ${me.login}`);
    if (me.is_admin) {
      found.warning(
        `service account: ${me.login} is a forge admin, but it only needs to read`,
        'Use a regular account that can read the repositories you want updates from.',
      );
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.unsupported) found.note('service account: this server does not report whose token it is');
    else found.warning(`service account: unknown (${error.message})`, 'The token needs read:user.');
  }
  await lookAtForgeScopes(service, forge, found);
}

async function lookAtForgeScopes(service: Api, forge: Forge, found: Notebook): Promise<void> {
  const held = (await forge.capabilities.has('users.currentToken')) ? await scopesOf(service) : undefined;
  if (held === undefined) {
    found.note('token scopes: this server does not report them', `They should be ${serviceScopes.join(', ')}.`);
    return;
  }
  const lacking = lackedScopes(serviceScopes, { scopes: held, closed: [] });
  if (lacking.length > 0) {
    found.failure(
      `token scopes: missing ${lacking.join(', ')}`,
      'Create a token that includes them and set FORGE_TOKEN.',
    );
  } else {
    found.ok(`token scopes: ${held.join(', ')}`);
  }
  const writes = held.filter((scope) => scope === 'all' || scope.startsWith('write:'));
  if (writes.length > 0) {
    found.warning(
      `token scopes: ${writes.join(', ')} can write, but read access is enough`,
      'Create a read-only token.',
    );
  }
}

const scopesOf = async (service: Api): Promise<readonly string[] | undefined> =>
  (await ifAnswered(service.users.currentToken()))?.scopes;

/** One row per command that is not offered, then what only makes answers poorer. */
async function lookAtOperations(forge: Forge, found: Notebook): Promise<void> {
  const known = await Promise.all(operationNames.map((name) => forge.capabilities.has(name)));
  const lacking = operationNames.filter((_, at) => !known[at]);
  if (lacking.length === 0)
    return found.ok(`operations: the server has all ${operationNames.length}, or does not list them`);
  const rows: [what: string, words: string][] = [];
  const needed = new Set<string>();
  for (const { name, needs = [] } of commands) {
    const missing = needs.find((operation) => lacking.includes(operation));
    if (!missing) continue;
    for (const operation of needs) needed.add(operation);
    rows.push([name, await forge.capabilities.remedy(missing)]);
  }
  const offered = rows.length;
  for (const operation of lacking)
    if (!needed.has(operation)) rows.push([operation, await forge.capabilities.remedy(operation)]);
  const here = serverName(await forge.capabilities.server());
  found.note(
    `operations: ${here} lacks ${lacking.length} of ${operationNames.length}`,
    offered === 0
      ? 'Every command still works; some answers show less.'
      : `${offered} of ${commands.length} commands are not offered here.`,
    rows,
  );
}

/** Links and pasted addresses are recognized by host, so it must be the one people see. */
function lookAtLinks(address: string | undefined, forge: Forge, found: Notebook): void {
  const shown = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  const ours = new URL(forge.web).host;
  if (!shown) {
    found.warning('repositories: the service account cannot see any', 'Give it access to those you want updates from.');
  } else if (shown.host === ours) {
    found.ok('links: the forge and Bellows use the same address');
  } else {
    found.warning(
      `links: the forge uses ${shown.host}, Bellows uses ${ours}`,
      `Set FORGE_WEB_URL to the address people use, probably ${shown.origin}.`,
    );
  }
}

function lookAtHook({ forge, publicUrl }: Config, found: Notebook): void {
  if (forge.webhookSecret !== undefined && publicUrl === undefined) {
    found.note(
      'webhook: FORGE_WEBHOOK_SECRET is set, but BELLOWS_PUBLIC_URL is not',
      'Set it so that hook create --wake can register the webhook.',
    );
  }
}

/** Whose data this is, and whether the keys can decrypt it. Read-only. */
async function lookAtData(config: Config, redis: Connection, found: Notebook): Promise<void> {
  const id = await lookAtNamespace(config, redis, found);
  if (id === undefined) return;
  const store = createStore({ redis, forgeId: id, seal: createSeal(config.keys) });
  await lookAtSealed(store, found);
}

async function lookAtNamespace(config: Config, redis: Connection, found: Notebook): Promise<string | undefined> {
  const known = await readNamespace(redis, config.namespace);
  if (!known) {
    found.ok(`namespace: ${config.namespace}, empty until the first start`);
    return undefined;
  }
  if (known.address === addressOf(config.forge.url)) found.ok(`namespace: ${known.name}, for ${known.address}`);
  else found.failure(movedWords(known, config.forge.url), 'bellows namespace accept');
  return known.id;
}

async function lookAtSealed(store: Store, found: Notebook): Promise<void> {
  const { credentials, approvals } = await countUnopened(store);
  if (credentials + approvals === 0) return found.ok('keys: BELLOWS_KEYS can decrypt everything that is stored');
  found.warning(
    `keys: BELLOWS_KEYS cannot decrypt ${credentials} linked accounts and ${approvals} pending approvals`,
    'Add the old key back after the first one. If it is lost, these people have to link again.',
  );
}

const oldest = [6, 2] as const;

async function lookAtRedis(config: Config, found: Notebook): Promise<void> {
  const redis = connect(config.redisUrl, { name: 'bellows-doctor' });
  try {
    await ready(redis, 3_000);
    const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
    const { kind } = readAddress(config.redisUrl);
    found.ok(kind === 'cluster' ? `connected: a cluster of ${nodes.length} masters` : `connected (${kind})`);
    for (const node of nodes) await lookAtNode(node, kind === 'cluster', found);
    await lookAtData(config, redis, found);
  } finally {
    await close(redis);
  }
}

async function lookAtNode(node: Redis, asCluster: boolean, found: Notebook): Promise<void> {
  const info = readInfo(await node.info());
  version(info, found);
  policy(info, found);
  persistence(info, found);
  const isCluster = info.get('cluster_enabled') === '1';
  if (isCluster && !asCluster) {
    found.failure(
      'this Redis is part of a cluster, but REDIS_URL names a single server',
      'Set REDIS_URL to redis+cluster://host:port,host:port.',
    );
  }
  if (info.get('role') === 'slave') {
    found.failure(
      'this Redis is a read-only replica',
      'Point REDIS_URL at the primary, or use redis+sentinel://…/name.',
    );
  }
}

function readInfo(text: string): ReadonlyMap<string, string> {
  const pairs = [...text.matchAll(/^([a-z0-9_]+):(.*?)\r?$/gm)];
  return new Map(pairs.map(([, name = '', value = '']) => [name, value]));
}

function version(info: ReadonlyMap<string, string>, found: Notebook): void {
  const text = info.get('redis_version') ?? 'unknown';
  const name = info.get('server_name') === 'valkey' ? `Valkey ${info.get('valkey_version') ?? ''}` : `Redis ${text}`;
  const [major = 0, minor = 0] = text.split('.').map(Number);
  const fits = major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
  if (fits) found.ok(`version: ${name.trim()}`);
  else found.failure(`version: ${name} is too old`, `Use Redis ${oldest.join('.')} or newer, or any Valkey.`);
}

function policy(info: ReadonlyMap<string, string>, found: Notebook): void {
  const kept = info.get('maxmemory_policy');
  if (kept === 'noeviction') found.ok('eviction: noeviction, so nothing is dropped');
  else if (kept === undefined) found.note('eviction: the server does not report it', 'Make sure it is noeviction.');
  else
    found.failure(
      `eviction: ${kept} drops queued work when memory runs out`,
      'Set maxmemory-policy noeviction, and use this Redis for Bellows only.',
    );
  const [used, most] = [Number(info.get('used_memory') ?? 0), Number(info.get('maxmemory') ?? 0)];
  if (most > 0 && used > most * 0.8) {
    found.warning(`memory: ${Math.round((100 * used) / most)}% of maxmemory is used`, 'Raise maxmemory.');
  }
}

function persistence(info: ReadonlyMap<string, string>, found: Notebook): void {
  const aof = info.get('aof_enabled') === '1';
  if (aof && info.get('aof_last_write_status') === 'err') {
    found.failure('persistence: the append-only file cannot be written', 'Check the Redis log and its disk.');
  } else if (aof) {
    found.ok('persistence: append-only file');
  } else if (info.get('rdb_last_bgsave_status') === 'err') {
    found.failure('persistence: the last snapshot failed', 'Check the Redis log and its disk.');
  } else {
    found.warning(
      'persistence: no append-only file, so a Redis crash loses everything since the last snapshot',
      'Set appendonly yes. With appendfsync everysec a crash loses at most a second, with always nothing.',
    );
  }
}

const word = 'Update the app from `bellows manifest` and reinstall it.';

/** Slack shows an app's subscriptions only to its owner: the bot token cannot read them. */
async function lookAtEvents(bot: WebClient, { slack, policy }: Config, found: Notebook): Promise<void> {
  if (slack.configToken === undefined)
    return found.note(
      `events: the bot token cannot show which of these the app subscribes to: ${events.join(', ')}`,
      'Compare the app’s Event Subscriptions with `bellows manifest`, or set SLACK_CONFIG_TOKEN for this check.',
    );
  const subscribed = await subscribedIn(bot, new WebClient(slack.configToken, clientOptions(slack)), found);
  if (!subscribed) return;
  const wanted = policy.workObjects ? [...events, ...workObjectEvents] : events;
  const missing = wanted.filter((event) => !subscribed.includes(event));
  for (const event of missing) found.failure(`events: ${event} is missing; it is needed for ${eventUses[event]}`, word);
  if (missing.length === 0) found.ok('events: all subscribed');
  for (const event of syncEvents)
    if (!subscribed.includes(event))
      found.note(
        `events: ${event} is missing; it is optional and needed for ${eventUses[event]}`,
        'To use it, update the app from `bellows manifest --thread-sync`.',
      );
}

async function subscribedIn(bot: WebClient, owner: WebClient, found: Notebook): Promise<readonly string[] | undefined> {
  try {
    const { bot_id } = await bot.auth.test();
    const about = await bot.bots.info({ ...(bot_id !== undefined && { bot: bot_id }) });
    const { manifest } = await owner.apps.manifest.export({ app_id: about.bot?.app_id ?? '' });
    return manifest?.settings?.event_subscriptions?.bot_events ?? [];
  } catch (error) {
    const says = platformError(error);
    if (says === undefined) throw error;
    found.warning(
      `events: Slack answered ${says}`,
      'Create a new app configuration token on api.slack.com/apps and set SLACK_CONFIG_TOKEN. It expires after 12 hours.',
    );
    return undefined;
  }
}

/** Of 200 channels each. */
const mostPages = 50;

async function lookAtSlack(config: Config, found: Notebook): Promise<void> {
  const client = new WebClient(config.slack.botToken, clientOptions(config.slack));
  const held = await lookAtToken(client, found);
  if (held === undefined) return;
  lookAtScopes(held, config, found);
  await lookAtEvents(client, config, found);
  await lookAtConnection(config, found);
  await lookAtChannels(client, config, found);
  await lookAtGroups(client, config, found);
}

/** The token's scopes, or undefined if it does not work at all. */
async function lookAtToken(client: WebClient, found: Notebook): Promise<readonly string[] | undefined> {
  try {
    const answer = await client.auth.test();
    found.ok(`token: ${answer.user} in ${answer.team}`);
    return answer.response_metadata?.scopes ?? [];
  } catch (error) {
    const word = platformError(error);
    if (word === undefined) {
      const original = property(error, 'original');
      const code = property(original, 'code') ?? property(property(original, 'cause'), 'code');
      found.failure(
        `Could not reach Slack (${typeof code === 'string' ? code : 'no answer'})`,
        'Check that this machine can reach https://slack.com, directly or through its proxy.',
      );
      return undefined;
    }
    found.failure(`token: Slack answered ${word}`, 'Set SLACK_BOT_TOKEN to the app’s Bot User OAuth Token.');
    return undefined;
  }
}

function lookAtScopes(held: readonly string[], config: Config, found: Notebook): void {
  const without = (wanted: object) => Object.entries(wanted).filter(([scope]) => !held.includes(scope));
  const word = 'Update the app from `bellows manifest` and reinstall it.';
  const missing = without(scopes);
  for (const [scope, what] of missing) found.failure(`scopes: ${scope} is missing; it is needed for ${what}`, word);
  if (missing.length === 0) found.ok('scopes: all granted');
  for (const [scope, what] of without(optionalScopes))
    found.note(`scopes: ${scope} is missing; it is optional and needed for ${what}`, word);
  if (!config.policy.matchEmail) return;
  for (const [scope, what] of without(emailScopes))
    found.warning(
      `scopes: ${scope} is missing; it is needed for ${what}`,
      'Update the app from `bellows manifest --match-email` and reinstall it, or turn matchEmail off.',
    );
}

async function lookAtConnection({ slack }: Config, found: Notebook): Promise<void> {
  if (slack.mode.kind === 'http') {
    return found.note(
      'mode: HTTP; Slack must be able to reach this server from outside',
      "Check the app's Event Subscriptions page: the request URL must be verified.",
    );
  }
  const client = new WebClient(slack.mode.appToken, clientOptions(slack));
  try {
    const { url } = await client.apps.connections.open({});
    await hello(url ?? '');
    found.ok('Socket Mode: connected');
  } catch (error) {
    const word = platformError(error) ?? reasonOf(error);
    found.failure(
      `Socket Mode: ${word}`,
      'Turn on Socket Mode, create an app-level token with connections:write, and allow outgoing wss:// connections.',
    );
  }
}

/** Waits for Slack's hello and disconnects at once, so that events go to the running bot. */
async function hello(address: string): Promise<void> {
  const socket = new WebSocket(address);
  try {
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('Slack did not say hello within 5 s')), 5_000);
      const end = (once: () => void) => () => {
        clearTimeout(late);
        once();
      };
      socket.addEventListener('message', end(resolve), { once: true });
      socket.addEventListener(
        'error',
        end(() => reject(new Error('the connection could not be opened'))),
      );
    });
  } finally {
    socket.close();
  }
}

async function lookAtChannels(client: WebClient, { policy }: Config, found: Notebook): Promise<void> {
  const ask = (from: { cursor?: string }) =>
    client.users.conversations({
      types: 'public_channel,private_channel',
      exclude_archived: true,
      limit: 200,
      ...from,
    });
  const inside = new Map<string | undefined, string>();
  for await (const { channels } of pagesOf(ask, mostPages))
    for (const { id, name = '' } of channels ?? []) inside.set(id, `#${name}`);
  const names = [...inside.values()];
  if (names.length === 0) found.warning('channels: the bot is not in any', 'In a channel, type: /invite @Bellows');
  else found.ok(`channels: in ${names.length}: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`);
  const wanted = policiesIn(policy).flatMap(({ channel }) => channel ?? []);
  for (const [at, { channel }] of policy.queues.entries())
    if (channel !== undefined && !inside.has(channel))
      found.failure(
        `channels: the card of queues.${at} goes to ${channel}, but the bot is not in that channel`,
        'Invite it there, or fix bellows.yaml.',
      );
  for (const channel of new Set(wanted.filter((id) => !inside.has(id)))) {
    found.failure(
      `channels: approvals go to ${channel}, but the bot is not in that channel`,
      'Invite it there, or fix bellows.yaml.',
    );
  }
}

async function lookAtGroups(client: WebClient, { policy }: Config, found: Notebook): Promise<void> {
  const { admin, maintainer } = policy.roles;
  const glass = Object.values(policy.deployments).map(({ breakGlass }) => breakGlass);
  const named = [admin, maintainer, ...namedIn(policy), ...glass].flatMap((each) => each?.groups ?? []);
  for (const group of new Set([...named, ...Object.values(policy.teams)])) {
    try {
      await client.usergroups.users.list({ usergroup: group });
    } catch (error) {
      const word = platformError(error) ?? 'no answer';
      found.failure(`user groups: ${group} cannot be read (${word})`, 'Fix the id in bellows.yaml.');
    }
  }
  if (!admin) found.note('roles: nobody is an admin', 'For admin commands, name admins under roles in bellows.yaml.');
}

/** 0: everything needed works. 1: something must be fixed first. */
export async function run({ json }: { readonly json?: boolean }): Promise<number> {
  const findings = await examine(process.env);
  const ok = !findings.some(({ level }) => level === 'failure');
  console.log(json ? JSON.stringify({ ok, findings }, null, 2) : report(findings));
  return ok ? 0 : 1;
}

type Env = Readonly<Record<string, string | undefined>>;

/** @internal Tested on its own. */
export async function examine(env: Env): Promise<readonly Finding[]> {
  const found = notebook('config');
  const { config, skipped } = readAsFarAsPossible(env, found);
  const look = (area: Area, remedy: string, at: (found: Notebook) => Promise<void>) =>
    skipped.has(area) ? [] : [examineArea(area, remedy, at)];
  const looks = [
    ...look('redis', 'Check REDIS_URL and that Redis is running.', (notes) => lookAtRedis(config, notes)),
    ...look(
      'forge',
      `Check ${config.forge.proxy ? 'FORGE_PROXY, ' : ''}FORGE_URL and that this machine can reach it.`,
      (notes) => lookAtForge(config, notes),
    ),
    ...look('slack', 'Check the tokens and that this machine can reach Slack.', (notes) => lookAtSlack(config, notes)),
  ];
  return [...found.findings, ...(await Promise.all(looks)).flat()];
}

/** Which area a setting belongs to; the others can be checked without it. */
const areaOf = (setting: string): Area | undefined => {
  if (setting.startsWith('SLACK_')) return 'slack';
  if (setting.startsWith('FORGE_')) return 'forge';
  return ['REDIS_URL', 'BELLOWS_KEYS', 'BELLOWS_NAMESPACE'].includes(setting) ? 'redis' : undefined;
};

/** Used in place of settings that are wrong or missing; what would need them is not checked. */
const standIns = {
  SLACK_BOT_TOKEN: 'xoxb-0',
  SLACK_APP_TOKEN: 'xapp-0',
  FORGE_URL: 'https://forge.invalid',
  FORGE_TOKEN: '0',
  REDIS_URL: 'redis://127.0.0.1:6379',
};

function readAsFarAsPossible(env: Env, found: Notebook): { config: Config; skipped: ReadonlySet<Area> } {
  try {
    const config = readSettings(env);
    found.ok(`complete: ${config.slack.mode.kind === 'socket' ? 'Socket Mode' : 'HTTP mode'}, ${config.command}`);
    return { config, skipped: new Set() };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) {
      const [says = problem, remedy] = problem.split('; ', 2);
      found.failure(says, remedy ?? 'Fix it and run bellows doctor again.');
    }
    const wrong = error.problems.map((problem) => /^[A-Z_]+(?=:)/.exec(problem)?.[0] ?? 'BELLOWS_CONFIG');
    const skipped = new Set(wrong.flatMap((setting) => areaOf(setting) ?? []));
    if (skipped.size > 0) found.note(`not checked: ${[...skipped].join(', ')}`, 'Fix the settings first.');
    const right = Object.fromEntries(Object.entries(env).filter(([name]) => !wrong.includes(name)));
    const key = `doctor:${randomBytes(32).toString('base64')}`;
    const policy = wrong.includes('BELLOWS_CONFIG') ? { BELLOWS_CONFIG: devNull } : {};
    const mode = right['SLACK_SIGNING_SECRET'] ? { SLACK_APP_TOKEN: undefined } : {};
    return { config: readSettings({ BELLOWS_KEYS: key, ...standIns, ...mode, ...right, ...policy }), skipped };
  }
}
