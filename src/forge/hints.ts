import type { OperationName } from './catalog.js';

type Hints = Partial<Record<OperationName, Readonly<Record<number, string>>>>;

const state = 'It may have open dependencies or be merged already: check it on the forge.';
const actor = 'Check the person: the forge may not have a user with that name.';

/** Answers whose own text does not help: several caller mistakes come back as an empty 500. */
const hints: Hints = {
  'runs.list': { 500: actor },
  'admin.listRuns': { 500: actor },
  'issues.comment': { 500: 'Check the number: the issue may not exist.' },
  'issues.edit': { 500: 'Check the assignees and the milestone: the forge may not know one of them.', 412: state },
  'issues.block': { 500: 'These issues may already block each other.' },
  'issues.unblock': { 500: 'The first issue may not be blocking the second.' },
  'issues.addTime': { 400: 'Time tracking may be turned off in this repository.' },
  'pulls.edit': {
    500: 'Check the milestone, the assignees and the due date: the forge may not know one of them.',
    412: state,
  },
  'pulls.requestReviewers': {
    422: 'Check the reviewers: each must have access to the repository and not be the author.',
  },
  'pulls.merge': { 405: 'It cannot be merged yet: check its reviews, checks and conflicts on the forge.' },
  'notifications.markThread': { 500: 'The notification may belong to someone else.' },
  'repos.createInOrg': {
    500: 'A SHA-256 repository needs git 2.42 or newer on the server. Without it, leave the format out.',
  },
  'repos.search': { 500: 'Check the sort order and the filters.' },
  'repos.listCommits': { 409: 'The repository has no commits yet.' },
  'repos.listTeams': { 405: 'Only organization repositories have teams.' },
  'runs.forceCancel': { 409: 'The run has already finished.' },
  'runs.cancel': { 409: 'The run has already finished.' },
};

const generic: Readonly<Record<number, string>> = {
  413: 'This is too large for the forge: send less.',
  423: 'The repository is archived. Unarchive it to make changes.',
  429: 'The forge is rate limiting requests: try again later.',
};

export function hintFor(operation: string, status: number): string | undefined {
  const known: Readonly<Record<string, Readonly<Record<number, string>> | undefined>> = hints;
  return known[operation]?.[status] ?? generic[status];
}
