import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { type KnownCommand, type PolicyFile, readPolicyFile } from './config/file.js';
import { ConfigError } from './errors.js';
import { nearest } from './nearest.js';

const optional = (schema: z.ZodType<string>) => schema.optional();
const nonEmpty = z.string().trim().min(1);

/** The id is the date and some random letters: a key that replaces a lost one never reuses its name. */
export const makeKey = 'echo "k$(date +%Y%m%d)-$(openssl rand -hex 2):$(openssl rand -base64 32)"';

const pairsOf = (text: string) => text.split(',').map((pair) => pair.trim());

const sealKeys = nonEmpty
  .refine((text) => pairsOf(text).every((pair) => /^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/]{43}=$/.test(pair)), {
    error: `must be id:key pairs separated by commas, each key 32 bytes in base64; create one with: ${makeKey}`,
    abort: true,
  })
  .refine(
    (text) => pairsOf(text).every((pair) => new Set(Buffer.from(pair.split(':')[1] ?? '', 'base64')).size > 8),
    `contains a key that anyone can guess; create one with: ${makeKey}`,
  );

const httpUrl = nonEmpty.refine((text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === ''
  );
}, 'must be an address as shown in the browser, with http:// or https://, for example https://git.example.org');

const redisUrl = nonEmpty.refine(
  (text) => /^rediss?(\+(sentinel|cluster))?:\/\//.test(text),
  'must be redis://host:6379, rediss://…, redis+sentinel://host:26379,…/name or redis+cluster://host:6379,…',
);

const host = nonEmpty.refine(
  (text) => isIP(text) > 0 || /^(?!\d+(?:\.\d+)*$)[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(text),
  'must be an address to listen on, such as 127.0.0.1 or 0.0.0.0',
);

const port = z.coerce.number('must be a port number from 0 to 65535').int().min(0).max(65_535);

/** The name of the slash command, in the settings and in the manifest. */
export const slashCommand = z
  .string()
  .trim()
  .regex(/^\/[a-z0-9_-]{1,31}$/, 'must be a slash and up to 31 lowercase letters, digits, - or _');

const namespace = z
  .string()
  .trim()
  .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'must be up to 31 lowercase letters, digits and -, for example main');

const Environment = z.object({
  SLACK_BOT_TOKEN: optional(nonEmpty.regex(/^xoxb-/, 'must start with xoxb-; use the bot token of your Slack app')),
  SLACK_APP_TOKEN: optional(
    nonEmpty.regex(/^xapp-/, 'must start with xapp-; use an app-level token with connections:write'),
  ),
  SLACK_SIGNING_SECRET: optional(
    nonEmpty.min(16, 'is too short; copy the Signing Secret under Basic Information of your Slack app'),
  ),
  SLACK_CONFIG_TOKEN: optional(nonEmpty.regex(/^xoxe\./, 'must start with xoxe.; use an app configuration token')),
  SLACK_API_URL: optional(httpUrl),
  FORGE_URL: optional(httpUrl),
  FORGE_WEB_URL: optional(httpUrl),
  FORGE_TOKEN: optional(nonEmpty),
  FORGE_OAUTH_CLIENT_ID: optional(nonEmpty),
  FORGE_OAUTH_CLIENT_SECRET: optional(nonEmpty),
  FORGE_WEBHOOK_SECRET: optional(nonEmpty.min(16, 'use at least 16 characters')),
  FORGE_CA_FILE: optional(nonEmpty),
  FORGE_PROXY: optional(httpUrl),
  REDIS_URL: optional(redisUrl),
  BELLOWS_KEYS: optional(sealKeys),
  BELLOWS_CONFIG: nonEmpty.default('bellows.yaml'),
  BELLOWS_COMMAND: slashCommand.default('/forge'),
  BELLOWS_PUBLIC_URL: optional(httpUrl),
  BELLOWS_NAMESPACE: namespace.default('main'),
  BELLOWS_QUEUES_PASSWORD: optional(nonEmpty.min(12, 'use at least 12 characters')),
  HOST: host.default('127.0.0.1'),
  PORT: port.default(3000),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be fatal, error, warn, info, debug, trace or silent',
    )
    .default('info'),
});
type Environment = z.infer<typeof Environment>;

const names = Object.keys(Environment.shape);

/** Our variables as given. An empty one counts as absent, as in .env templates; secret files end with a newline. */
function givenIn(env: Readonly<Record<string, string | undefined>>): Partial<Record<string, string>> {
  return Object.fromEntries(names.flatMap((name) => (env[name]?.trim() ? [[name, env[name].trim()]] : [])));
}

/** Settings under a name that is almost one of ours: left alone, the one that was meant would be missing in silence. */
function misspelledIn(env: Readonly<Record<string, string | undefined>>): string[] {
  const others = Object.keys(env).filter(
    (name) => /^(?:BELLOWS|FORGE|SLACK)_/.test(name) && !names.includes(name) && name !== 'BELLOWS_AGENT_TOKEN',
  );
  return others.flatMap((name) => {
    const near = nearest(
      name,
      names.map((each) => each.toLowerCase()),
    )?.toUpperCase();
    return near === undefined || env[near]?.trim() ? [] : [`${name}: is not a setting; did you mean ${near}?`];
  });
}

export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const read = Environment.safeParse(givenIn(env));
  if (read.success) return read.data;
  throw new ConfigError(read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}

export type { ApprovalPolicy, ApprovalRule, PolicyFile } from './config/file.js';
export {
  type Deployment,
  type FreezeWindow,
  mergeStyles,
  type QueueSettings,
  queueSettings,
} from './config/file.js';

/** How events arrive: Socket Mode needs no inbound port, HTTP mode needs a signing secret. */
type SlackMode =
  | { readonly kind: 'socket'; readonly appToken: string }
  | { readonly kind: 'http'; readonly signingSecret: string };

export interface Config {
  readonly slack: {
    readonly botToken: string;
    readonly mode: SlackMode;
    readonly apiUrl: string | undefined;
    /** Reads the app's own settings; only `doctor` uses it. */
    readonly configToken?: string | undefined;
  };
  readonly forge: {
    readonly url: string;
    readonly webUrl: string | undefined;
    readonly token: string;
    readonly webhookSecret: string | undefined;
    /** Bellows' registration at the forge as an OAuth application; people then sign in there. */
    readonly oauth: { readonly clientId: string; readonly clientSecret: string | undefined } | undefined;
    readonly ca: string | undefined;
    readonly proxy: string | undefined;
  };
  readonly redisUrl: string;
  readonly keys: string;
  /** Names the data in Redis; the forge's address may change, this does not. */
  readonly namespace: string;
  readonly command: string;
  readonly publicUrl: string | undefined;
  readonly queuesPassword: string | undefined;
  readonly http: { readonly host: string; readonly port: number };
  readonly logLevel: Environment['LOG_LEVEL'];
  readonly policy: PolicyFile;
}

/** Where the forge sends browsers back to; must match the registered address exactly. */
export const callbackUrl = (publicUrl: string): string => `${publicUrl.replace(/\/+$/, '')}/oauth/callback`;

/** For the forge client; absent where people sign in by token. */
export function oauthOf({ forge, publicUrl }: Config) {
  return forge.oauth && publicUrl !== undefined ? { ...forge.oauth, redirectUri: callbackUrl(publicUrl) } : undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Neither Slack nor forge settings: the sandbox. Some but not all: an error, never a guess. */
export function isBare(env: Env): boolean {
  return (
    !env['SLACK_BOT_TOKEN'] &&
    !env['SLACK_APP_TOKEN'] &&
    !env['SLACK_SIGNING_SECRET'] &&
    !env['FORGE_URL'] &&
    !env['FORGE_TOKEN']
  );
}

/** Nothing configured, and not in production, where that would be a mistake to report. */
export const wantsSandbox = (env: Env): boolean => isBare(env) && env['NODE_ENV'] !== 'production';

const wanted: Readonly<Record<string, string>> = {
  SLACK_BOT_TOKEN: 'set it to the bot token of your Slack app (xoxb-…)',
  FORGE_URL: 'set it to the address of your forge as shown in the browser',
  FORGE_TOKEN: "set it to an access token of the bot's service account",
  REDIS_URL: 'set it to the address of Redis, for example redis://127.0.0.1:6379',
  BELLOWS_KEYS: `set it to id:key, created with: ${makeKey}`,
};

/** Reports every wrong or missing variable at once. */
export function readConfig(raw: Env, commands?: readonly KnownCommand[]): Config {
  const env = givenIn(raw);
  const problems: string[] = [...misspelledIn(raw)];
  const collect = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };
  const need = (name: keyof Environment & string): string => {
    const value = env[name];
    if (!value) problems.push(`${name}: missing; ${wanted[name]}`);
    return value ?? '';
  };
  const read = collect(() => readEnvironment(env));
  const policy = collect(() => readPolicyFile(policyText(env), env['BELLOWS_CONFIG'] || 'bellows.yaml', commands));
  const botToken = need('SLACK_BOT_TOKEN');
  const forgeUrl = need('FORGE_URL');
  const forgeToken = need('FORGE_TOKEN');
  const redisUrl = need('REDIS_URL');
  const keys = need('BELLOWS_KEYS');
  const mode = slackMode(env);
  if (!mode) problems.push('SLACK_APP_TOKEN: missing; set it for Socket Mode, or SLACK_SIGNING_SECRET for HTTP mode');
  if (env['SLACK_APP_TOKEN'] && env['SLACK_SIGNING_SECRET'])
    problems.push('SLACK_SIGNING_SECRET: is for HTTP mode, SLACK_APP_TOKEN for Socket Mode; remove one of them');
  const ca = env['FORGE_CA_FILE'] ? collect(() => certificates(env['FORGE_CA_FILE'] ?? '')) : undefined;
  if (env['FORGE_OAUTH_CLIENT_SECRET'] && !env['FORGE_OAUTH_CLIENT_ID'])
    problems.push('FORGE_OAUTH_CLIENT_ID: missing; set it to the client id that belongs to FORGE_OAUTH_CLIENT_SECRET');
  if (env['FORGE_OAUTH_CLIENT_ID'] && !env['BELLOWS_PUBLIC_URL'])
    problems.push('BELLOWS_PUBLIC_URL: missing; browsers return to it after people sign in with the forge');
  if (problems.length > 0 || !read || !policy || !mode) throw new ConfigError([...new Set(problems)].sort());
  return {
    slack: { botToken, mode, apiUrl: read.SLACK_API_URL, configToken: read.SLACK_CONFIG_TOKEN },
    forge: {
      url: forgeUrl,
      webUrl: read.FORGE_WEB_URL,
      token: forgeToken,
      webhookSecret: read.FORGE_WEBHOOK_SECRET,
      oauth: oauthIn(read),
      ca,
      proxy: read.FORGE_PROXY,
    },
    redisUrl,
    keys,
    namespace: read.BELLOWS_NAMESPACE,
    command: read.BELLOWS_COMMAND,
    publicUrl: read.BELLOWS_PUBLIC_URL,
    queuesPassword: read.BELLOWS_QUEUES_PASSWORD,
    http: { host: read.HOST, port: read.PORT },
    logLevel: read.LOG_LEVEL,
    policy,
  };
}

function oauthIn(read: Environment): Config['forge']['oauth'] {
  const { FORGE_OAUTH_CLIENT_ID: clientId, FORGE_OAUTH_CLIENT_SECRET: clientSecret } = read;
  return clientId === undefined ? undefined : { clientId, clientSecret };
}

function slackMode(env: Env): SlackMode | undefined {
  if (env['SLACK_APP_TOKEN']) return { kind: 'socket', appToken: env['SLACK_APP_TOKEN'] };
  if (env['SLACK_SIGNING_SECRET']) return { kind: 'http', signingSecret: env['SLACK_SIGNING_SECRET'] };
  return undefined;
}

function policyText(env: Env): string {
  const path = env['BELLOWS_CONFIG'] || 'bellows.yaml';
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (env['BELLOWS_CONFIG'])
      throw new ConfigError([`BELLOWS_CONFIG: cannot read ${path}; check the path and its permissions`]);
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    // unread, its approvals would not apply
    throw new ConfigError([`${path}: cannot be read; make it a file that Bellows may read, or remove it`]);
  }
}

export function certificates(path: string): string {
  try {
    const text = readFileSync(path, 'utf8');
    new X509Certificate(text);
    return text;
  } catch (error) {
    const what = error instanceof Error && 'syscall' in error ? 'cannot read' : 'there is no certificate in';
    throw new ConfigError([`FORGE_CA_FILE: ${what} ${path}; set it to the path of a PEM file`]);
  }
}
