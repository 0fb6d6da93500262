import type { OperationName } from './catalogue.js';

type Hints = Partial<Record<OperationName, Readonly<Record<number, string>>>>;

const state = 'It may still have open dependencies, or be merged already; look at it on the forge first.';
const actor = 'Check the actor: the forge may have no user of that name.';

/** Answers whose own words do not help: several mistakes of the caller come back as an empty 500. */
const hints: Hints = {
  'runs.list': { 500: actor },
  'admin.listRuns': { 500: actor },
  'issues.comment': { 500: 'Check the number: there may be no such issue.' },
  'issues.edit': { 500: 'Check the assignees and the milestone: the forge may not know one of them.', 412: state },
  'issues.block': { 500: 'The two issues may block each other already, directly or in a circle.' },
  'issues.unblock': { 500: 'The one issue may not block the other at all.' },
  'issues.addTime': { 400: 'Time tracking may be turned off in this repository.' },
  'pulls.edit': {
    500: 'Check the milestone, the assignees and the due date: the forge may not know one of them.',
    412: state,
  },
  'pulls.requestReviewers': {
    422: 'Check the reviewers: each must have access to the repository and not be the author.',
  },
  'pulls.merge': { 405: 'It cannot be merged now: look at its checks, reviews and conflicts on the forge.' },
  'notifications.markThread': { 500: 'The thread may belong to another person.' },
  'repos.createInOrg': {
    500: 'A SHA-256 repository needs git 2.42 or newer on the server. Without it, leave the format out.',
  },
  'repos.search': { 500: 'Check the sort order and the filters.' },
  'repos.listCommits': { 409: 'The repository has no commits yet.' },
  'repos.listTeams': { 405: 'Only repositories of an organisation have teams.' },
  'runs.forceCancel': { 409: 'The run is completed already.' },
  'runs.cancel': { 409: 'The run is completed already.' },
};

const generic: Readonly<Record<number, string>> = {
  413: 'Send less: the forge says it is too large.',
  423: 'The repository is archived: nothing can change until it is unarchived.',
  429: 'The forge or a proxy before it asks for a slower pace; try again later.',
};

export function hintFor(operation: string, status: number): string | undefined {
  const known: Readonly<Record<string, Readonly<Record<number, string>> | undefined>> = hints;
  return known[operation]?.[status] ?? generic[status];
}
