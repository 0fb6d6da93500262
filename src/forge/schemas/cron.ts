import { z } from 'zod';
import { Count, Text, TimeOrUnset } from './scalar.js';

export const Cron = z.object({
  name: z.string(),
  schedule: Text,
  next: TimeOrUnset,
  prev: TimeOrUnset,
  exec_times: Count,
});
export type Cron = z.infer<typeof Cron>;
