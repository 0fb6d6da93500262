import { ConfigError } from '../errors.js';

interface Node {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly username?: string;
  readonly password?: string;
  readonly tls: boolean;
}

export type Address =
  | (Login & { readonly kind: 'single'; readonly nodes: readonly [Node]; readonly db: number })
  | (Login & { readonly kind: 'cluster'; readonly nodes: readonly [Node, ...Node[]] })
  | (Login & {
      readonly kind: 'sentinel';
      readonly nodes: readonly [Node, ...Node[]];
      readonly master: string;
      readonly db: number;
    });

const shapes = [
  'REDIS_URL must be one of redis://host:6379/0, rediss://user:password@host:6379,',
  'redis+sentinel://host:26379,host:26379/master-name or redis+cluster://host:7000,host:7001.',
].join(' ');

// never quotes the text: it may contain a password
const refuse = (why: string): never => {
  throw new ConfigError([`${shapes} ${why}`]);
};

/** Parses REDIS_URL, which may contain several hosts, so URL cannot do it. */
export function readAddress(text: string): Address {
  const match = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:(.*)@)?([^@/?]+)(?:\/([^?]*))?$/.exec(text.trim());
  if (!match) return refuse('The current value matches none of these.');
  const [, scheme, kind, login, hosts = '', path = ''] = match;
  const tls = scheme === 'rediss';
  const [first, ...others] = hosts.split(',').map((host) => readNode(host, kind === 'sentinel' ? 26379 : 6379));
  if (!first) return refuse('No host is named.');
  const who = { ...readLogin(login), tls };
  const parts = path.split('/').filter((part) => part !== '');
  if (kind === 'cluster') {
    if (parts.length > 0) refuse('A cluster has no database number.');
    return { kind, ...who, nodes: [first, ...others] };
  }
  if (kind === 'sentinel') {
    const master = parts[0] ?? refuse("The path must be the master's name.");
    return { kind, ...who, nodes: [first, ...others], master, db: readDb(parts[1]) };
  }
  if (others.length > 0) refuse('Several hosts need redis+sentinel:// or redis+cluster://.');
  return { kind: 'single', ...who, nodes: [first], db: readDb(parts[0]) };
}

function readNode(text: string, usual: number): Node {
  const match = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? refuse('A host is written as name:port.');
  return { host: host.replace(/^\[|\]$/g, ''), port: match?.[2] ? Number(match[2]) : usual };
}

function readLogin(text: string | undefined): { username?: string; password?: string } {
  if (!text) return {};
  const colon = text.indexOf(':');
  if (colon < 0) return { username: decodeURIComponent(text) };
  const username = decodeURIComponent(text.slice(0, colon));
  const password = decodeURIComponent(text.slice(colon + 1));
  return username === '' ? { password } : { username, password };
}

function readDb(text: string | undefined): number {
  if (text === undefined) return 0;
  return /^\d{1,3}$/.test(text) ? Number(text) : refuse('The database is a number.');
}
