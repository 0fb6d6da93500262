import { userJson } from '../render/people.js';
import { pullJson } from '../render/pulls.js';
import { access, atLeast, canSee } from '../state/access.js';
import { findTeam, findUser } from '../state/find.js';
import type { Team, User } from '../state/people.js';
import { type Issue, isDraft, type Pull, type Review, type ReviewState } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import { resolve } from './commits.js';
import { aboutIssue, record } from './feed.js';
import { textAt } from './files.js';
import { emit } from './hooks.js';
import { addComment, tellHooks } from './issues.js';
import { missingIn } from './measure.js';
import { notifyAll, notifyMentions, notifyPeople } from './notify.js';

function add(state: State, issue: Issue, pull: Pull, who: { user?: User; team?: Team }, rest: Partial<Review>): Review {
  const now = state.now();
  const review: Review = {
    id: state.nextId('review'),
    user: who.user,
    team: who.team,
    state: 'REQUEST_REVIEW',
    body: '',
    commitId: '',
    stale: false,
    official: who.user !== undefined && atLeast(access(state, who.user, issue.repo, 'code'), 'write'),
    dismissed: false,
    comments: [],
    comment: undefined,
    created: now,
    updated: now,
    ...rest,
  };
  pull.reviews.push(review);
  issue.updated = now;
  return review;
}

/** Undefined if that person or team was already requested. */
export function requestReview(
  state: State,
  actor: User,
  issue: Issue,
  pull: Pull,
  who: { user: User } | { team: Team },
): Review | undefined {
  const mine = 'user' in who ? who.user : who.team;
  const latest = pull.reviews.findLast((review) => review.user === mine || review.team === mine);
  if (latest?.state === 'REQUEST_REVIEW') return undefined;
  const review = add(state, issue, pull, who, {});
  addComment(state, issue, actor, '', { type: 'review_request', ...('user' in who ? { assignee: who.user } : who) });
  notifyPeople(state, issue, actor, 'user' in who ? [who.user] : who.team.members);
  // a team's request arrives once for each other member, without the team's name
  const isOther = (each: User) => each !== issue.poster && each !== actor;
  const people = 'user' in who ? [who.user] : [...who.team.members].filter(isOther);
  for (const each of people) announceRequest(state, actor, issue, pull, each, 'review_requested');
  return review;
}

/** What people request of themselves arrives on Gitea only. */
function announceRequest(
  state: State,
  actor: User,
  issue: Issue,
  pull: Pull,
  reviewer: User,
  action: 'review_requested' | 'review_request_removed',
): void {
  if (actor === reviewer && isForgejo(state.site)) return;
  emit(state, {
    event: 'pull_request',
    type: 'pull_request_review_request',
    repo: issue.repo,
    sender: actor,
    payload: (view) => ({
      action,
      number: issue.index,
      requested_reviewer: userJson(view, reviewer),
      pull_request: pullJson(view, issue, pull),
    }),
  });
}

/** Nothing happens if they were not requested. A team's withdrawal is not announced. */
export function withdrawRequest(
  state: State,
  actor: User,
  issue: Issue,
  pull: Pull,
  who: { user: User } | { team: Team },
): void {
  const mine = 'user' in who ? who.user : who.team;
  const open = pull.reviews.findIndex(
    ({ state: each, user, team }) => each === 'REQUEST_REVIEW' && (user === mine || team === mine),
  );
  if (open === -1) return;
  pull.reviews.splice(open, 1);
  const about = 'user' in who ? { assignee: who.user } : who;
  addComment(state, issue, actor, '', { type: 'review_request', removed: true, ...about });
  if ('user' in who) announceRequest(state, actor, issue, pull, who.user, 'review_request_removed');
}

const ownerPlaces = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS'];

/** Words of a line; a backslash keeps the next character, and an unescaped # starts a comment. */
function ownerWords(line: string): string[] {
  const [text = ''] = /^(?:\\.|[^\\#])*/.exec(line) ?? [];
  return (text.match(/(?:\\.|[^\\\s])+/g) ?? []).map((word) => word.replace(/\\(.)/g, '$1'));
}

function isRule(pattern: string, files: readonly string[], dropsSlash: boolean): boolean {
  const bare = pattern.replace(/^!/, '');
  try {
    const rule = new RegExp(`^${dropsSlash ? bare.replace(/^\//, '') : bare}$`);
    return files.some((file) => rule.test(file) !== pattern.startsWith('!'));
  } catch {
    return false;
  }
}

/** Everyone whose line fits a changed file is asked, as if by the author; nobody while it is a draft. */
export function askCodeOwners(state: State, issue: Issue, pull: Pull): void {
  const { repo, poster } = issue;
  const places = isForgejo(state.site, 15) ? [...ownerPlaces, '.forgejo/CODEOWNERS'] : ownerPlaces;
  const commit = resolve(repo, state.site.flavor === 'gitea-1.28' ? pull.base : repo.defaultBranch);
  const text = commit && places.map((path) => textAt(repo, commit, path)).find((each) => each !== undefined);
  if (text === undefined || isDraft(issue)) return;
  const changes = missingIn(repo, repo.branches.get(pull.base) ?? '', pull.headSha);
  const files = changes.flatMap((each) => each.files.map(({ filename }) => filename));
  for (const [pattern = '', ...owners] of text.split('\n').map(ownerWords)) {
    if (pattern === '' || !isRule(pattern, files, !isForgejo(state.site))) continue;
    for (const name of owners.map((each) => each.replace(/^@/, ''))) {
      const [org = '', team] = name.split('/');
      const user = findUser(state, org);
      const found = user && team !== undefined ? findTeam(state, user, team) : undefined;
      if (found?.org === repo.owner) requestReview(state, poster, issue, pull, { team: found });
      else if (team === undefined && user?.kind === 'User' && user !== poster && canSee(state, user, repo))
        requestReview(state, poster, issue, pull, { user });
    }
  }
}

export interface NewReview {
  readonly state: Exclude<ReviewState, 'REQUEST_REVIEW'>;
  readonly body?: string;
  readonly commitId?: string;
  /** Comments on single lines. */
  readonly comments?: readonly string[];
}

const hookKinds = {
  APPROVED: ['pull_request_approved', 'pull_request_review_approved'],
  REQUEST_CHANGES: ['pull_request_rejected', 'pull_request_review_rejected'],
  COMMENT: ['pull_request_comment', 'pull_request_review_comment'],
} as const;

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

/** A review closes its author's open request; a verdict also those of the author's teams, and replaces older ones. */
function answerRequests(pull: Pull, actor: User, given: ReviewState): void {
  const isVerdict = given === 'APPROVED' || given === 'REQUEST_CHANGES';
  const answered = (each: Review): boolean =>
    each.state === 'REQUEST_REVIEW' && (each.user === actor || (isVerdict && each.team?.members.has(actor) === true));
  const left = pull.reviews.filter((each) => !answered(each));
  pull.reviews.splice(0, pull.reviews.length, ...left);
  if (!isVerdict) return;
  for (const each of left) {
    if (each.user === actor && (each.state === 'APPROVED' || each.state === 'REQUEST_CHANGES')) each.dismissed = true;
  }
}

/** A draft (PENDING) is visible only to its author and leaves no trace. */
export function review(state: State, actor: User, issue: Issue, pull: Pull, what: NewReview): Review {
  const body = what.body ?? '';
  const draft = what.state === 'PENDING';
  // one per person: a second draft adds to it, and any review publishes it
  const unfinished = pull.reviews.find((each) => each.state === 'PENDING' && each.user === actor);
  const remarks = [...(unfinished?.comments ?? []), ...(what.comments ?? [])];
  if (unfinished !== undefined) pull.reviews.splice(pull.reviews.indexOf(unfinished), 1);
  const made = draft ? undefined : addComment(state, issue, actor, body, 'review');
  if (!draft) answerRequests(pull, actor, what.state);
  const result = add(
    state,
    issue,
    pull,
    { user: actor },
    {
      state: what.state,
      body,
      commitId: what.commitId ?? pull.headSha,
      // a verdict on any other commit counts, and is out of date at once
      stale: what.state !== 'COMMENT' && (what.commitId ?? pull.headSha) !== pull.headSha,
      comments: remarks,
      comment: made,
    },
  );
  if (what.state === 'PENDING') return result;
  const about = { actor, repo: issue.repo };
  for (const remark of remarks) {
    const line = addComment(state, issue, actor, remark, 'review');
    record(state, {
      ...about,
      op: 'comment_pull',
      comment: line,
      content: aboutIssue(state, issue, firstLine(remark)),
    });
  }
  const content = aboutIssue(state, issue, firstLine(body));
  if (what.state === 'APPROVED') record(state, { ...about, op: 'approve_pull_request', comment: made, content });
  if (what.state === 'REQUEST_CHANGES') record(state, { ...about, op: 'reject_pull_request', comment: made, content });
  if (what.state === 'COMMENT' && body !== '') record(state, { ...about, op: 'comment_pull', comment: made, content });
  notifyAll(state, issue, actor);
  notifyMentions(state, issue, actor, body);
  const [event, type] = hookKinds[what.state];
  emit(state, {
    event,
    type,
    repo: issue.repo,
    sender: actor,
    payload: (view) => ({
      action: 'reviewed',
      number: issue.index,
      pull_request: pullJson(view, issue, pull),
      review: { type, content: body },
    }),
  });
  return result;
}

/** The state stays; only the flag is set. Servers before Forgejo 13 do not write the row. */
export function dismiss(state: State, actor: User, issue: Issue, found: Review, reason = ''): void {
  found.dismissed = true;
  found.updated = state.now();
  const made = addComment(state, issue, actor, reason, { type: 'dismiss_review' });
  if (isForgejo(state.site, 15)) {
    const content = aboutIssue(state, issue, found.user?.login ?? '', reason);
    record(state, { op: 'pull_review_dismissed', actor, repo: issue.repo, comment: made, content });
  }
  tellHooks(state, issue, actor, 'edited');
}
