import { createHash, timingSafeEqual } from 'node:crypto';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { HonoAdapter } from '@bull-board/hono';
import { getConnInfo } from '@hono/node-server/conninfo';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Queue } from 'bullmq';
import type { Hono } from 'hono';
import { LRUCache } from 'lru-cache';
import { type Log, redactedNames } from '../log.js';

export interface QueuesOptions {
  readonly queues: readonly Queue[];
  readonly password: string;
  readonly log: Log;
  readonly now?: () => number;
}

const path = '/queues';
/** After this many wrong passwords, each further one doubles the wait. */
const freeTries = 3;
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
const forgottenAfterMs = 15 * 60_000;

/** Bull Board, read-only: accepted work is retried by its own rules, never manually. */
export function mountQueues(app: Hono, { queues, password, log, now = Date.now }: QueuesOptions): void {
  const adapter = new HonoAdapter(serveStatic).setBasePath(path);
  createBullBoard({ queues: queues.map(adaptQueue), serverAdapter: adapter });
  const guard: Parameters<Hono['use']>[1] = async (context, next) => {
    // No password is compared during the wait: a quick answer would reveal the right one.
    const from = getConnInfo(context).remote.address ?? 'unknown';
    const wait = (guesses.get(from)?.until ?? 0) - now();
    if (wait > 0)
      return context.text('Too many wrong passwords.\n', 429, { 'retry-after': `${Math.ceil(wait / 1_000)}` });
    const given = passwordIn(context.req.header('authorization'));
    if (given !== undefined && timingSafeEqual(digest(given), digest(password))) return next();
    if (given !== undefined) wrong(from);
    return context.text('Give any name and BELLOWS_QUEUES_PASSWORD.\n', 401, {
      'www-authenticate': 'Basic realm="bellows queues", charset="UTF-8"',
    });
  };
  const guesses = new LRUCache<string, { tries: number; until: number }>({ max: 1_000 });
  const wrong = (from: string): void => {
    const before = guesses.get(from);
    const tries = before && now() < before.until + forgottenAfterMs ? before.tries + 1 : 1;
    const waitMs = tries < freeTries ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (tries - freeTries));
    guesses.set(from, { tries, until: now() + waitMs });
    log.warn({ from, tries, waitMs }, 'wrong password for the queue board');
  };
  app.use(`${path}/*`, guard, ownHostOnly);
  app.route(path, adapter.registerPlugin());
}

/** The board's page loads fonts from another host; here it may only contact us. */
const ownHostOnly: Parameters<Hono['use']>[1] = async (context, next) => {
  await next();
  context.header('content-security-policy', policy);
  if (!context.res.headers.get('content-type')?.startsWith('text/html')) return;
  const { status, headers } = context.res;
  const page = (await context.res.text()).replace(/<link[^>]*href="https?:[^>]*>/g, '');
  headers.delete('content-length');
  context.res = new Response(page, { status, headers });
};
const policy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

function adaptQueue(queue: Queue): BullMQAdapter {
  const adapter = new BullMQAdapter(queue, { readOnlyMode: true });
  adapter.setFormatter('data', hideSecrets);
  return adapter;
}

const secrets: ReadonlySet<string> = new Set([...redactedNames, 'sealed']);

/** Anyone with a response_url can answer as Bellows, so the board does not show it. */
function hideSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, secrets.has(name) ? '[hidden]' : hideSecrets(each)]),
  );
}

function passwordIn(header: string | undefined): string | undefined {
  const [, encoded] = /^basic\s+(\S+)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const login = Buffer.from(encoded, 'base64').toString();
  return login.slice(login.indexOf(':') + 1);
}

/** Hashed first: equal lengths compare in constant time, whatever was given. */
const digest = (text: string) => createHash('sha256').update(text).digest();
