import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire between a client and a server that can be held, released and cut. */
export interface Wire {
  readonly url: string;
  /** Bytes towards the server wait. */
  hold(): void;
  /** Bytes towards the client wait, except the first ones: the server acts, and nobody notices. */
  holdAnswers(after?: number): void;
  /** What waited arrives, in order. */
  release(): void;
  cut(): void;
  /** New connections lead elsewhere; existing ones stay. */
  lead(target: string): void;
  close(): Promise<void>;
}

export async function wireTo(target: string): Promise<Wire> {
  const { protocol, pathname } = new URL(target);
  let to = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let held = false;
  let isCut = false;
  let passing = Number.POSITIVE_INFINITY;
  const pauseAnswers = () => {
    for (const [, upstream] of pairs) upstream.pause();
  };
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(to.port), to.hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    if (held) client.pause();
    client.on('data', (bytes) => upstream.write(bytes));
    upstream.on('data', (bytes) => {
      client.write(bytes);
      passing -= 1;
      if (passing <= 0) pauseAnswers();
    });
    for (const [socket, other] of [pair, [upstream, client] as const]) {
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        other.end();
        pairs.delete(pair);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is never a pipe name.
  const at = server.address() as AddressInfo;
  return {
    url: `${protocol}//127.0.0.1:${at.port}${pathname}`,
    hold() {
      held = true;
      for (const [client] of pairs) client.pause();
    },
    holdAnswers(after = 0) {
      passing = after;
      if (after === 0) pauseAnswers();
    },
    release() {
      held = false;
      passing = Number.POSITIVE_INFINITY;
      for (const [client, upstream] of pairs) {
        client.resume();
        upstream.resume();
      }
    },
    cut() {
      isCut = true;
      for (const [client, upstream] of pairs) {
        client.destroy();
        upstream.destroy();
      }
    },
    lead(other) {
      to = new URL(other);
    },
    async close() {
      for (const [client, upstream] of pairs) {
        client.destroy();
        upstream.destroy();
      }
      server.close();
    },
  };
}
