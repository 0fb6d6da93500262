import { parse } from 'yaml';
import type { Run } from '../state/actions.js';
import type { User } from '../state/people.js';
import type { Commit, Repo, WorkflowJobPlan } from '../state/repo.js';
import { isForgejo, type Site } from '../state/site.js';
import type { State } from '../state/state.js';
import { keepText, type WorkflowFile, workflowFiles } from './files.js';
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

const partsOf = (text: string): ReadonlyMap<string, unknown> => new Map(entries(parse(text)));

export function nameOf({ file, text }: WorkflowFile): string {
  const name = partsOf(text).get('name');
  return typeof name === 'string' && name !== '' ? name : file;
}

export function learnWorkflow(repo: Repo, file: string, text: string): void {
  const parts = partsOf(text);
  const jobs = entries(parts.get('jobs')).map(plan);
  repo.workflows.set(file, { file, events: words(parts.get('on')), jobs });
}

/** Present from the beginning, on every branch, and only started manually. */
export const plantWorkflow = (repo: Repo, file: string, text: string): void =>
  keepText(repo, `.gitea/workflows/${file}`, text);

export function triggerWorkflows(
  state: State,
  actor: User,
  repo: Repo,
  event: string,
  branch: string,
  commit: Commit,
): void {
  for (const workflow of repo.workflows.values()) {
    if (!workflow.events.includes(event) || repo.disabledWorkflows.has(workflow.file)) continue;
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

interface Dispatch {
  readonly file: string;
  readonly ref: string;
  readonly commit: Commit;
  readonly inputs: Readonly<Record<string, string>>;
}

/** Forgejo takes an empty value for none, and up to release 11 knows a switched on input only as `on`. */
function inputOf(site: Site, about: Entries, sent: string | undefined): string {
  const parts = new Map(about);
  const usual = parts.get('default');
  const byDefault = usual === undefined ? '' : String(usual);
  if (sent === undefined || (sent === '' && isForgejo(site))) return byDefault;
  if (parts.get('type') !== 'boolean' || !isForgejo(site)) return sent;
  return String(sent === 'on' || (sent === 'true' && isForgejo(site, 15)));
}

/** Undefined if the commit has no such file. Missing inputs get the file's default. */
export function dispatchWorkflow(state: State, actor: User, repo: Repo, what: Dispatch): Run | undefined {
  const found = workflowFiles(state.site, repo, what.commit).find(({ file }) => file === what.file);
  if (found === undefined) return undefined;
  const parts = partsOf(found.text);
  const declared = new Map(entries(new Map(entries(parts.get('on'))).get('workflow_dispatch'))).get('inputs');
  const inputs = entries(declared).map(
    ([name, about]) => [name, inputOf(state.site, entries(about), what.inputs[name])] as const,
  );
  return queueRun(state, actor, repo, {
    workflow: what.file,
    title: what.commit.message.trim().split('\n')[0] ?? '',
    ref: what.ref,
    branch: /^refs\/heads\/(.+)$/.exec(what.ref)?.[1] ?? '',
    event: 'workflow_dispatch',
    sha: what.commit.sha,
    jobs: entries(parts.get('jobs')).map(plan),
    inputs: Object.fromEntries(inputs),
  });
}
