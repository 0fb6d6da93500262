import { Redis } from 'ioredis';

const sampleMs = 5_000;

/** The share of the busiest slot in all commands, over a few seconds; a slot is named by its hash tag here. */
export async function hottestSlot(ports: readonly number[]): Promise<{ readonly tag: string; readonly share: number }> {
  const counts = new Map<string, number>();
  let all = 0;
  const watching = await Promise.all(
    ports.map(async (port) => {
      const redis = new Redis(port, '127.0.0.1');
      const monitor = await redis.monitor();
      monitor.on('monitor', (_time: string, args: readonly string[]) => {
        const tag = tagOf(args);
        all += 1;
        if (tag !== undefined) counts.set(tag, (counts.get(tag) ?? 0) + 1);
      });
      return [redis, monitor];
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, sampleMs));
  for (const redis of watching.flat()) redis.disconnect();
  const [tag = '-', most = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  return { tag, share: most / Math.max(1, all) };
}

/** The first argument that is a key of ours; without braces a key is its own tag. */
function tagOf(args: readonly string[]): string | undefined {
  const key = args.slice(1, 4).find((arg) => arg.includes('bellows:'));
  return key && (/\{([^}]+)\}/.exec(key)?.[1] ?? key);
}
