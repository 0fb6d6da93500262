export interface Suspects {
  /** False where it has to be tried again later. `stops` is how often its process ended under it. */
  run(stops: number, work: () => Promise<void>): Promise<boolean>;
}

/**
 * What runs when a process is killed cannot tell which of it was the cause. Each of them is tried again, but only one in
 * a process at a time: so the cause stops nobody but itself a second time.
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
