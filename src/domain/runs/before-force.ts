import pMap from 'p-map';
import type { Observation } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { fullName, type RunRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { ifAnswered } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { numberOf } from '../../view/cards/run.js';
import { runState } from '../../view/state.js';
import { elapsed } from '../../view/when.js';
import { isCancelling } from './cancelling.js';
import { isDone, readRun } from './read.js';

const atOnce = 5;

type Pairs = Observation['shown'];

function sinceWhen({ started_at, created_at }: WorkflowRun, now: Date): string {
  const from = started_at ?? created_at;
  return from ? `, ${elapsed(now.getTime() - from.getTime())} so far` : '';
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

/** Nobody is asked to approve something that would do nothing. */
export async function refuseOver(refs: readonly RunRef[], context: Context): Promise<void> {
  const runs = await pMap(refs, (ref) => readRun(ref, context), { concurrency: atOnce });
  const over = runs.filter(isDone);
  const [first] = refs;
  if (!first || over.length === 0) return;
  const numbers = over.map(numberOf).join(', ');
  const which =
    over.length === 1 ? `Run ${numbers} in ${fullName(first)} has` : `Runs ${numbers} in ${fullName(first)} have`;
  throw new UserError(`${which} already finished. See /forge run stuck for stuck runs.`);
}

/** What must not change until a second person decides, and what helps them decide. */
export async function beforeForce(refs: readonly RunRef[], context: Context): Promise<Observation> {
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
