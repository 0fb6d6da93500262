import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SlowWire {
  readonly url: string;
  close(): Promise<void>;
}

/** A wire with a delay of `ms` each way; order is kept. */
export async function slowWireTo(target: string, ms: number): Promise<SlowWire> {
  const { hostname, port, protocol, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  const late = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), ms));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      setTimeout(() => to.end(), ms);
    });
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    late(client, upstream);
    late(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is never a pipe name.
  const at = server.address() as AddressInfo;
  return {
    url: `${protocol}//127.0.0.1:${at.port}${pathname}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
