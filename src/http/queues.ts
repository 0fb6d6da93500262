import { createHash, timingSafeEqual } from 'node:crypto';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { HonoAdapter } from '@bull-board/hono';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Queue } from 'bullmq';
import type { Hono } from 'hono';
import { redactedNames } from '../log.js';

export interface QueuesOptions {
  readonly queues: readonly Queue[];
  readonly password: string;
}

const path = '/queues';

/** Bull Board, to look only: accepted work is repeated by its own rules, never by hand. */
export function mountQueues(app: Hono, { queues, password }: QueuesOptions): void {
  const adapter = new HonoAdapter(serveStatic).setBasePath(path);
  createBullBoard({ queues: queues.map(shown), serverAdapter: adapter });
  const guard: Parameters<Hono['use']>[1] = async (context, next) => {
    if (isAllowed(context.req.header('authorization'), password)) return next();
    return context.text('Give any name and BELLOWS_QUEUES_PASSWORD.\n', 401, {
      'www-authenticate': 'Basic realm="bellows queues", charset="UTF-8"',
    });
  };
  app.use(path, guard);
  app.use(`${path}/*`, guard);
  app.route(path, adapter.registerPlugin());
}

function shown(queue: Queue): BullMQAdapter {
  const adapter = new BullMQAdapter(queue, { readOnlyMode: true });
  adapter.setFormatter('data', hidden);
  return adapter;
}

const secrets: ReadonlySet<string> = new Set([...redactedNames, 'sealed']);

/** Whoever holds a response_url can answer in our name, so the board does not show it. */
function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, secrets.has(name) ? '[hidden]' : hidden(each)]),
  );
}

/** Hashed first: equal lengths compare in constant time, whatever was given. */
function isAllowed(header: string | undefined, password: string): boolean {
  const [, encoded] = /^basic\s+(\S+)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return false;
  const login = Buffer.from(encoded, 'base64').toString();
  const given = login.slice(login.indexOf(':') + 1);
  return timingSafeEqual(digest(given), digest(password));
}

const digest = (text: string) => createHash('sha256').update(text).digest();
