import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much each path takes; nothing else expects a body. */
const mostBytes: Readonly<Record<string, number>> = {
  '/slack/events': 1_000_000,
  '/hooks/forge': 4_000_000,
  // a long comment with some margin
  '/mcp': 200_000,
};
const mostElsewhere = 16_000;
/** For all bodies together that nobody has verified yet. */
const budgetBytes = 32_000_000;

interface Upload {
  held: number;
  end(status: number, reason: string): void;
}

/** Reads bodies before anything handles their requests, as `rawBody`: both Bolt and Hono take it from there. */
export function createBodies() {
  const unfinished = new Set<Upload>();
  let held = 0;

  /** Room for more: the largest unfinished one makes way, so strangers cannot keep small requests out. */
  function makeRoom(): void {
    while (held > budgetBytes && unfinished.size > 0) {
      const [most] = [...unfinished].sort((one, other) => other.held - one.held);
      most?.end(503, 'busy, try again');
    }
  }

  /** Calls `then` once the body is there; otherwise answers and closes the connection without reading the rest. */
  return function readBody(request: IncomingMessage, response: ServerResponse, then: () => void): void {
    const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
    if (chunked === undefined && Number(length ?? 0) === 0) {
      then();
      return;
    }
    const most = mostBytes[request.url?.split('?')[0] ?? ''] ?? mostElsewhere;
    const parts: Buffer[] = [];
    const upload: Upload = {
      held: 0,
      end(status, reason) {
        unfinished.delete(upload);
        request.off('data', take).off('end', finish).pause();
        release();
        response.once('finish', () => request.destroy());
        response.writeHead(status, { connection: 'close', 'content-type': 'text/plain' }).end(`${reason}\n`);
      },
    };
    const release = () => {
      held -= upload.held;
      upload.held = 0;
      parts.length = 0;
    };
    const take = (part: Buffer) => {
      parts.push(part);
      upload.held += part.length;
      held += part.length;
      if (upload.held > most) upload.end(413, 'too large');
      else makeRoom();
    };
    const finish = () => {
      unfinished.delete(upload);
      Object.assign(request, { rawBody: Buffer.concat(parts) });
      then();
    };
    response.once('close', () => {
      unfinished.delete(upload);
      release();
    });
    if (Number(length ?? 0) > most) {
      upload.end(413, 'too large');
      return;
    }
    unfinished.add(upload);
    request.on('data', take).once('end', finish);
  };
}

export function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
