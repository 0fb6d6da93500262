import type { Log } from '../log.js';
import { type Connection, type Namespace, readNamespace, writeNamespace } from '../store/index.js';

const everyMs = 5_000;

/** A Redis that was emptied under us is taken up again as a new one, and that is said once. */
export function watchRedis(redis: Connection, namespace: Namespace, log: Log): { stop(): void } {
  const look = async (): Promise<void> => {
    if ((await readNamespace(redis, namespace.name)) !== undefined) return;
    await writeNamespace(redis, namespace.name, namespace.address, namespace.id);
    log.error(
      { namespace: namespace.name },
      'Redis was emptied: accounts, subscriptions and history are lost, starting without them',
    );
  };
  // a Redis that does not answer tells about itself elsewhere
  const timer = setInterval(() => void look().catch(() => {}), everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
