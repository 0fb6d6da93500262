import type { WorkflowJob } from '../../forge/schemas/job.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import type { Runner } from '../../forge/schemas/runner.js';
import { elapsed } from '../../view/when.js';

/** How long this workflow's finished runs took, in milliseconds. */
export type History = readonly number[];

export interface Evidence {
  readonly run: WorkflowRun;
  /** Undefined: the forge does not say. */
  readonly jobs: readonly WorkflowJob[] | undefined;
  readonly runners: readonly Runner[] | undefined;
  readonly history: History;
  /** When each running job last wrote to its log, by job id, if known. */
  readonly wrote?: ReadonlyMap<number, Date>;
  readonly now: Date;
}

const minute = 60_000;
const enough = 3;
/** Without a history, a run may take as long as the forge allows any task. */
const anyRunMs = 180 * minute;
const patienceMs = 2 * minute;

const middle = (sorted: History): number => sorted[Math.floor(sorted.length / 2)] ?? 0;

/** What keeps this run from ending. Empty: it looks healthy. */
export function symptomsOf(evidence: Evidence): readonly string[] {
  const { run } = evidence;
  if (run.status === 'in_progress') return [...tooLong(evidence), ...gone(evidence), ...silent(evidence)];
  return run.status === 'queued' ? nobodyTakes(evidence) : [];
}

function tooLong({ run, history, now }: Evidence): string[] {
  if (!run.started_at) return [];
  const lasted = now.getTime() - run.started_at.getTime();
  const sorted = [...history].sort((a, b) => a - b);
  if (sorted.length < enough) {
    if (lasted < anyRunMs) return [];
    return [`Running for ${elapsed(lasted)}. This workflow has too few finished runs to compare with.`];
  }
  const [usual, longest] = [middle(sorted), sorted.at(-1) ?? 0];
  const limit = Math.max(usual * 3, longest * 1.5, usual + 10 * minute);
  if (lasted < limit) return [];
  return [
    `Running for ${elapsed(lasted)}. This workflow usually takes ${elapsed(usual)}, and at most ${elapsed(longest)} in its last ${sorted.length} runs.`,
  ];
}

function gone({ jobs = [], runners }: Evidence): string[] {
  if (!runners) return [];
  return jobs
    .filter(({ status, runner_id }) => status === 'in_progress' && runner_id !== undefined)
    .flatMap((job) => {
      const runner = runners.find(({ id }) => id === job.runner_id);
      const name = job.runner_name || `runner ${job.runner_id}`;
      if (!runner) return [`Job ${job.name} is on ${name}, which no longer exists.`];
      return runner.status === 'offline' ? [`Job ${job.name} is on ${name}, which is offline.`] : [];
    });
}

const silenceMs = 15 * minute;

function silent({ jobs = [], wrote, now }: Evidence): string[] {
  return jobs.flatMap((job) => {
    const last = job.status === 'in_progress' ? wrote?.get(job.id) : undefined;
    const quiet = last ? now.getTime() - last.getTime() : 0;
    return quiet < silenceMs ? [] : [`Job ${job.name} has written no log for ${elapsed(quiet)}.`];
  });
}

const fits = (runner: Runner, labels: readonly string[]) =>
  labels.every((label) => runner.labels.some(({ name }) => name === label));

function nobodyTakes({ run, jobs = [], runners, now }: Evidence): string[] {
  const waits = now.getTime() - (run.created_at ?? jobs[0]?.created_at ?? now).getTime();
  if (!runners || waits < patienceMs) return [];
  return jobs
    .filter(({ status }) => status === 'queued')
    .flatMap((job) => {
      const able = runners.filter((runner) => fits(runner, job.labels));
      const wanted = `the ${job.labels.length === 1 ? 'label' : 'labels'} ${job.labels.join(', ')}`;
      if (able.length === 0)
        return [`Job ${job.name} has been waiting for ${elapsed(waits)}: no runner has ${wanted}.`];
      if (able.some((runner) => runner.status !== 'offline' && runner.disabled !== true)) return [];
      const why = able.map(({ name, disabled }) => `${name} is ${disabled ? 'disabled' : 'offline'}`).join(', ');
      return [`Job ${job.name} has been waiting for ${elapsed(waits)}. Of the runners with ${wanted}, ${why}.`];
    });
}
