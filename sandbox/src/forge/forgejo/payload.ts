import { payloadCommit } from '../render/commits.js';
import { plainUser } from '../render/people.js';
import { repoJson } from '../render/repos.js';
import type { View } from '../render/view.js';
import type { Run } from '../state/actions.js';
import { forgejoShape } from './shape.js';

/** The whole webhook payload that started a run, as text: it makes a run large and contains email addresses. */
export function payloadOf(view: View, run: Run): string {
  const commit = run.repo.commits.get(run.sha);
  const head = commit === undefined ? null : payloadCommit(view, run.repo, commit);
  const payload = {
    ref: `refs/heads/${run.branch}`,
    before: commit?.parents[0] ?? '',
    after: run.sha,
    compare_url: '',
    commits: head === null ? [] : [head],
    total_commits: 0,
    head_commit: head,
    repository: repoJson(view, run.repo, 'none'),
    pusher: plainUser(view, run.actor),
    sender: plainUser(view, run.actor),
  };
  return JSON.stringify(forgejoShape(view.state.site, payload));
}
