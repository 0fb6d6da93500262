import type { Context } from '../../chat/context.js';
import type { RunRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { gathered } from '../../forge/index.js';
import { excerptOf, type LogExcerpt } from '../../forge/log-excerpt.js';
import { unlessAbsent } from '../../forge/possible.js';
import type { WorkflowJob } from '../../forge/schemas/job.js';
import { hasFailed, jobNamed } from './rerun.js';

const mostJobs = 200;

export interface JobLog {
  readonly job: WorkflowJob;
  /** Undefined: the server keeps none, or no longer has it. */
  readonly log: LogExcerpt | undefined;
  /** Other failed jobs. */
  readonly others: readonly WorkflowJob[];
}

/** The failing step if the log names none: the last one that started. */
function lastBegun({ steps }: WorkflowJob): string | undefined {
  const begun = steps.filter(({ started_at, conclusion }) => started_at && conclusion !== 'skipped');
  return begun.at(-1)?.name.replace(/^Run /, '');
}

async function logOfJob(ref: RunRef, job: WorkflowJob, most: number, { api }: Context) {
  const { owner, repo } = ref;
  const found = await unlessAbsent(api.runs.jobLog({ owner, repo, job_id: job.id }));
  if (!found) return undefined;
  const log = excerptOf(found.text, { most, whole: found.whole });
  return { ...log, step: log.step ?? (hasFailed(job) ? lastBegun(job) : undefined) };
}

/** Of the requested job, or of the first failed one. */
export async function logOf(ref: RunRef, name: string | undefined, most: number, context: Context): Promise<JobLog> {
  if (name !== undefined) {
    const job = await jobNamed(ref, name, context);
    return { job, log: await logOfJob(ref, job, most, context), others: [] };
  }
  const jobs = await gathered(context.api.runs.listJobs.each(ref, { max: mostJobs }));
  const failed = jobs.filter(({ conclusion }) => conclusion === 'failure');
  const job = failed[0] ?? jobs.find(hasFailed) ?? jobs[0];
  if (!job) throw new UserError('This run has no jobs yet.');
  return { job, log: await logOfJob(ref, job, most, context), others: failed.slice(1) };
}
