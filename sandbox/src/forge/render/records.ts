import { canSee } from '../state/access.js';
import type { Activity, CronTask, Hook, Key, Package, Thread } from '../state/records.js';
import { fullName, type Issue, type Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import { commentJson, commentWeb, issueApi, issueWeb } from './issues.js';
import { userJson } from './people.js';
import { repoJson } from './repos.js';
import { apiUrl, fineStamp, type Json, never, stamp, type View } from './view.js';

/** Draws rows of one answer: most of them are about the same repository. */
export function activityRows(view: View): (row: Activity) => Json {
  const repos = new Map<Repo, Json>();
  return (row) => {
    const repo = repos.get(row.repo) ?? repoJson(view, row.repo);
    repos.set(row.repo, repo);
    return activityJson(view, row, repo);
  };
}

const activityJson = (view: View, row: Activity, repo: Json): Json => ({
  id: row.id,
  user_id: row.receiver.id,
  op_type: row.op,
  act_user_id: row.actor.id,
  act_user: view.state.users.has(row.actor.id) ? userJson(view, row.actor) : null,
  repo_id: row.repo.id,
  repo,
  comment_id: row.comment?.id ?? 0,
  comment: row.comment === undefined ? null : commentJson(view, row.comment, false),
  ref_name: row.ref,
  is_private: row.private,
  content: row.content,
  created: stamp(view, row.created),
});

function subjectJson(view: View, issue: Issue): Json {
  const latest = issue.comments.findLast((comment) => comment.kind === 'text');
  return {
    title: issue.title,
    url: issueApi(view, issue),
    latest_comment_url:
      latest === undefined ? '' : `${apiUrl(view)}/repos/${fullName(issue.repo)}/issues/comments/${latest.id}`,
    html_url: issueWeb(view, issue),
    latest_comment_html_url: latest === undefined ? '' : commentWeb(view, latest),
    type: issue.pull === undefined ? 'Issue' : 'Pull',
    state: issue.pull?.merged === undefined ? issue.state : 'merged',
  };
}

/** Gitea 1.28 sends null for what the person may no longer see; older servers and Forgejo still tell everything. */
export function threadJson(view: View, thread: Thread): Json {
  const { site } = view.state;
  const tells = site.flavor === 'gitea-1.26' || isForgejo(site);
  const visible = tells || canSee(view.state, thread.user, thread.repo);
  const subject =
    thread.issue === undefined
      ? {
          title: fullName(thread.repo),
          url: `/${fullName(thread.repo)}`,
          latest_comment_url: '',
          html_url: `${view.state.site.url}/${fullName(thread.repo)}`,
          latest_comment_html_url: '',
          type: 'Repository',
          state: '',
        }
      : subjectJson(view, thread.issue);
  return {
    id: thread.id,
    repository: visible ? repoJson(view, thread.repo, 'hidden') : null,
    subject: visible ? subject : null,
    unread: thread.status === 'unread',
    pinned: thread.status === 'pinned',
    updated_at: stamp(view, thread.updated),
    url: `${apiUrl(view)}/notifications/threads/${thread.id}`,
  };
}

export const cronJson = (view: View, task: CronTask): Json => ({
  name: task.name,
  schedule: task.schedule,
  next: task.next === 0 ? never : stamp(view, task.next),
  prev: task.prev === 0 ? never : fineStamp(view, task.prev),
  exec_times: task.executions,
});

/** The secret is never returned. */
export const hookJson = (view: View, hook: Hook): Json => ({
  id: hook.id,
  ...(isForgejo(view.state.site)
    ? { url: hook.url, content_type: hook.contentType, metadata: null }
    : { name: hook.name }),
  type: hook.type,
  branch_filter: hook.branchFilter,
  config: { ...hook.extras, content_type: hook.contentType, url: hook.url },
  events: hook.events,
  authorization_header: hook.authorization,
  active: hook.active,
  updated_at: stamp(view, hook.created),
  created_at: stamp(view, hook.created),
});

export const packageJson = (view: View, pack: Package): Json => ({
  id: pack.id,
  owner: userJson(view, pack.owner),
  repository: pack.repo === undefined ? null : repoJson(view, pack.repo),
  creator: userJson(view, pack.creator),
  type: pack.type,
  name: pack.name,
  version: pack.version,
  html_url: `${view.state.site.url}/${pack.owner.login}/-/packages/${pack.type}/${pack.name}/${pack.version}`,
  created_at: stamp(view, pack.created),
});

export function keyJson(view: View, key: Key): Json {
  const { site } = view.state;
  const isDocumented = site.flavor === 'document';
  const created = stamp(view, key.created);
  if ('repo' in key.home) {
    return {
      id: key.id,
      key_id: key.id,
      key: key.content,
      url: `${apiUrl(view)}/repos/${fullName(key.home.repo)}/keys/${key.id}`,
      title: key.title,
      fingerprint: key.fingerprint,
      created_at: created,
      read_only: key.readOnly,
      ...(isDocumented ? { key_type: 'ssh' } : {}),
    };
  }
  return {
    id: key.id,
    key: key.content,
    url: `${apiUrl(view)}/user/keys/${key.id}`,
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: created,
    ...(isForgejo(site)
      ? isForgejo(site, 16) && { updated_at: created, verified: false }
      : isDocumented
        ? { updated_at: created }
        : { last_used_at: created }),
    user: userJson(view, key.home.user),
    key_type: 'user',
  };
}
