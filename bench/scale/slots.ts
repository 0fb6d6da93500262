import { once } from 'node:events';
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';

const sampleMs = 5_000;

/** The busiest slot's share of all commands, including those in scripts, over a few seconds; named by its hash tag. */
export async function hottestSlot(ports: readonly number[]): Promise<{ readonly tag: string; readonly share: number }> {
  const counts = new Map<string, number>();
  let all = 0;
  // a plain socket: ioredis does not understand MONITOR's output about scripts
  const sockets = await Promise.all(
    ports.map(async (port) => {
      const socket = createConnection({ port, host: '127.0.0.1' });
      await once(socket, 'connect');
      createInterface({ input: socket }).on('line', (line) => {
        const tag = tagOf(line);
        if (tag === undefined) return;
        all += 1;
        counts.set(tag, (counts.get(tag) ?? 0) + 1);
      });
      socket.write('MONITOR\r\n');
      return socket;
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, sampleMs));
  for (const socket of sockets) socket.destroy();
  const [tag = '-', most = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  return { tag, share: most / Math.max(1, all) };
}

/** The first argument that is one of our keys; without braces a key is its own tag. */
function tagOf(line: string): string | undefined {
  const [, key] = /"([^"]*bellows:[^"]*)"/.exec(line) ?? [];
  return key && (/\{([^}]+)\}/.exec(key)?.[1] ?? key);
}
