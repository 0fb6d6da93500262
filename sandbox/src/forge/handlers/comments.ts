import { forbidden, notFound, nothing, ok } from '../http/answer.js';
import type { Call, Handlers } from '../http/call.js';
import { may, notArchived, repoOf, signedIn } from '../http/guard.js';
import { commentJson } from '../render/issues.js';
import type { Comment } from '../state/repo.js';

type At = Pick<Call, 'state' | 'caller' | 'path' | 'query'> & {
  readonly params: { readonly owner: string; readonly repo: string; readonly id: number };
};

const unitOf = ({ issue }: Comment) => (issue.pull === undefined ? 'issues' : 'pulls');

function commentAt(call: At): Comment {
  const repo = repoOf(call);
  const found = [...repo.issues.values()].flatMap((issue) => issue.comments).find(({ id }) => id === call.params.id);
  if (found === undefined || !may(call, repo, unitOf(found), 'read')) throw notFound();
  return found;
}

/** Its poster, or someone with write access. */
function changeable(call: At): Comment {
  const found = commentAt(call);
  const user = signedIn(call);
  notArchived(found.issue.repo);
  if (user !== found.poster && !may(call, found.issue.repo, unitOf(found), 'write')) throw forbidden('');
  return found;
}

export const getComment: Handlers['issues']['getComment'] = (call) => {
  const found = commentAt(call);
  return found.kind === 'text' ? ok(commentJson(call.view, found)) : nothing;
};

/** A row that is not a person's comment gets an empty answer. */
export const editComment: Handlers['issues']['editComment'] = (call) => {
  const found = changeable(call);
  if (found.kind !== 'text') return nothing;
  found.body = call.body().requiredText('body');
  found.updated = call.state.now();
  return ok(commentJson(call.view, found));
};

export const deleteComment: Handlers['issues']['deleteComment'] = (call) => {
  const found = changeable(call);
  if (found.kind !== 'text') return nothing;
  found.issue.comments.splice(found.issue.comments.indexOf(found), 1);
  call.state.comments.delete(found.id);
  return nothing;
};
