import { progressOf } from './status.js';

/** An ActionRun is recognized by its number; everything else is returned unchanged. */
export function fromForgejoRun(record: object): object {
  if (!('index_in_repo' in record)) return record;
  const run = new Map<string, unknown>(Object.entries(record));
  return {
    id: run.get('id'),
    run_number: run.get('index_in_repo'),
    display_title: run.get('title'),
    path: run.get('workflow_id'),
    // `event` is the webhook's name; this one is the key under `on:`
    event: run.get('trigger_event') || run.get('event'),
    ...progressOf(run.get('status')),
    head_sha: run.get('commit_sha'),
    head_branch: run.get('prettyref'),
    html_url: run.get('html_url'),
    actor: run.get('trigger_user'),
    trigger_actor: run.get('trigger_user'),
    repository: run.get('repository'),
    created_at: run.get('created'),
    updated_at: run.get('updated'),
    started_at: run.get('started'),
    completed_at: run.get('stopped'),
  };
}

/** An ActionRunJob has labels, but no runner, times or steps. */
export function fromForgejoJob(record: object): object {
  if (!('runs_on' in record)) return record;
  const job = new Map<string, unknown>(Object.entries(record));
  return {
    id: job.get('id'),
    run_id: job.get('run_id'),
    run_attempt: job.get('attempt'),
    name: job.get('name'),
    labels: job.get('runs_on'),
    ...progressOf(job.get('status')),
  };
}
