import { randomUUID } from 'node:crypto';
import { type Log, warnSeldom } from '../log.js';
import type { Store } from '../store/index.js';

const everyMs = 5_000;

export interface KeyRing {
  /** Called whenever the sealing key changes. */
  onSwitch(listener: () => Promise<void>): void;
  stop(): Promise<void>;
}

/** While processes with old and new keys run side by side, only keys known to all of them seal. */
export async function joinKeyRing(store: Store, log: Log): Promise<KeyRing> {
  const { rings, seal } = store;
  const me = randomUUID();
  const listeners: (() => Promise<void>)[] = [];

  const look = async (): Promise<boolean> => {
    const before = seal.keyId;
    const others = await rings.announce(me, seal.labels);
    seal.sealFor((label) => others.every(({ labels }) => labels.includes(label)));
    const [first = ''] = seal.labels;
    if (first.startsWith(`${seal.keyId}~`)) await rings.used(first);
    else {
      const without = others.filter(({ labels }) => !labels.includes(first)).length;
      const about = { processes: without, first: first.split('~')[0], sealing: seal.keyId };
      warnSeldom(log, 'keys', about, 'the first key of BELLOWS_KEYS waits: running processes do not know it yet');
    }
    return seal.keyId !== before;
  };
  await look();
  const timer = setInterval(() => {
    look()
      .then(async (switched) => {
        if (!switched) return;
        log.info({ under: seal.keyId }, 'now encrypting with another key');
        for (const listener of listeners) await listener();
      })
      // an unresponsive Redis is reported elsewhere
      .catch(() => {});
  }, everyMs).unref();

  return {
    onSwitch: (listener) => void listeners.push(listener),
    async stop() {
      clearInterval(timer);
      await rings.leave(me).catch(() => {});
    },
  };
}
