import type { Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { MessageError } from '../../chat/message-error.js';
import type { RunRef } from '../../chat/references.js';
import { type Request, request } from '../../chat/request.js';
import { asCode, UserError } from '../../errors.js';
import { ApiError, gather, isLost } from '../../forge/index.js';
import { soon } from '../../forge/possible.js';
import type { WorkflowJob, WorkflowRun } from '../../forge/schemas.js';
import type { Claimed } from '../../store/index.js';
import { message } from '../../view/message.js';
import { type Mrkdwn, md, mention } from '../../view/text.js';
import { age } from '../../view/when.js';
import { refuseRedeploy } from '../deploy/gate.js';
import {
  branchOf,
  cancelButton,
  isDone,
  meantRun,
  pageButton,
  readRun,
  runBlocks,
  showButton,
  type WrittenRun,
} from './read.js';

interface Which {
  /** Only the failed jobs and their dependents. */
  readonly failed?: boolean | undefined;
  /** One job by name, and its dependents. */
  readonly job?: string | undefined;
}

const mostJobs = 200;
const failures: ReadonlySet<string | undefined> = new Set(['failure', 'cancelled']);
export const hasFailed = ({ conclusion }: Pick<WorkflowJob, 'conclusion'>) => failures.has(conclusion);

const keyOf = ({ run }: RunRef) => `rerun:${run}`;
/** Each ending of a run can be rerun once. */
const endingOf = (run: WorkflowRun) => `${run.run_attempt}@${run.completed_at?.getTime() ?? 0}`;

export async function jobNamed(ref: RunRef, name: string, { api }: Context): Promise<WorkflowJob> {
  const jobs = await gather(api.runs.listJobs.each(ref, { max: mostJobs }));
  const same = (job: WorkflowJob) => job.name.toLowerCase() === name.toLowerCase();
  const found = jobs.find((job) => job.name === name) ?? jobs.find(same);
  if (found) return found;
  const names = asCode(...jobs.slice(0, 10).map((job) => job.name));
  throw new UserError(`This run has no job ${asCode(name)}. Its jobs: ${names}.`, { field: 'job' });
}

const refuseRerun = (run: WorkflowRun, ref: RunRef, says: Mrkdwn, now: Date) =>
  new MessageError(message({ blocks: runBlocks(run, ref, { now, says }) }));

const byWhom = (claim: Claimed, { now, person }: Context): Mrkdwn => {
  const who = claim.by.user === person.user ? md`You` : mention(claim.by.user);
  return md`${who} reran this ${age(new Date(claim.at), now)}:`;
};

/** Why it cannot be rerun now, with who reran it if Bellows knows. */
async function refuseUnfinished(run: WorkflowRun, ref: RunRef, context: Context): Promise<void> {
  if (isDone(run)) return;
  const before = await context.store.claims.holder(keyOf(ref));
  throw refuseRerun(
    run,
    ref,
    before ? byWhom(before, context) : md`Still running, so it can’t be rerun yet:`,
    context.now,
  );
}

async function send(ref: RunRef, { failed, job }: Which, context: Context): Promise<void> {
  const { api } = context;
  if (job !== undefined) {
    const { id } = await jobNamed(ref, job, context);
    await api.runs.rerunJob({ ...ref, job_id: id });
  } else if (failed) {
    const jobs = await gather(api.runs.listJobs.each(ref, { max: mostJobs }));
    if (!jobs.some(hasFailed)) throw new UserError('No failed jobs in this run. Rerun all jobs instead.');
    await api.runs.rerunFailed(ref);
  } else await api.runs.rerun(ref);
}

/** Certainly nothing happened: refused, or not even sent. */
const isRefused = (error: unknown) => error instanceof UserError || (error instanceof ApiError && !isLost(error));

/** Runs once for everyone who asks within seconds: the others learn who did it. */
export async function rerun(ref: RunRef, which: Which, context: Context): Promise<WorkflowRun> {
  const { store, person, job = '' } = context;
  const before = await readRun(ref, context);
  await refuseUnfinished(before, ref, context);
  await refuseRedeploy(ref, before, context);
  const claim = await store.claims.take(keyOf(ref), endingOf(before), job, person);
  if (!claim.taken) throw refuseRerun(before, ref, byWhom(claim.holder, context), context.now);
  context.remember(endingOf(before));
  try {
    await send(ref, which, context);
  } catch (error) {
    if (isRefused(error)) await store.claims.release(keyOf(ref), job);
    throw error;
  }
  return (await soon(readRun(ref, context))) ?? { ...before, status: 'queued', conclusion: undefined };
}

/** It is running, or it ended at a different time than before. */
async function rerunSince(ref: RunRef, context: Context, { note }: Sent): Promise<WorkflowRun | undefined> {
  const run = await readRun(ref, context);
  return isDone(run) && endingOf(run) === note ? undefined : run;
}

interface RerunWanted extends Which {
  readonly run: WrittenRun;
}

const findMeantRun = ({ run, failed, job }: RerunWanted, context: Context) =>
  meantRun(run, { verb: 'Rerun', command: 'run rerun', args: { failed, job } }, context);

async function planRerunRequest(ref: RunRef, { failed, job }: Which, context: Context): Promise<Request> {
  if (job !== undefined) return request('runs.rerunJob', { ...ref, job_id: (await jobNamed(ref, job, context)).id });
  return failed ? request('runs.rerunFailed', ref) : request('runs.rerun', ref);
}

export function refuseBoth({ failed, job }: { readonly failed?: unknown; readonly job?: unknown }): void {
  if (failed === true && job !== undefined)
    throw new UserError('Choose either the failed jobs or one job, not both.', { field: 'job' });
}

export const rerunBranch = async (wanted: RerunWanted, context: Context) => [
  await branchOf(await findMeantRun(wanted, context), context),
];

export async function planRerun(wanted: RerunWanted, context: Context) {
  const ref = await findMeantRun(wanted, context);
  await refuseRedeploy(ref, await readRun(ref, context), context);
  return [await planRerunRequest(ref, wanted, context)];
}

export async function rerunWanted(wanted: RerunWanted, context: Context) {
  refuseBoth(wanted);
  return rerun(await findMeantRun(wanted, context), wanted, context);
}

export const findRerun = async (wanted: RerunWanted, context: Context, sent: Sent) =>
  rerunSince(await findMeantRun(wanted, context), context, sent);

export function rerunMessage(
  found: Awaited<ReturnType<typeof rerunWanted>>,
  { run: at, failed, job }: RerunWanted,
  { now }: Context,
) {
  const what = job === undefined ? (failed ? md`Rerunning failed jobs:` : md`Rerunning:`) : md`Rerunning job ${job}:`;
  const buttons = [cancelButton(found, at), showButton(found, at), pageButton(found)];
  return message({ blocks: runBlocks(found, at, { now, says: what, buttons }) });
}
