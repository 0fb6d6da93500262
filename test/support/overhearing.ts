import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

export interface Heard {
  readonly method: string;
  /** Below /api/v1, without the query. */
  readonly path: string;
  readonly status: number;
}

/** Proxies between Bellows and a real forge and records the traffic. */
export async function overhear(target: string) {
  const pool = new Pool(target, { connections: 16 });
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { host: _, connection: __, ...headers } = request.headers;
    const answer = await pool.request({
      // node's server only accepts methods that exist
      method: request.method as 'GET',
      path: request.url ?? '/',
      headers,
      body: parts.length === 0 ? null : Buffer.concat(parts),
    });
    const path = (request.url ?? '').replace(/^.*\/api\/v1/, '').split('?')[0] ?? '';
    heard.push({ method: request.method ?? '', path: decodeURIComponent(path), status: answer.statusCode });
    const { 'transfer-encoding': ___, connection: ____, ...rest } = answer.headers;
    response.writeHead(answer.statusCode, rest);
    response.end(Buffer.from(await answer.body.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server's address is never a pipe name.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    async close() {
      server.closeAllConnections();
      server.close();
      await pool.close();
    },
  };
}
