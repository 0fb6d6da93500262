import type { User } from '../state/people.js';
import type { Release, Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import { changed, type State } from '../state/state.js';
import { commit, resolve } from './commits.js';
import { pushContent, record } from './feed.js';
import { emit } from './hooks.js';

function created(state: State, sender: User, repo: Repo, kind: 'tag' | 'branch', name: string, sha: string): void {
  emit(state, {
    event: 'create',
    type: 'create',
    repo,
    sender,
    payload: () => ({ ref: name, ref_type: kind, sha }),
  });
}

function deleted(state: State, sender: User, repo: Repo, kind: 'tag' | 'branch', name: string): void {
  emit(state, {
    event: 'delete',
    type: 'delete',
    repo,
    sender,
    payload: () => ({ ref: name, ref_type: kind, pusher_type: 'user' }),
  });
  changed(state, 'repository', repo);
}

export function tag(state: State, actor: User, repo: Repo, name: string, at = repo.defaultBranch): void {
  const head = resolve(repo, at);
  if (head === undefined) throw new Error(`The sandbox forge has no ${at} to tag.`);
  repo.tags.set(name, head.sha);
  record(state, {
    op: 'push_tag',
    actor,
    repo,
    ref: `refs/tags/${name}`,
    content: pushContent(state, repo, null, head, ''),
  });
  created(state, actor, repo, 'tag', name, head.sha);
}

export function deleteTag(state: State, actor: User, repo: Repo, name: string): void {
  repo.tags.delete(name);
  const content = pushContent(state, repo, isForgejo(state.site) ? null : [], undefined, '');
  record(state, { op: 'delete_tag', actor, repo, ref: `refs/tags/${name}`, content });
  deleted(state, actor, repo, 'tag', name);
}

export function deleteBranch(state: State, actor: User, repo: Repo, name: string): void {
  repo.branches.delete(name);
  record(state, { op: 'delete_branch', actor, repo, ref: `refs/heads/${name}` });
  deleted(state, actor, repo, 'branch', name);
}

export function release(state: State, actor: User, repo: Repo, tagName: string, title: string, notes = ''): Release {
  if (!repo.tags.has(tagName)) tag(state, actor, repo, tagName);
  const made = { id: repo.releases.size + 1, tag: tagName, title, notes, author: actor, created: state.now() };
  repo.releases.set(tagName, made);
  const ref = isForgejo(state.site) ? tagName : `refs/tags/${tagName}`;
  record(state, { op: 'publish_release', actor, repo, ref, content: title });
  emit(state, {
    event: 'release',
    type: 'release',
    repo,
    sender: actor,
    payload: () => ({ action: 'published', release: { tag_name: tagName, name: title } }),
  });
  return made;
}

/** A mirror syncs: the owner is the actor. */
export function mirrorSync(
  state: State,
  repo: Repo,
  kind: 'push' | 'create' | 'delete',
  branch: string,
  message = 'Upstream change',
): void {
  const actor = repo.owner;
  const before = repo.branches.get(branch) ?? '';
  let content = '';
  if (kind === 'delete') {
    repo.branches.delete(branch);
  } else {
    const made = commit(state, repo, actor, { message }, before ? [before] : []);
    repo.branches.set(branch, made.sha);
    if (kind === 'push') content = pushContent(state, repo, [made], made, before);
  }
  repo.updated = state.now();
  record(state, { op: `mirror_sync_${kind}`, actor, repo, ref: `refs/heads/${branch}`, content });
}
