import { hash } from 'node:crypto';
import { z } from 'zod';
import { isHidden } from '../../forge/hidden.js';
import type { Page } from '../../forge/operation.js';
import type { Activity, OpType } from '../../forge/schemas.js';
import { shortRef } from '../../short-ref.js';
import type { Actor, Commit, Event, Item, Kind, Push, RepoRef } from '../event.js';
import { actorOf, itemThread } from '../item.js';
import { advance, byTime, type FeedMark, floorOf, fresh, overlapMs, type Row } from '../mark.js';
import { type PageRequest, pageCap, pageSize, probeSize, type Steps } from './source.js';

/** @internal Every activity the forge has, and our kind for it; a branch's first push is recognized by its content. */
export const kindOfOp = {
  create_repo: 'repos:created',
  rename_repo: 'repos:renamed',
  star_repo: 'repos:starred',
  watch_repo: 'repos:watched',
  commit_repo: 'commits:pushed',
  create_issue: 'issues:opened',
  create_pull_request: 'pulls:opened',
  transfer_repo: 'repos:transferred',
  push_tag: 'tags:created',
  comment_issue: 'comments:issue',
  merge_pull_request: 'pulls:merged',
  close_issue: 'issues:closed',
  reopen_issue: 'issues:reopened',
  close_pull_request: 'pulls:closed',
  reopen_pull_request: 'pulls:reopened',
  delete_tag: 'tags:deleted',
  delete_branch: 'branches:deleted',
  mirror_sync_push: 'mirrors:pushed',
  mirror_sync_create: 'mirrors:created',
  mirror_sync_delete: 'mirrors:deleted',
  approve_pull_request: 'reviews:approved',
  reject_pull_request: 'reviews:rejected',
  comment_pull: 'comments:pull',
  publish_release: 'releases:published',
  pull_review_dismissed: 'reviews:dismissed',
  pull_request_ready_for_review: 'pulls:ready',
  auto_merge_pull_request: 'pulls:merged',
} as const satisfies Record<OpType, Kind>;

/** @internal `12|title`: split at the first bar only, since a title may contain more. */
export function splitContent(content: string): { readonly number: number | undefined; readonly text: string } {
  const bar = content.indexOf('|');
  const head = bar === -1 ? content : content.slice(0, bar);
  const number = /^\d{1,15}$/.test(head) ? Number(head) : undefined;
  return { number, text: number === undefined ? content : content.slice(bar === -1 ? content.length : bar + 1) };
}

const text = z.string().catch('');
const PushedCommit = z.object({ Sha1: text, Message: text, AuthorName: text });
const Pushed = z.object({
  Commits: z.array(PushedCommit.nullable().catch(null)).nullish().catch(null),
  HeadCommit: PushedCommit.nullish().catch(null),
  CompareURL: text,
  Len: z.number().catch(0),
});

const commit = ({ Sha1, Message, AuthorName }: z.infer<typeof PushedCommit>): Commit => ({
  sha: Sha1,
  message: (Message.trim().split('\n')[0] ?? '').slice(0, 300),
  author: AuthorName,
});

/** @internal Old rows have other shapes, and one above 64 KiB is cut to `{}`: missing parts stay empty. */
export function readPush(content: string, branch: string, root: string): Push {
  const read = Pushed.safeParse(json(content));
  if (!read.success) return { branch, commits: [], total: 0 };
  const { Commits, HeadCommit, CompareURL, Len } = read.data;
  const listed = (Commits ?? []).filter((entry) => entry !== null);
  const commits = (listed.length > 0 ? listed : HeadCommit ? [HeadCommit] : []).slice(0, 20).map(commit);
  const compareUrl = CompareURL === '' ? undefined : absolute(CompareURL, root);
  return {
    branch,
    commits,
    total: Math.max(Math.trunc(Len), listed.length),
    ...(compareUrl && { compareUrl }),
  };
}

/** The forge writes compare addresses relative to its root. */
function absolute(address: string, root: string): string | undefined {
  if (/^https?:\/\//i.test(address)) return address;
  return root === '' ? undefined : `${root}/${address.replace(/^\/+/, '')}`;
}

function json(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/** A branch or tag name inside a URL: slashes stay, the rest is encoded. */
const refPath = (ref: string): string => ref.split('/').map(encodeURIComponent).join('/');

/** @internal One feed row as an event; undefined if its repository no longer exists. */
export function activityEvent(source: string, row: Activity): Event | undefined {
  const repo = repoOf(row);
  if (!repo) return undefined;
  const base = {
    v: 1 as const,
    id: `${source}:${row.id}`,
    source,
    action: describeOperation(row),
    at: row.created.toISOString(),
    repo,
    actor: actorOf(row.act_user),
  };
  return shape(base, row);
}

/** Each receiver's feed has its own row ids; these fields are the same in all of them. */
function describeOperation({
  op_type,
  act_user_id,
  repo_id,
  comment_id,
  ref_name,
  content,
  created,
}: Activity): string {
  const parts = [op_type, act_user_id, repo_id, comment_id, ref_name, content, created.getTime()];
  return `action:${hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)}`;
}

interface Base {
  readonly v: 1;
  readonly id: string;
  readonly source: string;
  readonly action: string;
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
      return { ...base, kind, item: itemOfRow(repo, 'issue', row, true) };
    case 'pulls:opened':
    case 'pulls:closed':
    case 'pulls:reopened':
    case 'pulls:ready':
      return { ...base, kind, item: itemOfRow(repo, 'pull', row, true) };
    case 'pulls:merged':
      return {
        ...base,
        kind,
        item: itemOfRow(repo, 'pull', row, true),
        ...(row.op_type === 'auto_merge_pull_request' && { auto: true }),
      };
    case 'comments:issue':
      return { ...base, kind, item: itemOfRow(repo, 'issue', row, false), text: textOfRow(row), ...commentOf(row) };
    case 'comments:pull':
      return { ...base, kind, item: itemOfRow(repo, 'pull', row, false), text: textOfRow(row), ...commentOf(row) };
    case 'reviews:approved':
    case 'reviews:rejected':
      return { ...base, kind, item: itemOfRow(repo, 'pull', row, false), text: textOfRow(row), comments: 0 };
    case 'reviews:dismissed':
      return { ...base, kind, item: itemOfRow(repo, 'pull', row, false), comments: 0, ...readDismissal(row) };
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

function itemOfRow(repo: RepoRef, kind: 'issue' | 'pull', row: Activity, titled: boolean): Item {
  const { number, text } = splitContent(row.content);
  if (number === undefined) return repoItem(repo);
  const page = `${repo.url}/${kind === 'pull' ? 'pulls' : 'issues'}/${number}`;
  const url = titled || !row.comment?.html_url ? page : row.comment.html_url;
  return { kind, number, url, thread: itemThread(repo.id, number), ...(titled && text !== '' && { title: text }) };
}

/** The comment itself if the row has it: the content holds only its first two hundred characters. */
const textOfRow = (row: Activity): string => (row.comment?.body || splitContent(row.content).text).slice(0, 4000);

const commentOf = ({ comment, comment_id }: Activity): { readonly comment?: number } => {
  const id = comment?.id || comment_id;
  return id ? { comment: id } : {};
};

function readDismissal(row: Activity): { readonly text: string; readonly reviewer?: string } {
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

/** The rows of one action are written in the same second, or just across its end. */
const joinMs = 2_000;

/** Merges the rows of one action into one event. Oldest first in, oldest first out. */
function join(events: readonly Event[]): Event[] {
  const taken = new Set<string>();
  const near = (at: number, wanted: (event: Event) => boolean): Event[] =>
    around(events, at).filter((event) => !taken.has(event.id) && wanted(event));
  const joined = new Map<string, Event>();
  const keep = (event: Event, parts: readonly Event[]) => {
    for (const part of parts) taken.add(part.id);
    joined.set(event.id, event);
  };

  for (const [at, event] of events.entries()) {
    if (taken.has(event.id)) continue;
    switch (event.kind) {
      case 'branches:created': {
        const [push] = near(
          at,
          (other) => other.kind === 'commits:pushed' && other.push.branch === event.ref && same(other, event),
        );
        if (push?.kind === 'commits:pushed') {
          keep({ ...push, created: true, also: ['branches:created'] }, [event]);
        }
        break;
      }
      case 'pulls:merged': {
        const pushes = near(
          at,
          (other) => other.kind === 'commits:pushed' && !joined.has(other.id) && same(other, event),
        );
        const named = new RegExp(`#${event.item.number}\\b`);
        const push =
          pushes.find(
            (other) => other.kind === 'commits:pushed' && other.push.commits.some(({ message }) => named.test(message)),
          ) ?? pushes[0];
        if (push?.kind === 'commits:pushed') keep({ ...event, push: push.push, also: ['commits:pushed'] }, [push]);
        break;
      }
      case 'releases:published': {
        const [tag] = near(
          at,
          (other) => other.kind === 'tags:created' && other.ref === event.tag && same(other, event),
        );
        if (tag) keep({ ...event, also: ['tags:created'] }, [tag]);
        break;
      }
      case 'reviews:approved':
      case 'reviews:rejected': {
        const comments = near(
          at,
          (other) => other.kind === 'comments:pull' && same(other, event) && other.item.thread === event.item.thread,
        );
        if (comments.length > 0) keep({ ...event, comments: comments.length, also: ['comments:pull'] }, comments);
        break;
      }
      default:
    }
  }
  return gather(events, taken, joined);
}

/** Remaining review comments: two or more by one person on one pull request are one review. */
function gather(events: readonly Event[], taken: Set<string>, joined: ReadonlyMap<string, Event>): Event[] {
  const out: Event[] = [];
  for (const [at, event] of events.entries()) {
    if (taken.has(event.id)) continue;
    const done = joined.get(event.id);
    if (done || event.kind !== 'comments:pull') {
      out.push(done ?? event);
      continue;
    }
    const others = around(events, at).filter(
      (other) =>
        other.kind === 'comments:pull' &&
        other.id !== event.id &&
        !taken.has(other.id) &&
        same(other, event) &&
        other.item.thread === event.item.thread,
    );
    for (const other of others) taken.add(other.id);
    const { kind: _kind, ...rest } = event;
    out.push(
      others.length === 0
        ? event
        : { ...rest, kind: 'reviews:commented', comments: others.length + 1, also: ['comments:pull'] },
    );
  }
  return out;
}

function around(events: readonly Event[], at: number): Event[] {
  const here = events[at];
  if (!here) return [];
  const time = Date.parse(here.at);
  const close = (event: Event | undefined): event is Event =>
    event !== undefined && Math.abs(Date.parse(event.at) - time) <= joinMs;
  let [from, to] = [at, at];
  while (close(events[from - 1])) from -= 1;
  while (close(events[to + 1])) to += 1;
  return events.slice(from, to + 1);
}

const same = (a: Event, b: Event): boolean => a.repo.id === b.repo.id && a.actor?.id === b.actor?.id;

/** Activities that may be half of an action; the other half can become visible a moment later. */
const halves: ReadonlySet<string> = new Set([
  'commit_repo',
  'merge_pull_request',
  'auto_merge_pull_request',
  'approve_pull_request',
  'reject_pull_request',
  'comment_pull',
  'push_tag',
  'publish_release',
]);
const mayBeHalf = (op: string): boolean => halves.has(op);

type FeedRow = Row & { readonly activity: Activity };

const rowsOf = (page: Page<Activity>): FeedRow[] =>
  page.items.map((activity) => ({ id: String(activity.id), at: activity.created.getTime(), activity }));

interface Window {
  readonly rows: FeedRow[];
  readonly total: number | undefined;
  readonly capped: boolean;
  /** Every row above the floor is included. */
  readonly whole: boolean;
}

/** Different page sizes have different boundaries: a second split by one page size lies inside a page of another. */
const sizes = [pageSize, 43, 37, 47, 31];
const mostPasses = 12;
/** How far down to search for rows that the count implies but the window lacks. */
const deepPages = 40;

/**
 * Reads pages down to the floor, until every row above it is known by id. Rows of one second change order between requests,
 * but the first and last position of a second stay: the position of the first row below the floor says how many are above
 * it.
 */
function* readWindow(mark: FeedMark | undefined, cap: number): Generator<PageRequest, Window, Page<Activity>> {
  const rows = new Map<string, FeedRow>();
  for (let pass = 0; ; pass++) {
    const { total, above, floor } = yield* readDown(mark, rows, cap, sizes[pass % sizes.length] ?? pageSize);
    const found = [...rows.values()].filter(({ at }) => at >= floor).length;
    const capped = above === 'beyond';
    const whole = !capped && above !== 'moved' && found >= above;
    if (whole || capped || pass + 1 >= mostPasses) return { rows: [...rows.values()], total, capped, whole };
  }
}

interface Pass {
  readonly total: number | undefined;
  readonly floor: number;
  /** How many rows there are above the floor; beyond: more than are read; moved: rows disappeared in between. */
  readonly above: number | 'beyond' | 'moved';
}

function* readDown(
  mark: FeedMark | undefined,
  rows: Map<string, FeedRow>,
  cap: number,
  limit: number,
): Generator<PageRequest, Pass, Page<Activity>> {
  let size = limit;
  let total: number | undefined;
  let shrunk = false;
  let above: number | undefined;
  let floor = 0;
  for (let page = 1; page <= cap; page++) {
    const answer: Page<Activity> = yield { page, limit };
    shrunk ||= total !== undefined && answer.total !== undefined && answer.total < total;
    total = answer.total;
    const read = rowsOf(answer);
    for (const row of read) rows.set(row.id, row);
    // a server may return fewer rows than requested, and then always does
    if (page === 1 && answer.hasMore) size = read.length;
    floor = mark ? floorOf(mark) : newest(rows) - overlapMs;
    const below = read.findIndex(({ at }) => at < floor);
    if (below !== -1) above ??= (page - 1) * size + below;
    const end = !answer.hasMore || read.length === 0;
    if (end) above ??= (page - 1) * size + read.length;
    if (end || (above !== undefined && (page >= deepPages || !promisesMore(mark, total, rows)))) break;
  }
  return { total, floor, above: shrunk ? 'moved' : (above ?? 'beyond') };
}

/** The count implies more news than was found: it is further down, where the forge's clock went back. */
function promisesMore(
  mark: FeedMark | undefined,
  total: number | undefined,
  rows: ReadonlyMap<string, FeedRow>,
): boolean {
  if (mark?.total === undefined || total === undefined) return false;
  return fresh(mark, [...rows.values()]).length < total - mark.total;
}

const newest = (rows: ReadonlyMap<string, Row>): number =>
  [...rows.values()].reduce((most, { at }) => Math.max(most, at), 0);

interface Reading {
  readonly now: number;
  /** A webhook reported activity. */
  readonly woken?: boolean | undefined;
  readonly cap?: number;
}

/** A repository's or user's feed: a small probe first, the overlap window only if something is new. */
export function* pollFeed(
  source: string,
  mark: FeedMark | undefined,
  { now, woken = false, cap = pageCap }: Reading,
): Steps<PageRequest, Activity> {
  // a second look reads the window whatever a probe says, and so does one that expects news
  const isSecond = mark?.held !== undefined || mark?.again === true;
  const probe = isSecond || woken ? undefined : yield { page: 1, limit: probeSize };
  if (mark && probe && !hasNews(mark, probe)) return { events: [], mark, soon: false, capped: false };
  const { rows, total = probe?.total, capped, whole } = yield* readWindow(mark, cap);
  const news = fresh(mark, rows);
  const added = mark?.total === undefined || total === undefined ? undefined : total - mark.total;
  if (mark && !isSecond && whole && added === 0 && news.length === 0)
    return { events: [], mark, soon: false, capped: false };
  const held = heldBack(news, mark);
  const ready = held.length === 0 ? news : news.filter((row) => !held.includes(row));
  // a row may become visible shortly after its siblings, or be hidden behind them; a webhook would say so
  const waited = news.filter(({ id }) => mark?.held?.includes(id)).length;
  const isComplete = woken && whole && added === news.length - waited;
  const again = mark !== undefined && (news.length > 0 ? !isComplete : !whole && !capped && !mark.again);
  return {
    events: join(ready.flatMap(({ activity }) => activityEvent(source, activity) ?? [])),
    mark: advance(mark, rows, { now, again, growing: true, total, held }),
    soon: held.length > 0 || again,
    rows: rows.map(({ activity, at }) => ({ repo: activity.repo?.id, at })),
    capped: capped && mark !== undefined,
    ...(capped && mark && { leftOut: Math.max(0, (added ?? 0) - news.length) }),
  };
}

/** Rows of one second come in any order, so a page within one second hides what is behind it. */
function hasNews(mark: FeedMark, probe: Page<Activity>): boolean {
  if (probe.total !== undefined && mark.total !== undefined && probe.total !== mark.total) return true;
  const rows = rowsOf(probe);
  if (fresh(mark, rows).length > 0) return true;
  const last = rows.at(-1);
  return probe.hasMore && last !== undefined && last.at >= mark.time;
}

/**
 * The newest half-pairs wait for one more poll: a push that belongs to a merge, a review's comments. Everything after them
 * waits too, so that the order is kept.
 */
function heldBack(news: readonly FeedRow[], mark: FeedMark | undefined): FeedRow[] {
  const before = new Set(mark?.held);
  const released = news.reduce((last, row) => (before.has(row.id) ? Math.max(last, row.at + joinMs) : last), 0);
  const end = news.at(-1)?.at ?? 0;
  const first = news.findIndex((row) => row.at > released && row.at > end - joinMs && mayBeHalf(row.activity.op_type));
  return first === -1 ? [] : news.slice(first);
}

/** A part of a feed for previews: every row becomes an event, nothing is stored. */
export function replay(source: string, rows: readonly Activity[]): readonly Event[] {
  const sorted = rowsOf({ items: rows, total: undefined, hasMore: false }).sort(byTime);
  return join(sorted.flatMap(({ activity }) => activityEvent(source, activity) ?? []));
}
