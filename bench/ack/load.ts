import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';

/**
 * Sends prepared requests over kept-alive connections, at most so many a second; how long 99 of 100 took at most.
 * Plain sockets: a heavy client would take the server's CPU share.
 */
export async function load(
  url: string,
  requests: readonly Buffer[],
  connections: number,
  perSecond: number,
): Promise<number> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: connections }, () =>
    createConnection({ host: hostname, port: Number(port), noDelay: true }),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const times: number[] = [];
  let next = 0;
  const started = performance.now();
  const everyMs = (1_000 * connections) / perSecond;
  await Promise.all(
    sockets.map((socket, at) => {
      const first = started + (everyMs * at) / connections;
      let turn = 0;
      return drive(
        socket,
        () => requests[next++],
        times,
        () => first + everyMs * turn++,
      );
    }),
  );
  for (const socket of sockets) socket.destroy();
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? 0;
}

/** One request after the other on one connection, each when it is due, until none is left. */
function drive(socket: Socket, take: () => Buffer | undefined, times: number[], due: () => number): Promise<void> {
  return new Promise((resolve, reject) => {
    let begun = 0;
    let received = '';
    const next = () => {
      const wait = due() - performance.now();
      if (wait > 0) setTimeout(send, wait);
      else send();
    };
    const send = () => {
      const request = take();
      if (!request) return resolve();
      begun = performance.now();
      received = '';
      socket.write(request);
    };
    socket.on('data', (part: Buffer) => {
      received += part.toString('latin1');
      if (!isWhole(received)) return;
      if (!received.startsWith('HTTP/1.1 200 ')) return reject(new Error(`answered ${received.slice(0, 200)}`));
      times.push(performance.now() - begun);
      next();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server hung up')));
    next();
  });
}

function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, end));
  if (length) return received.length >= end + 4 + Number(length[1]);
  return received.endsWith('0\r\n\r\n');
}
