import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActJob } from '../chat/act-job.js';

type OnAct = (command: string, outcome: string, seconds: number) => void;

/** Times accepted work from acceptance to answer; its audit entry provides the outcome. */
export function createMeasure(onAct: OnAct | undefined, now: () => number = Date.now) {
  const under = new AsyncLocalStorage<{ outcome: string }>();
  return {
    note(outcome: string): void {
      const present = under.getStore();
      if (present) present.outcome = outcome;
    },

    async run(job: ActJob, work: () => Promise<void>): Promise<void> {
      const noted = { outcome: 'done' };
      try {
        await under.run(noted, work);
      } catch (error) {
        noted.outcome = 'cut-off';
        throw error;
      } finally {
        const command = job.kind === 'command' ? job.command : job.kind;
        onAct?.(command, noted.outcome, Math.max(0, now() - job.acceptedAt) / 1_000);
      }
    },
  };
}
