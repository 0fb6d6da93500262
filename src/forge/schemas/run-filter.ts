import { z } from 'zod';

/** What the lists of runs and jobs may be filtered by; any other value is a 400. */
export const RunFilter = z.enum([
  'pending',
  'queued',
  'in_progress',
  'failure',
  'success',
  'skipped',
  'waiting',
  'requested',
  'action_required',
  'completed',
  'cancelled',
  'timed_out',
  'neutral',
]);
export type RunFilter = z.infer<typeof RunFilter>;
