import * as acts from '../acts/issues.js';
import { broken, crashed, created, forbidden, invalid, notFound, ok, refuse, silent } from '../http/answer.js';
import type { Call, Handlers } from '../http/call.js';
import { issueAt, may, noIssue, notArchived, repoOf, signedIn } from '../http/guard.js';
import { list } from '../http/paging.js';
import { commentJson, issueJson, labelJson, timelineJson, trackedJson } from '../render/issues.js';
import { fineStamp, stamp } from '../render/view.js';
import { blockedBy, findUser } from '../state/find.js';
import type { Issue, Repo, TrackedTime } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import { block, unblock } from './blocks.js';
import { deleteComment, editComment, getComment } from './comments.js';
import {
  assigneeNames,
  changeGuarded,
  changeState,
  dueDate,
  milestoneOf,
  mustBeFresh,
  peopleNamed,
} from './content.js';
import { listIssues, searchIssues } from './issue-search.js';

const unitOf = (issue: Issue): 'issues' | 'pulls' => (issue.pull === undefined ? 'issues' : 'pulls');

/** Ids or names; unknown ones are ignored. */
function labelsOf(repo: Repo, wanted: readonly unknown[]) {
  const known = [...repo.labels, ...repo.owner.labels];
  return known.filter((label) => wanted.includes(label.id) || wanted.includes(label.name));
}

type InIssue = Pick<Call, 'state' | 'caller' | 'path' | 'query'> & {
  readonly params: { readonly owner: string; readonly repo: string; readonly index: number };
};

function readable(call: InIssue): Issue {
  const issue = issueAt(repoOf(call), call.params.index);
  if (!may(call, issue.repo, unitOf(issue), 'read')) throw notFound();
  return issue;
}

export const issues = {
  edit: (call) => {
    const { state, view } = call;
    const repo = repoOf(call);
    const user = signedIn(call);
    const body = call.body();
    const issue = issueAt(repo, call.params.index);
    const canWrite = may(call, repo, unitOf(issue), 'write');
    if (issue.poster !== user && !canWrite) throw silent(403);
    mustBeFresh(state, issue, body);
    acts.rewrite(state, user, issue, body.text('title'), body.text('body'));
    issue.ref = body.text('ref') ?? issue.ref;
    if (canWrite) {
      changeGuarded({ state, actor: user, issue, body, unknown: broken });
      const projects = isForgejo(state.site) ? undefined : body.numbers('projects');
      if (projects !== undefined) replaceProjects(call, issue, projects);
    }
    changeState(state, user, issue, body.text('state'));
    issue.updated = state.now();
    return created(issueJson(view, issue));
  },

  block: (call) => created(issueJson(call.view, block(call))),
  unblock: (call) => created(issueJson(call.view, unblock(call))),

  addTime: (call) => {
    const { state, view } = call;
    const repo = repoOf(call);
    const me = signedIn(call);
    const body = call.body();
    const seconds = body.requiredNumber('time');
    const issue = issueAt(repo, call.params.index);
    if (!repo.timeTracking) throw refuse(400, 'time tracking disabled');
    if (!may(call, repo, unitOf(issue), 'write')) throw silent(403);
    const name = body.text('user_name') ?? '';
    const honored = name !== '' && may(call, repo, 'issues', 'admin');
    const user = honored ? findUser(state, name) : me;
    if (user === undefined) throw notFound(`user does not exist [uid: 0, name: ${name}]`);
    const at = Date.parse(body.text('created') ?? '');
    const time: TrackedTime = { id: state.nextId('time'), issue, user, seconds, created: state.now() };
    state.times.push(time);
    acts.addComment(state, issue, me, '', { type: 'add_time_manual' });
    // Returned before it was stored: the database keeps whole seconds and its own time.
    const created = Number.isNaN(at) ? fineStamp(view, time.created) : stamp(view, Math.floor(at / 1000));
    return ok({ ...trackedJson(view, time), created });
  },

  listTimes: (call) => {
    const issue = readable(call);
    const since = call.query.time('since') ?? 0;
    const found = call.state.times.filter((each) => each.issue === issue && each.created >= since);
    return list(call, found, (each) => trackedJson(call.view, each));
  },

  comment: (call) => {
    const repo = repoOf(call);
    const user = signedIn(call);
    notArchived(repo);
    const text = call.body().requiredText('body');
    const issue = repo.issues.get(call.params.index);
    // A missing issue is a server error here, not a 404.
    if (issue === undefined) {
      throw isForgejo(call.state.site) ? noIssue(call.state, repo, call.params.index) : broken();
    }
    if (!may(call, repo, unitOf(issue), 'read')) throw notFound();
    if (issue.locked && !may(call, repo, unitOf(issue), 'write')) throw forbidden('issue is locked');
    return created(commentJson(call.view, acts.comment(call.state, user, issue, text)));
  },

  search: (call) => searchIssues(call),

  list: (call) => listIssues(call, repoOf(call)),

  get: (call) => ok(issueJson(call.view, readable(call))),

  create: (call) => {
    const { state, view } = call;
    const repo = repoOf(call);
    const user = signedIn(call);
    notArchived(repo);
    const body = call.body();
    const title = body.requiredText('title');
    const canWrite = may(call, repo, 'issues', 'write');
    const people = peopleNamed(state, assigneeNames(body) ?? []);
    if (typeof people === 'string') throw invalid(`Assignee does not exist: [name: ${people}]`);
    const issue = acts.openIssue(state, user, repo, {
      title,
      body: body.text('body') ?? '',
      dueDate: dueDate(body),
      ...(canWrite
        ? {
            labels: labelsOf(repo, body.numbers('labels') ?? []),
            assignees: people,
            milestone: milestoneOf(repo, body.number('milestone') ?? 0),
            projects: isForgejo(state.site) ? [] : (body.numbers('projects') ?? []),
          }
        : {}),
    });
    if (body.flag('closed') === true) changeState(state, user, issue, 'closed');
    return created(issueJson(view, issue));
  },

  listComments: (call) => {
    const issue = readable(call);
    const since = call.query.time('since') ?? 0;
    const before = call.query.time('before') ?? Number.POSITIVE_INFINITY;
    const found = issue.comments.filter(
      (each) => each.kind === 'text' && each.updated >= since && each.updated <= before,
    );
    return ok(
      found.map((each) => commentJson(call.view, each)),
      { 'x-total-count': String(found.length) },
    );
  },

  timeline: (call) => {
    const since = call.query.time('since') ?? 0;
    const found = readable(call).comments.filter(({ updated }) => updated >= since);
    const { body } = list(call, found, (each) => timelineJson(call.view, each));
    // the count is that of the page
    return ok(body, { 'x-total-count': String(Array.isArray(body) ? body.length : 0) });
  },

  getComment,
  editComment,
  deleteComment,

  setLabels: (call) => {
    const repo = repoOf(call);
    const user = signedIn(call);
    if (!isForgejo(call.state.site)) notArchived(repo);
    const wanted = call.body().list('labels') ?? [];
    const issue = issueAt(repo, call.params.index);
    if (!may(call, repo, unitOf(issue), 'write')) throw call.state.site.flavor === 'forgejo-11' ? crashed : silent(403);
    acts.setLabels(call.state, user, issue, labelsOf(repo, wanted));
    return ok(issue.labels.map((label) => labelJson(call.view, repo, label)));
  },

  listDependencies: (call) => {
    const dependencies = [...readable(call).dependencies];
    return list(call, dependencies, (issue) => issueJson(call.view, issue), { link: false });
  },

  listBlocks: (call) => {
    const blocked = blockedBy(call.state, readable(call));
    return list(call, blocked, (issue) => issueJson(call.view, issue), { link: false });
  },
} satisfies Handlers['issues'];

function replaceProjects(call: Pick<Call, 'state'>, issue: Issue, ids: readonly number[]): void {
  if (ids.some((id) => !call.state.projects.has(id))) throw refuse(400, 'project does not exist');
  issue.projects.clear();
  for (const id of ids) issue.projects.add(id);
}
