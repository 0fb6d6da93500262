import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { fewAtATime } from '../../few-at-a-time.js';
import { gathered } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { list, section } from '../../view/blocks.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { code, link, md } from '../../view/text.js';
import { workflowOf } from './read.js';
import { hasFailed } from './rerun.js';

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
function undecided(runs: readonly WorkflowRun[]): readonly WorkflowRun[] {
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

export async function readFlaky(at: RepositoryRef, { api, now }: Context) {
  const since = now.getTime() - days * 86_400_000;
  const query = { status: ['success' as const, 'failure' as const], exclude_pull_requests: true };
  const all = await gathered(api.runs.list.each({ ...at, query }, { max: mostRuns }));
  const recent = all.filter((run) => (run.completed_at ?? run.started_at ?? now).getTime() >= since);
  const found = undecided(recent);
  const counted = new Map<string, Flaky>();
  const jobsOf = async (run: WorkflowRun) => ({
    run,
    jobs: run.conclusion === 'failure' ? await ifAnswered(api.runs.listJobs({ ...at, run: run.id })) : undefined,
  });
  for (const { run, jobs } of await fewAtATime(found.slice(0, mostLooked), atOnce, jobsOf)) {
    const names = jobs?.items.filter(hasFailed).map(({ name }) => name) ?? [];
    for (const job of names.length > 0 ? names : [undefined]) {
      const workflow = workflowOf(run);
      const key = `${workflow}\n${job ?? ''}`;
      const before = counted.get(key);
      counted.set(key, { workflow, job, times: (before?.times ?? 0) + 1, last: before?.last ?? run });
    }
  }
  const flaky = [...counted.values()].sort((a, b) => b.times - a.times);
  return { flaky, looked: recent.length, more: found.length > mostLooked || all.length >= mostRuns };
}

export function flakyMessage(
  { flaky, looked, more }: Awaited<ReturnType<typeof readFlaky>>,
  { repository }: { readonly repository: RepositoryRef },
  { forge }: Context,
) {
  const name = link(`${forge.web}/${fullName(repository)}/actions`, fullName(repository));
  const scope = md`${count(looked, 'run')} of the last ${days} days${more ? ', not all of them' : ''}`;
  if (flaky.length === 0) return message({ blocks: [section(md`✅ No flaky jobs in ${name} (${scope}).`)] });
  const rows = flaky.slice(0, shown).map(({ workflow, job, times, last }) => {
    const what = job === undefined ? code(workflow) : md`${code(job)} in ${code(workflow)}`;
    return md`• ${what}: on ${count(times, 'commit')}, last in ${link(last.html_url, last.display_title)}`;
  });
  const head = md`${count(flaky.length, 'flaky job')} in ${name} (${scope}). Each failed and passed on the same commit:`;
  return message({ blocks: [section(head), ...list(rows)] });
}
