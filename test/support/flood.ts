import { once } from 'node:events';
import { connect } from 'node:net';

export interface Flooded {
  readonly status: number;
  /** How much of the body was sent before the other side closed the connection. */
  readonly sent: number;
}

/** Posts an endless body until the other side closes the connection. */
export async function flood(address: string, headers: Readonly<Record<string, string>>): Promise<Flooded> {
  const { hostname, port, pathname } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const lines = Object.entries({ host: hostname, ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  let answer = '';
  socket.on('data', (part) => {
    answer += part;
  });
  socket.on('error', () => {});
  let sent = 0;
  const chunk = Buffer.alloc(64_000, 'a');
  const chunked = headers['transfer-encoding'] === 'chunked';
  const pour = (): void => {
    while (!socket.destroyed && !socket.writableEnded) {
      sent += chunk.length;
      if (chunked) socket.write(`${chunk.length.toString(16)}\r\n`);
      const more = socket.write(chunk);
      if (chunked) socket.write('\r\n');
      if (!more) return void socket.once('drain', pour);
    }
  };
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  pour();
  await closed;
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? 0), sent };
}
