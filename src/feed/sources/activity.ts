import { hash } from 'node:crypto';
import { isHidden } from '../../forge/hidden.js';
import type { Activity } from '../../forge/schemas/activity.js';
import { shortRef } from '../../short-ref.js';
import type { Actor, Event, Item, RepoRef } from '../event.js';
import { actorOf, itemThread } from '../item.js';
import { kindOfOp } from '../kind-of-op.js';
import { readPush, refPath, splitContent } from './content.js';

/** One feed row as an event; undefined if its repository no longer exists. */
export function activityEvent(source: string, row: Activity): Event | undefined {
  const repo = repoOf(row);
  if (!repo) return undefined;
  const base = {
    v: 1 as const,
    id: `${source}:${row.id}`,
    source,
    deed: deedOf(row),
    at: row.created.toISOString(),
    repo,
    actor: actorOf(row.act_user),
  };
  return shape(base, row);
}

/** Each receiver's feed has its own row ids; these fields are the same in all of them. */
function deedOf({ op_type, act_user_id, repo_id, comment_id, ref_name, content, created }: Activity): string {
  const parts = [op_type, act_user_id, repo_id, comment_id, ref_name, content, created.getTime()];
  return `deed:${hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)}`;
}

interface Base {
  readonly v: 1;
  readonly id: string;
  readonly source: string;
  readonly deed: string;
  readonly at: string;
  readonly repo: RepoRef;
  readonly actor: Actor | null;
}

function shape(base: Base, row: Activity): Event {
  const { repo } = base;
  const kind = isKnown(row.op_type) ? kindOfOp[row.op_type] : 'repos:other';
  const ref = shortRef(row.ref_name);
  switch (kind) {
    case 'issues:opened':
    case 'issues:closed':
    case 'issues:reopened':
      return { ...base, kind, item: numbered(repo, 'issue', row, true) };
    case 'pulls:opened':
    case 'pulls:closed':
    case 'pulls:reopened':
    case 'pulls:ready':
      return { ...base, kind, item: numbered(repo, 'pull', row, true) };
    case 'pulls:merged':
      return {
        ...base,
        kind,
        item: numbered(repo, 'pull', row, true),
        ...(row.op_type === 'auto_merge_pull_request' && { auto: true }),
      };
    case 'comments:issue':
      return { ...base, kind, item: numbered(repo, 'issue', row, false), text: said(row), ...commentOf(row) };
    case 'comments:pull':
      return { ...base, kind, item: numbered(repo, 'pull', row, false), text: said(row), ...commentOf(row) };
    case 'reviews:approved':
    case 'reviews:rejected':
      return { ...base, kind, item: numbered(repo, 'pull', row, false), text: said(row), comments: 0 };
    case 'reviews:dismissed':
      return { ...base, kind, item: numbered(repo, 'pull', row, false), comments: 0, ...dismissed(row) };
    case 'commits:pushed':
    case 'mirrors:pushed':
      // an empty row means that the branch is new; its commits follow in a second row
      return row.content === '' && kind === 'commits:pushed'
        ? { ...base, kind: 'branches:created', ref, item: refItem(repo, 'branch', ref) }
        : { ...base, kind, push: readPush(row.content, ref, rootOf(repo)), item: refItem(repo, 'branch', ref) };
    case 'branches:deleted':
      return { ...base, kind, ref, item: { kind: 'branch', title: ref, url: `${repo.url}/branches` } };
    case 'tags:created':
      return { ...base, kind, ref, item: refItem(repo, 'tag', ref) };
    case 'tags:deleted':
      return { ...base, kind, ref, item: { kind: 'tag', title: ref, url: `${repo.url}/tags` } };
    case 'mirrors:created':
    case 'mirrors:deleted':
      return { ...base, kind, ref, item: refItem(repo, row.ref_name.startsWith('refs/tags/') ? 'tag' : 'branch', ref) };
    case 'releases:published':
      return { ...base, kind, tag: ref, item: releaseItem(repo, ref, row.content) };
    case 'repos:renamed':
    case 'repos:transferred':
      return { ...base, kind, was: row.content, item: repoItem(repo) };
    case 'repos:other':
      return { ...base, kind, op: row.op_type, item: repoItem(repo) };
    case 'repos:created':
    case 'repos:starred':
    case 'repos:watched':
      return { ...base, kind, item: repoItem(repo) };
  }
}

const isKnown = (op: string): op is keyof typeof kindOfOp => Object.hasOwn(kindOfOp, op);

function repoOf(row: Activity): RepoRef | undefined {
  if (!row.repo) return undefined;
  const { id, full_name, html_url } = row.repo;
  const hidden = isHidden(row.repo) || row.is_private;
  return { id, fullName: full_name, url: html_url.replace(/\/+$/, ''), hidden };
}

/** The forge's own address, derived from a repository's, whose last two parts are owner and name. */
const rootOf = (repo: RepoRef): string =>
  repo.url.endsWith(`/${repo.fullName}`) ? repo.url.slice(0, -repo.fullName.length - 1) : '';

function numbered(repo: RepoRef, kind: 'issue' | 'pull', row: Activity, titled: boolean): Item {
  const { number, text } = splitContent(row.content);
  if (number === undefined) return repoItem(repo);
  const page = `${repo.url}/${kind === 'pull' ? 'pulls' : 'issues'}/${number}`;
  const url = titled || !row.comment?.html_url ? page : row.comment.html_url;
  return { kind, number, url, thread: itemThread(repo.id, number), ...(titled && text !== '' && { title: text }) };
}

/** The comment itself if the row has it: the content holds only its first two hundred characters. */
const said = (row: Activity): string => (row.comment?.body || splitContent(row.content).text).slice(0, 4000);

const commentOf = ({ comment, comment_id }: Activity): { readonly comment?: number } => {
  const id = comment?.id || comment_id;
  return id ? { comment: id } : {};
};

function dismissed(row: Activity): { readonly text: string; readonly reviewer?: string } {
  const [reviewer = '', ...rest] = splitContent(row.content).text.split('|');
  return rest.length > 0 ? { reviewer, text: rest.join('|') } : { text: reviewer };
}

const refItem = (repo: RepoRef, kind: 'branch' | 'tag', ref: string): Item => ({
  kind,
  title: ref,
  url: `${repo.url}/src/${kind}/${refPath(ref)}`,
});

const releaseItem = (repo: RepoRef, tag: string, title: string): Item => ({
  kind: 'release',
  title: title || tag,
  url: `${repo.url}/releases/tag/${refPath(tag)}`,
});

const repoItem = (repo: RepoRef): Item => ({ kind: 'repo', title: repo.fullName, url: repo.url });
