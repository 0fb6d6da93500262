import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Log } from '../log.js';
import { peopleIn } from './hook-people.js';

export interface HookOptions {
  /** FORGE_WEBHOOK_SECRET, as the hook at the forge has it. */
  readonly secret: string;
  readonly log: Log;
  /** Something moved in this repository, for these logins above all: look at once. Polling stays the truth. */
  wake(repoId: number, ownerId: number | undefined, people: readonly string[]): Promise<void>;
}

const mostBytes = 4_000_000;

/** Only which repository moved and whom it names is read; what happened is asked of the forge itself. */
const id = z.int().min(1);
const Repository = z.object({ id, owner: z.object({ id }).optional() });
/** Of the end of a run only the run says where it happened. */
const Payload = z.object({
  repository: Repository.optional(),
  run: z.object({ repository: Repository.optional() }).optional(),
});
/** The same value under both; a server may send one of them only. */
const signatures = ['x-forgejo-signature', 'x-gitea-signature'];

export function mountHook(app: Hono, { secret, log, wake }: HookOptions): void {
  app.post('/hooks/forge', async (context) => {
    const body = await bounded(context, mostBytes);
    if (body === undefined) {
      log.warn({ from: eventOf(context) }, 'refused a hook: too large');
      return cutOff(context);
    }
    const given = signatures.flatMap((name) => context.req.header(name) ?? [])[0];
    if (!isSigned(body, given, secret)) {
      log.warn({ from: eventOf(context) }, 'refused a hook: wrong signature');
      return context.text('wrong signature\n', 401);
    }
    const payload = parsed(body);
    const read = Payload.safeParse(payload);
    if (!read.success) return context.text('not understood\n', 400);
    const repository = read.data.repository ?? read.data.run?.repository;
    if (repository) await wake(repository.id, repository.owner?.id, peopleIn(payload));
    return context.body(null, 204);
  });
}

const eventOf = ({ req }: Context) =>
  (req.header('x-forgejo-event-type') ?? req.header('x-gitea-event-type'))?.slice(0, 40);

/** Constant-time, over the raw body as it came. */
function isSigned(body: Buffer, given: string | undefined, secret: string): boolean {
  if (given === undefined || !/^[0-9a-f]{64}$/i.test(given)) return false;
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(given, 'hex'));
}

/** What is too large is not read to its end: once the answer is out, the connection ends. */
function cutOff(context: Context): Response {
  // Whoever mounts this serves it by @hono/node-server, which hands over both sides.
  const { incoming, outgoing } = context.env as HttpBindings;
  outgoing.once('finish', () => incoming.destroy());
  return context.text('too large\n', 413, { connection: 'close' });
}

/** Undefined as soon as more comes than is taken; nothing larger is ever held. */
async function bounded(context: Context, most: number): Promise<Buffer | undefined> {
  if (Number(context.req.header('content-length') ?? 0) > most) return undefined;
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of context.req.raw.body ?? []) {
    size += part.byteLength;
    if (size > most) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
