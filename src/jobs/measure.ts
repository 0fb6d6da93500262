import type { ActJob } from '../chat/act-job.js';

type OnAct = (command: string, outcome: string, seconds: number) => void;

/** Times accepted work from acceptance to answer; the work says how it ended. */
export const createMeasure =
  (onAct: OnAct | undefined, now: () => number = Date.now) =>
  async (job: ActJob, work: (ended: (outcome: string) => void) => Promise<void>): Promise<void> => {
    let outcome = 'done';
    try {
      await work((how) => {
        outcome = how;
      });
    } catch (error) {
      outcome = 'cut-off';
      throw error;
    } finally {
      const command = job.kind === 'command' ? job.command : job.kind;
      onAct?.(command, outcome, Math.max(0, now() - job.acceptedAt) / 1_000);
    }
  };
