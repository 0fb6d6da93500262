import { z } from 'zod';
import { either } from '../forgejo/either.js';
import { fromForgejoJob } from '../forgejo/run.js';
import { Count, Id, listOf, maybe, Text, TimeOrUnset } from './scalar.js';

const Step = z.object({
  name: Text,
  number: Count,
  status: Text,
  conclusion: maybe(z.string()),
  started_at: TimeOrUnset,
  completed_at: TimeOrUnset,
});

const Job = z.object({
  id: Id,
  run_id: Count,
  run_attempt: Count,
  name: Text,
  labels: listOf(z.string()),
  status: Text,
  conclusion: maybe(z.string()),
  head_sha: Text,
  head_branch: Text,
  html_url: Text,
  runner_id: maybe(Id),
  runner_name: Text,
  steps: listOf(Step),
  created_at: TimeOrUnset,
  started_at: TimeOrUnset,
  completed_at: TimeOrUnset,
});

/** The end of a log; `whole` if that is all of it. */
export const LogTail = z.object({ text: z.string(), whole: z.boolean() });

export const WorkflowJob = either(fromForgejoJob, Job);
export type WorkflowJob = z.infer<typeof WorkflowJob>;
