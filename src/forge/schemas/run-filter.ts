import { z } from 'zod';

/** The filter values of the lists of runs and jobs; any other is a 400. */
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
