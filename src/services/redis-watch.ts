import type { Log } from '../log.js';
import { type Connection, type Namespace, readNamespace, writeNamespace } from '../store/index.js';

const everyMs = 5_000;

/** If Redis was emptied while running, it is set up again as new, and that is logged once. */
export function watchRedis(redis: Connection, namespace: Namespace, log: Log): { stop(): void } {
  const look = async (): Promise<void> => {
    if ((await readNamespace(redis, namespace.name)) !== undefined) return;
    await writeNamespace(redis, namespace.name, namespace.address, namespace.id);
    log.error(
      { namespace: namespace.name },
      'Redis was emptied: accounts, subscriptions and history are lost, starting without them',
    );
  };
  // an unresponsive Redis is reported elsewhere
  const timer = setInterval(() => void look().catch(() => {}), everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
