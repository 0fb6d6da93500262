import { parse } from 'yaml';
import type { User } from '../state/people.js';
import type { Commit, Repo, WorkflowJobPlan } from '../state/repo.js';
import type { State } from '../state/state.js';
import { queueRun } from './runs.js';

type Entries = readonly (readonly [string, unknown])[];

const entries = (value: unknown): Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

/** A word, a list of words, or a map whose keys are the words. */
function words(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string');
  return entries(value).map(([key]) => key);
}

function steps(value: unknown): string[] {
  return Array.isArray(value) ? value.map((step) => words(new Map(entries(step)).get('run'))[0] ?? 'step') : [];
}

function plan([name, job]: readonly [string, unknown]): WorkflowJobPlan {
  const parts = new Map(entries(job));
  return {
    name,
    labels: words(parts.get('runs-on')),
    needs: words(parts.get('needs')),
    steps: steps(parts.get('steps')),
  };
}

export function learnWorkflow(repo: Repo, file: string, text: string): void {
  const parts = new Map(entries(parse(text)));
  const jobs = entries(parts.get('jobs')).map(plan);
  repo.workflows.set(file, { file, events: words(parts.get('on')), jobs });
}

export function triggerWorkflows(
  state: State,
  actor: User,
  repo: Repo,
  event: string,
  branch: string,
  commit: Commit,
): void {
  for (const workflow of repo.workflows.values()) {
    if (!workflow.events.includes(event)) continue;
    queueRun(state, actor, repo, {
      workflow: workflow.file,
      title: commit.message.trim().split('\n')[0] ?? '',
      branch,
      event,
      sha: commit.sha,
      jobs: workflow.jobs,
    });
  }
}
