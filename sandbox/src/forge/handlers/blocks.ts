import { addComment } from '../acts/issues.js';
import { broken, notFound } from '../http/answer.js';
import type { Body } from '../http/body.js';
import type { Call } from '../http/call.js';
import { issueAt, noIssue, repoOf, signedIn } from '../http/guard.js';
import { access, atLeast, canSee } from '../state/access.js';
import { findRepo } from '../state/find.js';
import type { Issue } from '../state/repo.js';

type InIssue = Pick<Call, 'state' | 'caller' | 'path' | 'query' | 'body'> & {
  readonly params: { readonly owner: string; readonly repo: string; readonly index: number };
};

/** The issue in the body, which will be blocked by the issue in the path. */
function waitingIssue(call: InIssue, body: Body): Issue {
  const { state, caller } = call;
  const owner = body.text('owner') ?? '';
  const name = body.text('repo') ?? '';
  const repo = findRepo(state, owner, name);
  if (repo === undefined || !canSee(state, caller.user, repo)) {
    throw notFound(`repository does not exist [id: 0, uid: 0, owner_name: ${owner}, name: ${name}]`);
  }
  const index = body.number('index') ?? 0;
  if (!repo.issues.has(index)) throw noIssue(state, repo, index);
  const issue = issueAt(repo, index);
  const unit = issue.pull === undefined ? 'issues' : 'pulls';
  const writable = atLeast(access(state, caller.user, repo, unit), 'write');
  if (!writable || !repo.dependencies || repo.archivedAt !== undefined) throw notFound();
  return issue;
}

function pair(call: InIssue): { blocker: Issue; waiting: Issue } {
  const repo = repoOf(call);
  signedIn(call);
  const body = call.body();
  const blocker = issueAt(repo, call.params.index);
  return { blocker, waiting: waitingIssue(call, body) };
}

/** Duplicates and cycles make the server fail without a message. */
export function block(call: InIssue): Issue {
  const { blocker, waiting } = pair(call);
  if (blocker === waiting || waiting.dependencies.has(blocker) || blocker.dependencies.has(waiting)) throw broken();
  waiting.dependencies.add(blocker);
  addComment(call.state, waiting, signedIn(call), '', { type: 'add_dependency' });
  return blocker;
}

export function unblock(call: InIssue): Issue {
  const { blocker, waiting } = pair(call);
  if (!waiting.dependencies.delete(blocker)) throw broken();
  addComment(call.state, waiting, signedIn(call), '', { type: 'remove_dependency' });
  return blocker;
}
