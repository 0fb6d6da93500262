import { type Answer, notFound, refuse } from '../http/answer.js';
import type { Call } from '../http/call.js';
import { may } from '../http/guard.js';
import { list } from '../http/paging.js';
import type { Query } from '../http/query.js';
import { issueJson } from '../render/issues.js';
import { requested } from '../render/pulls.js';
import { canSee } from '../state/access.js';
import { findTeam, findUser } from '../state/find.js';
import type { User } from '../state/people.js';
import type { Issue, Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';

type Test = (issue: Issue) => boolean;
type Search = Pick<Call, 'state' | 'query' | 'caller' | 'path' | 'view'>;

/** Filters about the caller's own part; ignored without a caller. */
function personal(query: Query, me: User | undefined): Test[] {
  if (me === undefined) return [];
  const tests: Readonly<Record<string, Test>> = {
    assigned: (issue) => issue.assignees.includes(me),
    created: (issue) => issue.poster === me,
    mentioned: (issue) => issue.mentioned.has(me),
    review_requested: (issue) => {
      if (issue.pull === undefined) return false;
      const asked = requested(issue.pull);
      return asked.users.includes(me) || asked.teams.some((team) => team.members.has(me));
    },
    reviewed: (issue) =>
      issue.pull?.reviews.some((review) => review.user === me && review.state !== 'REQUEST_REVIEW') === true,
  };
  return Object.entries(tests).flatMap(([name, test]) => (query.flag(name) === true ? [test] : []));
}

function within({ state, query }: Search): Test[] {
  const ownerName = query.text('owner');
  const teamName = query.text('team');
  if (teamName !== undefined && ownerName === undefined)
    throw refuse(400, 'Owner organization is required for filtering on team');
  if (ownerName === undefined) return [];
  const owner = findUser(state, ownerName);
  if (owner === undefined) throw refuse(400, 'Owner not found');
  if (teamName === undefined) return [(issue) => issue.repo.owner === owner];
  const team = findTeam(state, owner, teamName);
  if (team === undefined) throw refuse(400, 'Team not found');
  return [(issue) => issue.repo.owner === owner && (team.allRepos || team.repos.has(issue.repo.id))];
}

function byCreator({ state, query }: Search): Test[] {
  const name = query.text('created_by');
  if (name === undefined || isForgejo(state.site)) return [];
  const user = findUser(state, name);
  if (user === undefined) throw notFound(`user does not exist [uid: 0, name: ${name}]`);
  return [(issue) => issue.poster === user];
}

function plain(query: Query): Test[] {
  const state = query.text('state') ?? 'open';
  const type = query.text('type');
  const labels = query.names('labels');
  const milestones = query.names('milestones');
  const q = (query.text('q') ?? '').toLowerCase();
  const since = query.time('since') ?? 0;
  const before = query.time('before') ?? Number.POSITIVE_INFINITY;
  return [
    (issue) => state === 'all' || issue.state === (state === 'closed' ? 'closed' : 'open'),
    (issue) => type === undefined || (type === 'pulls') === (issue.pull !== undefined),
    (issue) => labels.length === 0 || issue.labels.some((label) => labels.includes(label.name)),
    (issue) => milestones.length === 0 || milestones.includes(issue.milestone?.title ?? ''),
    (issue) => `${issue.title}\n${issue.body}`.toLowerCase().includes(q),
    (issue) => issue.updated >= since && issue.updated <= before,
  ];
}

/** The items of one repository that the caller may read. */
export function listIssues(call: Search, repo: Repo): Answer {
  const mine = (issue: Issue) =>
    issue.repo === repo && may(call, repo, issue.pull === undefined ? 'issues' : 'pulls', 'read');
  const tests = [mine, ...plain(call.query)];
  const found = [...repo.issues.values()].filter((issue) => tests.every((test) => test(issue)));
  return list(call, found.reverse(), (issue) => issueJson(call.view, issue));
}

/** Newest created first, over every repository the caller can see. */
export function searchIssues(call: Search): Answer {
  const { state, query, caller } = call;
  const tests = [...plain(query), ...personal(query, caller.user), ...within(call), ...byCreator(call)];
  const found = [...state.issues.values()]
    .filter((issue) => canSee(state, caller.user, issue.repo) && tests.every((test) => test(issue)))
    .sort((a, b) => b.created - a.created || b.id - a.id);
  return list(call, found, (issue) => issueJson(call.view, issue), { rawLimit: true });
}
