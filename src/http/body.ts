import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Too large a body is not read to its end: after the answer, the connection is closed. */
export function cutOff(context: Context): Response {
  // Served by @hono/node-server, which provides both sides.
  const { incoming, outgoing } = context.env as HttpBindings;
  outgoing.once('finish', () => incoming.destroy());
  return context.text('too large\n', 413, { connection: 'close' });
}

/** Undefined as soon as there is too much; nothing larger is ever buffered. */
export async function bounded(context: Context, most: number): Promise<Buffer | undefined> {
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

export function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
