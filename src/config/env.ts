import { isIP } from 'node:net';
import { z } from 'zod';
import { ConfigError } from '../errors.js';
import { nearest } from '../nearest.js';

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
export type Environment = z.infer<typeof Environment>;

const names = Object.keys(Environment.shape);

/** Our variables as given. An empty one counts as absent, as in .env templates; secret files end with a newline. */
export function givenIn(env: Readonly<Record<string, string | undefined>>): Partial<Record<string, string>> {
  return Object.fromEntries(names.flatMap((name) => (env[name]?.trim() ? [[name, env[name].trim()]] : [])));
}

/** Settings under a name that is almost one of ours: left alone, the one that was meant would be missing in silence. */
export function misspelledIn(env: Readonly<Record<string, string | undefined>>): string[] {
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
