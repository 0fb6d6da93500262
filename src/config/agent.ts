import { z } from 'zod';
import { ConfigError } from '../errors.js';

/** Where Bellows runs, and the agent's token. */
export interface AgentSettings {
  readonly url: URL;
  readonly token: string;
}

const token = z
  .string()
  .trim()
  .regex(/^bwa_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
const address = z
  .string()
  .regex(/^https?:\/\/\S+$/i)
  .refine(URL.canParse);
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The token would cross the network in clear. */
const isPlain = ({ protocol, hostname }: URL) => protocol === 'http:' && !loopback.test(hostname);

type Env = Readonly<Record<string, string | undefined>>;

/** What `bellows mcp` needs: neither Redis nor keys, so that it runs on anyone's machine. */
export function readAgentSettings(env: Env, given?: string): AgentSettings {
  const local = `http://127.0.0.1:${env['PORT'] || 3000}`;
  const where = address.safeParse(given ?? (env['BELLOWS_PUBLIC_URL'] || local));
  const key = token.safeParse(env['BELLOWS_AGENT_TOKEN']);
  const url = where.success ? new URL(`${where.data.replace(/\/+$/, '').replace(/\/mcp$/, '')}/mcp`) : undefined;
  const problems = [
    ...(url && isPlain(url) ? ['--url: must start with https://, so that nobody on the way can read the token'] : []),
    ...(where.success ? [] : ['--url: must be the address of Bellows, for example https://bellows.example.org']),
    ...(key.success ? [] : ['BELLOWS_AGENT_TOKEN: set it to the token from /forge agents add; it starts with bwa_']),
  ];
  if (!url || !key.success || problems.length > 0) throw new ConfigError(problems);
  return { url, token: key.data };
}
