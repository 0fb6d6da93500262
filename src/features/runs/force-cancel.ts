import pMap from 'p-map';
import { z } from 'zod';
import { command, type Observation } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { explanation } from '../../chat/explain.js';
import { flag, listOf, type Needed, plainField, splitList } from '../../chat/fields.js';
import { fullName, type RunRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { ifAnswered, isAbsent } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas.js';
import { doneCard } from '../../view/cards/outcome.js';
import { numberOf, runName } from '../../view/cards/run.js';
import { some } from '../../view/look.js';
import { message } from '../../view/message.js';
import { runState } from '../../view/state.js';
import { md } from '../../view/text.js';
import { describeElapsed } from '../../view/when.js';
import { isCancelling } from './cancelling.js';
import { branchOf, isDone, meantRun, readRun, runBlocks, type WrittenRun, writtenRun } from './read.js';

const atOnce = 5;

type Pairs = Observation['shown'];

function sinceWhen({ started_at, created_at }: WorkflowRun, now: Date): string {
  const from = started_at ?? created_at;
  return from ? `, ${describeElapsed(now.getTime() - from.getTime())} so far` : '';
}

async function jobsOf(ref: RunRef, { api }: Context): Promise<string | readonly string[]> {
  const jobs = await ifAnswered(api.runs.listJobs({ ...ref, query: { limit: 20 } }));
  if (!jobs) return 'cannot be read';
  if (jobs.items.length === 0) return 'none';
  return jobs.items.map((job) => {
    const where = job.runner_name === '' ? '' : ` on ${job.runner_name}`;
    return `${job.name}: ${runState(job)}${where}`;
  });
}

async function one(ref: RunRef, context: Context): Promise<Observation> {
  const run = await readRun(ref, context);
  const asked = await isCancelling(ref, run, context.api);
  const shown: Pairs = [
    ['State', `${runState(run)}${sinceWhen(run, context.now)}`],
    ['Jobs', await jobsOf(ref, context)],
    ['Regular cancel', asked ? 'requested, but not confirmed by the runner' : 'never tried'],
  ];
  const branch = run.head_branch ? ` on ${run.head_branch}` : '';
  const wants = {
    says: `force-cancel run ${numberOf(run)}`,
    url: run.html_url,
    about: `${run.display_title}${branch} · ${fullName(ref)}`,
  };
  return { bound: { run: run.id, attempt: run.run_attempt, status: run.status }, shown, wants };
}

/** Further runs are no field of their own that a failure could name. */
async function readNamed(ref: RunRef, context: Context): Promise<WorkflowRun> {
  try {
    return await readRun(ref, context);
  } catch (error) {
    if (isAbsent(error)) throw new UserError(`I can’t find run ${ref.run} in ${fullName(ref)}.`, { cause: error });
    throw error;
  }
}

/** Nobody is asked to approve something that would do nothing. */
async function refuseOver(refs: readonly RunRef[], context: Context): Promise<void> {
  const runs = await pMap(refs, (ref) => readNamed(ref, context), { concurrency: atOnce });
  const over = runs.filter(isDone);
  const [first] = refs;
  if (!first || over.length === 0) return;
  const numbers = over.map(numberOf).join(', ');
  const which =
    over.length === 1 ? `Run ${numbers} in ${fullName(first)} has` : `Runs ${numbers} in ${fullName(first)} have`;
  throw new UserError(`${which} already finished. See /forge run stuck for stuck runs.`);
}

/** What must not change until a second person decides, and what helps them decide. */
async function beforeForce(refs: readonly RunRef[], context: Context): Promise<Observation> {
  const [first] = refs;
  if (first && refs.length === 1) return one(first, context);
  const runs = await pMap(refs, (ref) => readRun(ref, context), { concurrency: atOnce });
  const bound = runs.map((run) => [`run ${run.id}`, `attempt ${run.run_attempt}, ${run.status}`] as const);
  const shown = runs.map((run) => {
    const state = `${runState(run)}${sinceWhen(run, context.now)}`;
    return [`Run ${numberOf(run)}`, [run.display_title, state]] as const;
  });
  const wants = { says: `force-cancel ${runs.length} runs`, about: first ? fullName(first) : undefined };
  return { bound: Object.fromEntries(bound), shown, wants };
}

interface ForceCancel {
  readonly run: WrittenRun;
  readonly also?: readonly number[] | undefined;
  readonly reason?: string | undefined;
}

interface Ended {
  readonly cancelled: readonly WorkflowRun[];
  /** Not canceled, each with its reason. */
  readonly left: readonly string[];
}

/** Checked again right before sending; a run that has ended is left alone. */
async function force(ref: RunRef, run: WorkflowRun, context: Context): Promise<WorkflowRun | string> {
  const over = `Run ${numberOf(run)} in ${fullName(ref)} has already finished.`;
  if (isDone(run)) return over;
  try {
    return await context.api.runs.forceCancel(ref);
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'conflict') return over;
    throw error;
  }
}

async function forceAll(refs: readonly RunRef[], context: Context): Promise<Ended> {
  const ended: (WorkflowRun | string)[] = [];
  for (const ref of refs) {
    let which = '';
    try {
      const run = await readNamed(ref, context);
      which = `Run ${numberOf(run)}: `;
      ended.push(await force(ref, run, context));
    } catch (error) {
      if (refs.length === 1 || !(error instanceof ApiError || error instanceof UserError)) throw error;
      ended.push(`${which}${explanation(error, context).says}`);
    }
  }
  const left = ended.filter((each) => typeof each === 'string');
  const cancelled = ended.filter((each) => typeof each !== 'string');
  if (cancelled.length === 0) throw new UserError(left.join('\n'));
  return { cancelled, left };
}

const doing = { verb: 'Force-cancel', command: 'run force-cancel' } as const;

/** Without duplicates, the first one first. */
function allOf(run: RunRef, further: readonly number[] = []): readonly RunRef[] {
  const ids = [...new Set([run.run, ...further])];
  return ids.map((id) => ({ owner: run.owner, repo: run.repo, run: id }));
}

/** Further numbers are of the same kind as the first: typed, from an address, or ids from a button. */
async function allMeant({ run, also, reason }: ForceCancel, context: Context): Promise<readonly RunRef[]> {
  const written = allOf(run, also);
  const meant: RunRef[] = [];
  const chosen = written.length === 1 ? { ...doing, args: { reason } } : undefined;
  for (const ref of written) meant.push(await meantRun({ ...run, ...ref }, chosen, context));
  return meant;
}

const forcedBranches = async (wanted: ForceCancel, context: Context) =>
  Promise.all((await allMeant(wanted, context)).map((ref) => branchOf(ref, context)));

async function planForceCancel(wanted: ForceCancel, context: Context) {
  const refs = await allMeant(wanted, context);
  await refuseOver(refs, context);
  return refs.map((ref) => request('runs.forceCancel', ref));
}

const observeForceCancel = async (wanted: ForceCancel, context: Context): Promise<Observation> =>
  beforeForce(await allMeant(wanted, context), context);

const forceCancel = async (wanted: ForceCancel, context: Context) => forceAll(await allMeant(wanted, context), context);

function forceCanceledMessage({ cancelled, left }: Ended, { run: ref }: ForceCancel, { now }: Context) {
  const [first, ...others] = cancelled;
  if (first && others.length === 0 && left.length === 0)
    return message({ blocks: runBlocks(first, ref, { now, says: md`Force-canceled` }) });
  const list = cancelled.map((run) => runName(run));
  const says = md`Force-canceled ${cancelled.length} of ${cancelled.length + left.length} runs: ${some(list, 20)}`;
  return message({ blocks: doneCard({ says, but: left }) });
}

const mostRuns = 50;

/** Further runs of the same repository, by id. */
function also(): Needed<readonly number[]> {
  return plainField<readonly number[]>(
    {},
    {
      label: 'More runs',
      placeholder: '124,125',
      input: { kind: 'text', max: 1000 },
      schema: z.array(z.int().min(1)).min(1).max(mostRuns).readonly(),
      read: (text) => {
        const ids = listOf(splitList(text.replace(/\s+/g, ',')), 'runs', mostRuns, 20);
        return ids.map((id) => {
          const digits = id.replace(/^#/, '');
          if (/^[1-9]\d{0,14}$/.test(digits)) return Number(digits);
          throw new UserError(`“${id}” is not a run’s number. Write numbers separated by commas: 124,125.`);
        });
      },
      show: (ids) => ids.join(','),
    },
  );
}

export const runForceCancel = command({
  name: 'run force-cancel',
  title: 'Force-cancel run',
  summary: 'Force-cancel a run that a regular cancel does not stop',
  examples: ['run force-cancel acme/engine#123', 'run force-cancel acme/engine#123 --also 124,125'],
  fields: { run: writtenRun(), also: flag(also()) },
  role: 'maintainer',
  risk: 'risky',
  effect: 'idempotent',
  operations: ['runs.forceCancel', 'runs.get', 'runs.list', 'runs.listJobs'],
  needs: ['runs.forceCancel'],
  approval: { branches: forcedBranches, observe: observeForceCancel },
  plan: planForceCancel,
  run: forceCancel,
  reply: forceCanceledMessage,
});
