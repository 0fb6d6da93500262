import { resolve } from '../acts/commits.js';
import { type WorkflowFile, workflowFiles } from '../acts/files.js';
import { dispatchWorkflow, nameOf } from '../acts/workflows.js';
import { forbidden, invalid, notFound, nothing, ok } from '../http/answer.js';
import type { Call, Handlers } from '../http/call.js';
import { mustWrite, readable, repoOf } from '../http/guard.js';
import { workflowJson } from '../render/setup.js';
import type { Run } from '../state/actions.js';
import type { Commit, Repo } from '../state/repo.js';
import { fullName } from '../state/repo.js';
import type { Site } from '../state/site.js';

type OfWorkflow = Call<'PUT /repos/{owner}/{repo}/actions/workflows/{workflow_id}/enable'>;

const usual = (site: Site, repo: Repo): WorkflowFile[] => {
  const commit = resolve(repo, repo.defaultBranch);
  return commit === undefined ? [] : workflowFiles(site, repo, commit);
};

function switchTo(call: OfWorkflow, enabled: boolean) {
  const repo = repoOf(call);
  mustWrite(call, repo, 'actions');
  const file = call.params.workflow_id;
  if (!usual(call.state.site, repo).some((each) => each.file === file)) throw notFound(`workflow "${file}" not found`);
  if (enabled) repo.disabledWorkflows.delete(file);
  else repo.disabledWorkflows.add(file);
  return nothing;
}

/** A plain name is a branch. */
function target(repo: Repo, ref: string): { readonly ref: string; readonly commit: Commit } {
  const whole = /^refs\/(heads|tags)\//.test(ref) ? ref : `refs/heads/${ref}`;
  const [, kind, name = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(whole) ?? [];
  const commit = repo.commits.get((kind === 'tags' ? repo.tags : repo.branches).get(name) ?? '');
  if (commit === undefined) throw notFound(`ref "${ref}" doesn't exist`);
  return { ref: whole, commit };
}

/** The run it started; both products refuse in a different order, with the same outcome. */
export function dispatched(call: Call<'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches'>): Run {
  const repo = repoOf(call);
  const user = mustWrite(call, repo, 'actions');
  const file = call.params.workflow_id;
  const ref = call.body().text('ref') ?? '';
  if (ref === '') throw invalid('ref is required parameter');
  if (repo.disabledWorkflows.has(file)) throw forbidden('workflow is disabled');
  const inputs = call.body().map('inputs') ?? {};
  const given = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, String(value)]));
  const run = dispatchWorkflow(call.state, user, repo, { file, ...target(repo, ref), inputs: given });
  if (run === undefined) throw notFound(`workflow "${file}" doesn't exist`);
  return run;
}

export const workflows = {
  list: (call) => {
    const repo = readable(call);
    const all = usual(call.state.site, repo).map((each) =>
      workflowJson(call.view, repo, each, nameOf(each), repo.disabledWorkflows.has(each.file)),
    );
    return ok({ workflows: all, total_count: all.length });
  },
  enable: (call) => switchTo(call, true),
  disable: (call) => switchTo(call, false),
  dispatch: (call) => {
    const run = dispatched(call);
    if (call.query.flag('return_run_details') !== true) return nothing;
    const path = `${fullName(run.repo)}/actions/runs/${run.id}`;
    const { url } = call.state.site;
    return ok({ workflow_run_id: run.id, run_url: `${url}/api/v1/repos/${path}`, html_url: `${url}/${path}` });
  },
} satisfies Handlers['workflows'];
