import { once } from 'node:events';
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { familyOf } from '../../test/support/key-family.js';

export interface Watched {
  /** Commands that clients sent, by name and kind of key; those inside scripts are not counted. */
  readonly calls: ReadonlyMap<string, number>;
  /** The slot with the most commands, including those in scripts, by its hash tag, and its share of all. */
  readonly hot: { readonly tag: string; readonly share: number };
}

/** Counts what every master is asked for from now on; stopped by calling the result. */
export async function watchCommands(ports: readonly number[]): Promise<() => Watched> {
  const tags = new Map<string, number>();
  const calls = new Map<string, number>();
  const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  // a plain socket: ioredis does not understand MONITOR's output about scripts
  const sockets = await Promise.all(
    ports.map(async (port) => {
      const socket = createConnection({ port, host: '127.0.0.1' });
      await once(socket, 'connect');
      createInterface({ input: socket }).on('line', (line) => {
        const [, from, command = ''] = /^\+[\d.]+ \[\d+ (\S+)\] "(\w+)"/.exec(line) ?? [];
        const key = /"([^"]*bellows:[^"]*)"/.exec(line)?.[1];
        // without braces a key is its own tag
        if (key !== undefined) add(tags, /\{([^}]+)\}/.exec(key)?.[1] ?? key);
        if (from !== undefined && from !== 'lua') add(calls, `${command.toLowerCase()} ${nameOf(key)}`);
      });
      socket.write('MONITOR\r\n');
      return socket;
    }),
  );
  return () => {
    for (const socket of sockets) socket.destroy();
    const [tag = '-', most = 0] = [...tags].sort(([, a], [, b]) => b - a)[0] ?? [];
    const all = [...tags.values()].reduce((sum, each) => sum + each, 0);
    return { calls, hot: { tag, share: most / Math.max(1, all) } };
  };
}

const nameOf = (key: string | undefined): string =>
  key === undefined ? '-' : (familyOf(key) ?? /^\{bellows:[^:]+:(\w+)\}/.exec(key)?.[1] ?? 'other');
