import { textAt } from '../acts/files.js';
import { addComment, rewrite, setLabels, setState } from '../acts/issues.js';
import { missingIn } from '../acts/measure.js';
import { brokenRule, isBehind, merge, mergeScheduled, recheck, retarget, updateHead } from '../acts/pulls.js';
import { askCodeOwners, review } from '../acts/reviews.js';
import { broken, created, forbidden, invalid, notFound, ok, refuse, silent } from '../http/answer.js';
import type { Handlers } from '../http/call.js';
import { may, notArchived, pullAt, repoOf, signedIn } from '../http/guard.js';
import { list } from '../http/paging.js';
import { isMergeable, pullJson, reviewJson } from '../render/pulls.js';
import { type Issue, isDraft, type Pull, type Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import { changeGuarded, changeState, mustBeFresh } from './content.js';
import { requestReviewers, withdrawRequests } from './review-requests.js';

const orders: Readonly<Record<string, (a: Issue, b: Issue) => number>> = {
  oldest: (a, b) => a.index - b.index,
  recentupdate: (a, b) => b.updated - a.updated,
  leastupdate: (a, b) => a.updated - b.updated,
  recentclose: (a, b) => (b.closedAt ?? 0) - (a.closedAt ?? 0),
};

const events = { APPROVED: 'APPROVED', REQUEST_CHANGES: 'REQUEST_CHANGES', COMMENT: 'COMMENT' } as const;

function eventOf(text: string | undefined): 'APPROVED' | 'REQUEST_CHANGES' | 'COMMENT' | 'PENDING' {
  return text === 'APPROVED' || text === 'REQUEST_CHANGES' || text === 'COMMENT' ? events[text] : 'PENDING';
}

/** Forgejo reads only camel case, and otherwise merges with its own text. */
const knowsSnakeCase = ({ site }: State): boolean => !isForgejo(site);

const styles = ['merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only', 'manually-merged'];

const byName = (a: { readonly filename: string }, b: { readonly filename: string }) =>
  a.filename < b.filename ? -1 : 1;

interface Remark {
  readonly path?: unknown;
  readonly new_position?: unknown;
}
const isRemark = (value: unknown): value is Remark => typeof value === 'object' && value !== null;

const textAtHead = (pull: Pull, repo: Repo, path: string): string | undefined => {
  const head = repo.commits.get(pull.headSha);
  return head && textAt(repo, head, path);
};

const linesOf = (text: string | undefined) => text?.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined) ?? [];

/** One hunk around everything that differs, as git writes it. */
function hunkOf(before: readonly string[], after: readonly string[]) {
  const least = Math.min(before.length, after.length);
  let top = 0;
  while (top < least && before[top] === after[top]) top += 1;
  let end = 0;
  while (end < least - top && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const lead = before.slice(Math.max(0, top - 3), top);
  const gone = before.slice(top, before.length - end);
  const come = after.slice(top, after.length - end);
  const trail = before.slice(before.length - end).slice(0, 3);
  const range = (size: number) => `${top - lead.length + (size === 0 ? 0 : 1)}${size === 1 ? '' : `,${size}`}`;
  const [olds, news] = [gone, come].map((each) => range(lead.length + each.length + trail.length));
  const rows = [
    `@@ -${olds} +${news} @@`,
    ...lead.map((line) => ` ${line}`),
    ...gone.map((line) => `-${line}`),
    ...come.map((line) => `+${line}`),
    ...trail.map((line) => ` ${line}`),
  ];
  return { additions: come.length, deletions: gone.length, rows };
}

/** By name; a file without a text gets three lines. */
function changesOf(repo: Repo, pull: Pull) {
  const commits = missingIn(repo, repo.branches.get(pull.base) ?? '', pull.headSha);
  // newest first: the oldest says whether the branch added it
  const files = new Map(commits.flatMap((each) => each.files.map((file) => [file.filename, file] as const)));
  const base = repo.commits.get(pull.mergeBase);
  return [...files.values()].sort(byName).map(({ filename, status }) => {
    const before = base && textAt(repo, base, filename);
    const after = textAtHead(pull, repo, filename) ?? `${before ?? ''}one\ntwo\nthree\n`;
    const isNew = before === undefined && status === 'added';
    const binary = after.includes('\u0000');
    const hunk = binary ? { additions: 0, deletions: 0, rows: [] } : hunkOf(linesOf(before), linesOf(after));
    const from = isNew ? '/dev/null' : `a/${filename}`;
    const body = binary
      ? [`Binary files ${from} and b/${filename} differ`]
      : [`--- ${from}`, `+++ b/${filename}`, ...hunk.rows];
    const text = [
      `diff --git a/${filename} b/${filename}`,
      ...(isNew ? ['new file mode 100644', 'index 0000000..20cbb4d'] : ['index 203c68d..0c5151d 100644']),
      ...body,
      '',
    ].join('\n');
    return { filename, status: binary ? 'unchanged' : status === 'modified' ? 'changed' : status, ...hunk, text };
  });
}

export const pulls = {
  edit: (call) => {
    const { state, view } = call;
    const repo = repoOf(call);
    const user = signedIn(call);
    const body = call.body();
    const issue = pullAt(repo, call.params.index);
    const canWrite = may(call, repo, 'pulls', 'write');
    if (issue.poster !== user && !canWrite) throw silent(403);
    mustBeFresh(state, issue, body);
    // False without a date: the server fails.
    if (body.flag('unset_due_date') === false && !body.has('due_date')) throw refuse(500, '');
    const wasDraft = isDraft(issue);
    rewrite(state, user, issue, body.text('title'), body.text('body'));
    if (wasDraft) askCodeOwners(state, issue, issue.pull);
    if (canWrite) {
      changeGuarded({
        state,
        actor: user,
        issue,
        body,
        ignoresZero: true,
        unknown: (what) =>
          what.startsWith('milestone ') ? refuse(500, '') : invalid(`Assignee does not exist: [name: ${what}]`),
      });
      const labels = body.numbers('labels');
      if (labels !== undefined)
        setLabels(
          state,
          user,
          issue,
          repo.labels.filter((label) => labels.includes(label.id)),
        );
    }
    changeState(state, user, issue, body.text('state'));
    const base = body.text('base') ?? '';
    if (base !== '' && base !== issue.pull.base) {
      if (!repo.branches.has(base)) throw notFound(`new base '${base}' not exist`);
      if (issue.pull.merged !== undefined) throw refuse(409, 'pull request has already been merged');
      if (issue.state === 'closed') throw invalid('pull request is closed');
      retarget(issue, issue.pull, base);
    }
    issue.pull.maintainerEdit = body.flag('allow_maintainer_edit') ?? issue.pull.maintainerEdit;
    issue.updated = state.now();
    return created(pullJson(view, issue, issue.pull));
  },

  requestReviewers: (call) => {
    const repo = repoOf(call);
    const user = signedIn(call);
    const body = call.body();
    const issue = pullAt(repo, call.params.index);
    const made = requestReviewers(call.state, user, issue, issue.pull, body);
    return created(made.map((each) => reviewJson(call.view, issue, each)));
  },

  withdrawRequests: (call) => {
    const repo = repoOf(call);
    const user = signedIn(call);
    const body = call.body();
    const issue = pullAt(repo, call.params.index);
    withdrawRequests(call.state, user, issue, issue.pull, body);
    return { status: 204 };
  },

  get: (call) => {
    const issue = pullAt(repoOf(call), call.params.index);
    return ok(pullJson(call.view, issue, issue.pull));
  },

  list: (call) => {
    const { query, view } = call;
    const repo = repoOf(call);
    const state = query.text('state') ?? 'open';
    const labels = query.all('labels').map(Number);
    const milestone = query.number('milestone');
    const found = [...repo.issues.values()].flatMap((issue) =>
      issue.pull === undefined ? [] : [pullAt(repo, issue.index)],
    );
    const wanted = found.filter(
      (issue) =>
        (state === 'all' || issue.state === state) &&
        (query.text('poster') ?? issue.poster.login) === issue.poster.login &&
        (query.text('base_branch') ?? issue.pull.base) === issue.pull.base &&
        (milestone === undefined || issue.milestone?.id === milestone) &&
        labels.every((id) => issue.labels.some((label) => label.id === id)),
    );
    wanted.sort(orders[query.text('sort') ?? ''] ?? ((a, b) => b.index - a.index));
    return list(call, wanted, (issue) => pullJson(view, issue, issue.pull));
  },

  listReviews: (call) => {
    const issue = pullAt(repoOf(call), call.params.index);
    const seen = issue.pull.reviews.filter(
      (each) => each.state !== 'PENDING' || each.user === call.caller.user || call.caller.user?.admin === true,
    );
    return list(call, seen, (each) => reviewJson(call.view, issue, each));
  },

  listFiles: (call) => {
    const { repo, pull } = pullAt(repoOf(call), call.params.index);
    const page = `${call.state.site.url}/${repo.owner.login}/${repo.name}`;
    return list(call, changesOf(repo, pull), ({ filename, status, additions, deletions }) => ({
      filename,
      status,
      additions,
      deletions,
      changes: additions + deletions,
      html_url: `${page}/src/commit/${pull.headSha}/${filename}`,
      raw_url: `${page}/raw/commit/${pull.headSha}/${filename}`,
    }));
  },

  /** Whole, whatever range is asked for. */
  diff: (call) => {
    const { repo, pull } = pullAt(repoOf(call), call.params.index);
    if (!['diff', 'patch'].includes(call.params.diffType)) throw notFound();
    const content = changesOf(repo, pull)
      .map(({ text }) => text)
      .join('');
    return { status: 200, text: { type: 'text/plain; charset=utf-8', content } };
  },

  submitReview: (call) => {
    const repo = repoOf(call);
    const user = signedIn(call);
    const body = call.body();
    const issue = pullAt(repo, call.params.index);
    const event = eventOf(body.text('event'));
    const text = body.text('body') ?? '';
    const remarks = (body.list('comments') ?? []).map((each) =>
      typeof each === 'object' && each !== null && 'body' in each ? String(each.body) : '',
    );
    if (issue.state === 'closed' && event !== 'COMMENT' && !isForgejo(call.state.site))
      throw invalid("can't submit review for a closed or merged PR");
    if (issue.poster === user && event === 'APPROVED') throw invalid('approve your own pull is not allowed');
    if (issue.poster === user && event === 'REQUEST_CHANGES') throw invalid('reject your own pull is not allowed');
    const needsText = event === 'REQUEST_CHANGES' || event === 'COMMENT';
    if (needsText && text === '' && remarks.length === 0)
      throw invalid(`review event ${event} requires a body${event === 'COMMENT' ? ' or a comment' : ''}`);
    // nothing about them is checked, but Gitea looks for the line in the file
    const size = (path: unknown) => linesOf(textAtHead(issue.pull, repo, String(path))).length;
    const beyond = (body.list('comments') ?? []).some(
      (each) => isRemark(each) && Number(each.new_position ?? 0) > Math.max(size(each.path), 3),
    );
    if (beyond && !isForgejo(call.state.site)) throw broken();
    const made = review(call.state, user, issue, issue.pull, {
      state: event,
      body: text,
      commitId: body.text('commit_id') || issue.pull.headSha,
      comments: remarks,
    });
    return ok(reviewJson(call.view, issue, made));
  },

  merge: (call) => {
    const { state } = call;
    const repo = repoOf(call);
    const user = signedIn(call);
    notArchived(repo);
    const body = call.body();
    const style = body.text('Do') ?? body.requiredText('do');
    if (!styles.includes(style)) throw invalid('[Do]: In');
    const issue = pullAt(repo, call.params.index);
    const { pull } = issue;
    const forgejo = isForgejo(state.site);
    if (pull.merged !== undefined) throw refuse(405, forgejo ? '' : 'The PR is already merged');
    if (issue.state === 'closed') throw notFound();
    const listed = repo.protections.get(pull.base)?.mergeList?.includes(user.login) ?? true;
    if (!may(call, repo, 'code', 'write') || !listed) throw refuse(405, 'User not allowed to merge PR');
    if (isDraft(issue)) throw refuse(405, 'Work in progress PRs cannot be merged');
    if (!isMergeable(issue)) throw refuse(405, 'Please try again later');
    const later = body.flag('merge_when_checks_succeed') === true;
    const broken405 = later ? undefined : brokenRule(state, issue, pull);
    if (broken405 !== undefined) throw refuse(405, broken405);
    // as on a real server: open dependencies cause an internal error
    if ([...issue.dependencies].some((each) => each.state === 'open')) throw broken();
    const deletes = body.flag('delete_branch_after_merge') ?? (!forgejo && repo.merging.deletesBranch);
    if (later) {
      if (pull.schedule !== undefined)
        throw refuse(409, `pull request is already scheduled to auto merge when checks succeed [pull_id: ${pull.id}]`);
      pull.schedule = { by: user, style, deleteBranch: deletes };
      addComment(state, issue, user, '', { type: 'pull_scheduled_merge' });
      mergeScheduled(state, issue, false);
      return { status: 201 };
    }
    if (repo.merging.stylesOff.includes(style)) {
      const not = isForgejo(state.site, 15) ? 'not an allowed' : 'not allowed an allowed';
      throw refuse(405, `${style} is ${not} merge style for this repository`);
    }
    const seen = body.text('head_commit_id') ?? '';
    if (seen !== '' && seen !== pull.headSha) {
      recheck(state, repo, pull.base);
      throw refuse(409, 'head out of date');
    }
    if (pull.headRepo?.branches.has(pull.head) !== true) {
      setState(state, user, issue, 'closed');
      throw broken();
    }
    if (style === 'fast-forward-only' && isBehind(repo, pull)) throw broken();
    if (pull.rebaseConflicts && style.startsWith('rebase'))
      return { status: 409, body: { Style: style, CommitSHA: pull.headSha, StdOut: 'CONFLICT', StdErr: '', Err: {} } };
    const title = body.text('MergeTitleField') ?? (knowsSnakeCase(state) ? body.text('merge_title_field') : '') ?? '';
    const message =
      body.text('MergeMessageField') ?? (knowsSnakeCase(state) ? body.text('merge_message_field') : '') ?? '';
    const mayDelete = pull.headRepo !== undefined && may(call, pull.headRepo, 'code', 'write');
    merge(state, user, issue, pull, {
      ...(title === '' ? {} : { title: message === '' ? title : `${title}\n\n${message}` }),
      deleteBranch: deletes && mayDelete,
      style,
    });
    // the branch is deleted last: this refusal comes after the merge
    if (deletes && !mayDelete && forgejo) throw forbidden('insufficient permission to delete head branch');
    return { status: 200 };
  },

  /** Every refusal of a person is 403 without words; nothing to do and a failure of git are 500 without words. */
  update: (call) => {
    const { state } = call;
    const repo = repoOf(call);
    const user = signedIn(call);
    const issue = pullAt(repo, call.params.index);
    const { pull } = issue;
    const forgejo = isForgejo(state.site);
    if (issue.state === 'closed') {
      const words = pull.merged === undefined ? 'closed' : 'merged';
      throw invalid(state.site.flavor === 'gitea-1.28' ? `pull request is already ${words}` : '%!s(<nil>)');
    }
    const style = call.query.text('style') === 'rebase' ? 'rebase' : 'merge';
    const own = pull.headRepo !== undefined && may(call, pull.headRepo, 'code', 'write');
    const maintains = pull.headRepo !== undefined && pull.maintainerEdit && may(call, repo, 'code', 'write');
    // Forgejo notices only when it pushes
    if (!own && !maintains) throw forgejo && style === 'rebase' ? broken() : silent(403);
    if (style === 'rebase' && !repo.merging.rebaseUpdate) throw silent(403);
    if (!isBehind(repo, pull) || repo.archivedAt !== undefined) throw broken();
    // what it missed was counted before the base moved
    if (isForgejo(state.site, 15) && style === 'rebase' && pull.checkedAt > Date.now()) return ok(undefined);
    if (pull.conflicts) throw refuse(409, `${style} failed because of conflict`);
    updateHead(state, user, issue, pull, style);
    return ok(undefined);
  },
} satisfies Handlers['pulls'];
