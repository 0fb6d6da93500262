import { readFileSync } from 'node:fs';
import { type Flavor, type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { request } from 'undici';

export interface Exchange {
  readonly note: string;
  readonly as_user: string | null;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: unknown;
}

export const password = 'password1';

export function recording(name: string): readonly Exchange[] {
  return JSON.parse(readFileSync(`test/recordings/${name}.json`, 'utf8'));
}

/** A forge with only the admin the recordings started with. */
export const bareForge = (flavor: Flavor, clock: () => number = Date.now): Promise<SandboxForge> =>
  startForge({
    flavor,
    clock,
    seed: (_state, world) => {
      world.createUser({ login: 'root1', admin: true, password, email: 'root1@example.org' });
    },
  });

/** Keys, types and nulls; an array's shape is that of all its elements together. */
function shapeOf(value: unknown, at = '$', lines = new Set<string>()): Set<string> {
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  lines.add(`${at}: ${type}`);
  if (Array.isArray(value)) for (const each of value) shapeOf(each, `${at}[]`, lines);
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) shapeOf(each, `${at}.${key}`, lines);
  return lines;
}

export function shapeDifference(real: unknown, ours: unknown): string[] {
  const wanted = shapeOf(real);
  const given = shapeOf(ours);
  return [
    ...[...wanted].filter((line) => !given.has(line)).map((line) => `missing ${line}`),
    ...[...given].filter((line) => !wanted.has(line)).map((line) => `too much ${line}`),
  ];
}

export interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly answer: unknown;
}

export async function send(
  address: string,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  options: { readonly as?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Sent> {
  const { statusCode, headers, body } = await request(address, {
    method,
    headers: {
      ...(options.as === undefined ? {} : { authorization: `Basic ${Buffer.from(options.as).toString('base64')}` }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const text = await body.text();
  const isJson = String(headers['content-type'] ?? '').includes('json');
  return { status: statusCode, headers, answer: text === '' ? null : isJson ? JSON.parse(text) : { __raw: text } };
}
