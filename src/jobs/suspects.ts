export interface Suspects {
  /** False if it has to be retried later. `stops` is how often its process died with it. */
  run(stops: number, work: () => Promise<void>): Promise<boolean>;
}

/**
 * When a process is killed, it is unclear which of its jobs was the cause. Each is retried, but only one at a time per
 * process: so the second time the cause stops only itself.
 */
export function createSuspects(): Suspects {
  let busy = false;
  return {
    async run(stops, work) {
      if (stops === 0) {
        await work();
        return true;
      }
      if (busy) return false;
      busy = true;
      try {
        await work();
      } finally {
        busy = false;
      }
      return true;
    },
  };
}
