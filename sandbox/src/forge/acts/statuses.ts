import { parse } from 'yaml';
import { payloadCommit } from '../render/commits.js';
import { stamp } from '../render/view.js';
import { currentJobs, type Job, type Run, type Status } from '../state/actions.js';
import type { User } from '../state/people.js';
import { type CommitStatus, fullName, type Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import { workflowFiles } from './files.js';
import { emit } from './hooks.js';
import { mergeScheduled } from './pulls.js';

type States = Readonly<Record<Status, string>>;

const onForgejo: States = {
  waiting: 'pending',
  blocked: 'pending',
  running: 'pending',
  cancelling: 'failure',
  success: 'success',
  failure: 'failure',
  cancelled: 'failure',
  skipped: 'success',
};
const onGitea: States = { ...onForgejo, cancelling: 'pending', skipped: 'skipped' };

/** Written and sent to hooks; Forgejo has no such event. */
export function addStatus(state: State, repo: Repo, what: Omit<CommitStatus, 'id' | 'at'>, sender: User): void {
  const status = { ...what, id: state.nextId('status'), at: state.now() };
  repo.statuses.push(status);
  const commit = repo.commits.get(status.sha);
  for (const issue of repo.issues.values())
    if (issue.pull?.headSha === status.sha) mergeScheduled(state, issue, status.state === 'success');
  if (isForgejo(state.site) || commit === undefined) return;
  emit(state, {
    event: 'status',
    type: 'status',
    repo,
    sender,
    payload: (view) => ({
      commit: payloadCommit(view, repo, commit),
      context: status.context,
      created_at: stamp(view, status.at),
      description: status.description,
      id: status.id,
      sha: status.sha,
      state: status.state,
      target_url: status.targetUrl.startsWith('/') ? `${state.site.url}${status.targetUrl}` : status.targetUrl,
      updated_at: stamp(view, status.at),
    }),
  });
}

/** Gitea uses the name in the file, which may be missing; Forgejo the file name. */
function workflowName(state: State, { repo, workflow, sha }: Run): string {
  if (isForgejo(state.site)) return workflow.replace(/\.ya?ml$/, '');
  const commit = repo.commits.get(sha);
  const found = commit && workflowFiles(state.site, repo, commit).find(({ file }) => file === workflow);
  return found ? nameIn(found.text) : workflow;
}

/** Every job of a run asks several times, and each new forge begins with the same files. */
const names = new Map<string, string>();

function nameIn(file: string): string {
  const known = names.get(file);
  if (known !== undefined) return known;
  const parts: unknown = parse(file);
  const name = typeof parts === 'object' && parts !== null && 'name' in parts ? String(parts.name) : '';
  names.set(file, name);
  return name;
}

function wordsOf({ status, started, completed }: Job): string {
  const lasted = `${Math.max(0, completed - started)}s`;
  const words: Readonly<Partial<Record<Status, string>>> = {
    success: `Successful in ${lasted}`,
    failure: `Failing after ${lasted}`,
    cancelled: 'Has been cancelled',
    skipped: 'Has been skipped',
    running: 'Has started running',
    waiting: 'Waiting to run',
    blocked: 'Blocked by required conditions',
  };
  return words[status] ?? '';
}

/** On Gitea, manually started and scheduled runs report nothing about their commit. */
const telling = ['push', 'pull_request', 'pull_request_target', 'release'];

/** Each job is a status of its commit, without a creator; its address is a path without a host. */
export function noteStatuses(state: State, run: Run): void {
  const { repo } = run;
  const forgejo = isForgejo(state.site);
  if (!forgejo && (!telling.includes(run.event) || !repo.commits.has(run.sha))) return;
  const states = forgejo ? onForgejo : onGitea;
  const name = workflowName(state, run);
  currentJobs(run).forEach((job, nth) => {
    const context = `${name} / ${job.plan.name} (${run.event})`.trim();
    const before = repo.statuses.findLast((each) => each.sha === run.sha && each.context === context);
    if (before?.state === states[job.status]) return;
    const page = forgejo ? `${run.number}/jobs/${nth}` : `${run.id}/jobs/${job.id}`;
    const status = {
      sha: run.sha,
      context,
      state: states[job.status],
      description: forgejo ? '' : wordsOf(job),
      targetUrl: `/${fullName(repo)}/actions/runs/${page}`,
      creator: undefined,
    };
    addStatus(state, repo, status, run.triggeredBy);
  });
}
