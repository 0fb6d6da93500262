import { getConnInfo } from '@hono/node-server/conninfo';
import type { Hono } from 'hono';
import { type Log, warnSeldom } from '../log.js';
import { parseBody } from './server.js';

export interface McpOptions {
  readonly log: Log;
  /** Where people reach Bellows: requests from pages of other origins are refused. */
  readonly publicUrl: string | undefined;
  /** Why agents are turned off; undefined if they are on. */
  readonly off: string | undefined;
  /** The handler for this token's holder; undefined if it is not a token. */
  open(token: string): Promise<((request: Request, body: unknown) => Promise<Response>) | undefined>;
}

/** Agents over streamable HTTP, without sessions: each request carries its token. */
export function mountMcp(app: Hono, { log, publicUrl, off, open }: McpOptions): void {
  const home = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  app.all('/mcp', async (context) => {
    const origin = context.req.header('origin');
    if (origin !== undefined && origin !== home) return context.text('wrong origin\n', 403);
    if (off !== undefined) return context.text(`${off}\n`, 403);
    if (context.req.method !== 'POST') return context.text('use POST\n', 405, { allow: 'POST' });
    const [, token] = /^bearer\s+(\S{1,200})$/i.exec(context.req.header('authorization') ?? '') ?? [];
    const answer = token === undefined ? undefined : await open(token).catch(() => 'away' as const);
    if (answer === 'away') return context.text('Bellows cannot answer now. Try again in a minute.\n', 503);
    if (!answer) {
      const from = getConnInfo(context).remote.address ?? 'unknown';
      if (token !== undefined) warnSeldom(log, 'agent token', { from }, 'refused an agent token');
      return context.text('Send a valid agent token as a bearer token.\n', 401, {
        'www-authenticate': 'Bearer realm="bellows"',
      });
    }
    return answer(context.req.raw, parseBody(Buffer.from(await context.req.arrayBuffer())));
  });
}
