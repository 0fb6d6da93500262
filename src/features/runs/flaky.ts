import pMap from 'p-map';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { repository } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { gather } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas.js';
import { list, section } from '../../view/blocks.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { code, link, md } from '../../view/text.js';
import { workflowOf } from './read.js';
import { hasFailed } from './restart.js';

const days = 30;

const mostRuns = 500;

const mostLooked = 30;

const atOnce = 5;

const shown = 10;

interface Flaky {
  readonly workflow: string;
  readonly job: string | undefined;
  /** Commits on which it both failed and succeeded. */
  readonly times: number;
  readonly last: WorkflowRun;
}

/** Runs of one workflow on one commit with different results: the commit is not the cause. */
function pickUndecided(runs: readonly WorkflowRun[]): readonly WorkflowRun[] {
  const groups = new Map<string, WorkflowRun[]>();
  for (const run of runs) {
    const key = `${workflowOf(run)}\n${run.head_sha}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].flatMap((group) => {
    const failed = group.find(({ conclusion }) => conclusion === 'failure');
    const passed = group.some(({ conclusion }) => conclusion === 'success');
    // a rerun keeps its id: one that succeeded on a later attempt had failed before
    const again = group.find(({ conclusion, run_attempt }) => conclusion === 'success' && run_attempt > 1);
    const found = failed && passed ? failed : again;
    return found ? [found] : [];
  });
}

/** Of a server whose runs have no attempts, only the jobs show a rerun. */
const pickUnnumbered = (runs: readonly WorkflowRun[], found: readonly WorkflowRun[]): readonly WorkflowRun[] => {
  const known = new Set(found.map(({ head_sha }) => head_sha));
  return runs.filter(
    ({ conclusion, run_attempt, head_sha }) => conclusion === 'success' && run_attempt === 0 && !known.has(head_sha),
  );
};

/** The jobs that made it fail; undefined if nobody says which. */
async function flakyJobs(at: RepositoryRef, run: WorkflowRun, api: Context['api']) {
  const of = { ...at, run: run.id };
  if (run.conclusion === 'failure') return (await ifAnswered(api.runs.listJobs(of)))?.items.filter(hasFailed);
  if (run.run_attempt > 1) {
    const before = await ifAnswered(api.runs.listAttemptJobs({ ...of, attempt: run.run_attempt - 1 }));
    return before?.items.filter(hasFailed);
  }
  const again = (await ifAnswered(api.runs.listJobs(of)))?.items.filter(({ run_attempt }) => run_attempt > 1);
  return again ?? [];
}

async function readFlaky(at: RepositoryRef, { api, now }: Context) {
  const since = now.getTime() - days * 86_400_000;
  const query = { status: ['success' as const, 'failure' as const], exclude_pull_requests: true };
  const all = await gather(api.runs.list.each({ ...at, query }, { max: mostRuns }));
  const recent = all.filter((run) => (run.completed_at ?? run.started_at ?? now).getTime() >= since);
  const sure = pickUndecided(recent);
  const found = [...sure, ...pickUnnumbered(recent, sure)];
  const counted = new Map<string, Flaky>();
  const jobsOf = async (run: WorkflowRun) => ({ run, jobs: await flakyJobs(at, run, api) });
  for (const { run, jobs } of await pMap(found.slice(0, mostLooked), jobsOf, { concurrency: atOnce })) {
    const names = jobs?.map(({ name }) => name) ?? [];
    for (const job of names.length === 0 && sure.includes(run) ? [undefined] : names) {
      const workflow = workflowOf(run);
      const key = `${workflow}\n${job ?? ''}`;
      const before = counted.get(key);
      counted.set(key, { workflow, job, times: (before?.times ?? 0) + 1, last: before?.last ?? run });
    }
  }
  const flaky = [...counted.values()].sort((a, b) => b.times - a.times);
  return { flaky, looked: recent.length, more: found.length > mostLooked || all.length >= mostRuns };
}

function flakyMessage(
  { flaky, looked, more }: Awaited<ReturnType<typeof readFlaky>>,
  { repository }: { readonly repository: RepositoryRef },
  { forge }: Context,
) {
  const name = link(`${forge.web}/${fullName(repository)}/actions`, fullName(repository));
  const scope = md`${count(looked, 'run')} of the last ${days} days${more ? ', not all of them' : ''}`;
  if (flaky.length === 0) return message({ blocks: [section(md`✅ No flaky jobs in ${name} (${scope}).`)] });
  const rows = flaky.slice(0, shown).map(({ workflow, job, times, last }) => {
    const what = job === undefined ? code(workflow) : md`${code(job)} in ${code(workflow)}`;
    return md`• ${what}: on ${count(times, 'commit')}, last in ${link(last.html_url, `${last.display_title}, run ${last.run_number}`)}`;
  });
  const head = md`${count(flaky.length, 'flaky job')} in ${name} (${scope}). Each failed and passed on the same commit:`;
  return message({ blocks: [section(head), ...list(rows)] });
}

export const runFlaky = command({
  name: 'run flaky',
  title: 'Find flaky jobs',
  summary: 'Find jobs that failed and passed on the same commit',
  examples: ['run flaky acme/engine'],
  fields: { repository: repository() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['runs.list', 'runs.listJobs', 'runs.listAttemptJobs'],
  needs: ['runs.list'],
  plan: ({ repository }) => [request('runs.list', repository)],
  run: ({ repository }, context) => readFlaky(repository, context),
  reply: flakyMessage,
});
