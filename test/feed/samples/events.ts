import type { Actor, Event, EventOf, Kind, RepoRef, RunFacts } from '../../../src/feed/event.js';
import type { ItemState } from '../../../src/feed/item.js';

const at = '2026-11-10T09:00:00.000Z';
export const now = new Date('2026-11-10T09:05:00.000Z');

export const engine: RepoRef = {
  id: 12,
  fullName: 'acme/engine',
  url: 'https://git.example.org/acme/engine',
  hidden: false,
};
const ada: Actor = { id: 1, login: 'ada', bot: false };
const grace: Actor = { id: 2, login: 'grace', bot: false };

const common = { v: 1, source: 'repo-12', at, repo: engine, actor: ada } as const;
const issue = {
  kind: 'issue',
  number: 7,
  title: 'Leaking pipe',
  url: `${engine.url}/issues/7`,
  thread: 'r12-n7',
} as const;
const pull = { kind: 'pull', number: 8, title: 'Seal it', url: `${engine.url}/pulls/8`, thread: 'r12-n8' } as const;
const branch = { kind: 'branch', title: 'main', url: `${engine.url}/src/branch/main` } as const;
const repo = { kind: 'repo', title: engine.fullName, url: engine.url } as const;
const runItem = {
  kind: 'run',
  number: 3,
  title: 'Seal it',
  url: `${engine.url}/actions/runs/31`,
  thread: 'run-31',
} as const;

export const push = {
  branch: 'main',
  total: 7,
  compareUrl: `${engine.url}/compare/a...b`,
  commits: [
    { sha: '194fbaec5e83b13e548c92dbcce7975c0fa8df14', message: 'Seal the pipe', author: 'Ada' },
    { sha: 'aec743d4612bc6676ee4e1e1b9873c355308bdf9', message: 'Tighten', author: 'Grace' },
  ],
};
const run: RunFacts = {
  id: 31,
  attempt: 1,
  number: 3,
  workflow: 'ci.yml',
  branch: 'main',
  sha: '194fbaec5e83b13e',
  trigger: 'push',
  seconds: 61,
};

/** One event of every kind. */
export const events: { readonly [K in Kind]: EventOf<K> } = {
  'issues:opened': { ...common, id: 'e1', kind: 'issues:opened', item: issue },
  'issues:closed': { ...common, id: 'e2', kind: 'issues:closed', item: issue, actor: grace },
  'issues:reopened': { ...common, id: 'e3', kind: 'issues:reopened', item: issue },
  'issues:labeled': { ...common, id: 'e4', kind: 'issues:labeled', item: issue, label: 'bug' },
  'pulls:opened': { ...common, id: 'e5', kind: 'pulls:opened', item: pull },
  'pulls:closed': { ...common, id: 'e6', kind: 'pulls:closed', item: pull },
  'pulls:merged': { ...common, id: 'e7', kind: 'pulls:merged', item: pull, push, also: ['commits:pushed'] },
  'pulls:reopened': { ...common, id: 'e8', kind: 'pulls:reopened', item: pull },
  'pulls:ready': { ...common, id: 'e9', kind: 'pulls:ready', item: pull },
  'pulls:labeled': { ...common, id: 'e10', kind: 'pulls:labeled', item: pull, label: 'bug' },
  'commits:pushed': { ...common, id: 'e11', kind: 'commits:pushed', item: branch, push },
  'branches:created': { ...common, id: 'e12', kind: 'branches:created', item: branch, ref: 'main' },
  'branches:deleted': { ...common, id: 'e13', kind: 'branches:deleted', item: branch, ref: 'main' },
  'tags:created': { ...common, id: 'e14', kind: 'tags:created', item: { ...branch, kind: 'tag' }, ref: 'v1' },
  'tags:deleted': { ...common, id: 'e15', kind: 'tags:deleted', item: { ...branch, kind: 'tag' }, ref: 'v1' },
  'releases:published': {
    ...common,
    id: 'e16',
    kind: 'releases:published',
    item: { kind: 'release', title: 'First', url: `${engine.url}/releases/tag/v1` },
    tag: 'v1',
  },
  'reviews:requested': {
    ...common,
    id: 'e42',
    kind: 'reviews:requested',
    item: pull,
    actor: grace,
    asked: { people: ['linus'], teams: ['acme/core'] },
  },
  'reviews:approved': {
    ...common,
    id: 'e17',
    kind: 'reviews:approved',
    item: pull,
    actor: grace,
    text: 'Fine',
    comments: 2,
  },
  'reviews:rejected': {
    ...common,
    id: 'e18',
    kind: 'reviews:rejected',
    item: pull,
    actor: grace,
    text: 'No',
    comments: 0,
  },
  'reviews:commented': {
    ...common,
    id: 'e19',
    kind: 'reviews:commented',
    item: pull,
    actor: grace,
    text: 'Hm',
    comments: 3,
  },
  'reviews:dismissed': {
    ...common,
    id: 'e20',
    kind: 'reviews:dismissed',
    item: pull,
    text: 'Old',
    comments: 0,
    reviewer: 'grace',
  },
  'comments:issue': { ...common, id: 'e21', kind: 'comments:issue', item: issue, text: 'I see it *too*' },
  'comments:pull': { ...common, id: 'e22', kind: 'comments:pull', item: pull, text: 'Nice' },
  'runs:failure': {
    ...common,
    id: 'e23',
    kind: 'runs:failure',
    item: runItem,
    run: {
      ...run,
      transition: { to: 'red', green: 'b'.repeat(40) },
      why: {
        job: 'build',
        step: 'npm test',
        lines: ['Error: expected 3, got 4'],
        commits: [{ sha: 'c'.repeat(40), message: 'Widen the gauge', author: 'grace' }],
        elsewhere: ['printer'],
      },
    },
  },
  'runs:success': {
    ...common,
    id: 'e24',
    kind: 'runs:success',
    item: runItem,
    run: { ...run, id: 32, number: 4, transition: { to: 'green', since: 31, brokenAt: '2026-11-10T08:00:00.000Z' } },
  },
  'runs:cancelled': { ...common, id: 'e25', kind: 'runs:cancelled', item: runItem, run },
  'runs:skipped': { ...common, id: 'e26', kind: 'runs:skipped', item: runItem, run },
  'runs:waiting': {
    ...common,
    id: 'e44',
    kind: 'runs:waiting',
    item: runItem,
    run: {
      ...run,
      offers: { approve: true },
      waiting: {
        pull: 8,
        url: pull.url,
        title: 'Seal it',
        author: 'grace',
        firstTime: true,
        files: ['.gitea/workflows/ci.yml'],
      },
    },
  },
  'runs:stuck': {
    ...common,
    id: 'e45',
    kind: 'runs:stuck',
    item: runItem,
    run: { ...run, symptoms: ['Job build has written no log for 20 min.'], offers: { cancel: true, force: true } },
  },
  'repos:created': { ...common, id: 'e27', kind: 'repos:created', item: repo },
  'repos:renamed': { ...common, id: 'e28', kind: 'repos:renamed', item: repo, was: 'motor' },
  'repos:transferred': { ...common, id: 'e29', kind: 'repos:transferred', item: repo, was: 'ada/engine' },
  'repos:starred': { ...common, id: 'e30', kind: 'repos:starred', item: repo },
  'repos:watched': { ...common, id: 'e31', kind: 'repos:watched', item: repo },
  'repos:other': { ...common, id: 'e32', kind: 'repos:other', item: repo, op: 'action-28', actor: null },
  'mirrors:pushed': { ...common, id: 'e33', kind: 'mirrors:pushed', item: branch, push },
  'mirrors:created': { ...common, id: 'e34', kind: 'mirrors:created', item: branch, ref: 'main' },
  'mirrors:deleted': { ...common, id: 'e35', kind: 'mirrors:deleted', item: branch, ref: 'main' },
  'inbox:review_requested': {
    ...common,
    id: 'e36',
    kind: 'inbox:review_requested',
    item: pull,
    actor: null,
    threadId: 5,
    state: 'open',
  },
  'inbox:assigned': {
    ...common,
    id: 'e37',
    kind: 'inbox:assigned',
    item: issue,
    actor: null,
    threadId: 5,
    state: 'open',
  },
  'inbox:mentioned': {
    ...common,
    id: 'e38',
    kind: 'inbox:mentioned',
    item: issue,
    actor: ada,
    threadId: 5,
    state: 'open',
    did: 'commented',
    words: 'See @grace',
    commentUrl: `${engine.url}/issues/7#issuecomment-4`,
  },
  'inbox:replied': {
    ...common,
    id: 'e40',
    kind: 'inbox:replied',
    item: pull,
    actor: ada,
    threadId: 5,
    state: 'open',
    did: 'approved',
    words: 'Good',
  },
  'inbox:activity': {
    ...common,
    id: 'e39',
    kind: 'inbox:activity',
    item: issue,
    actor: null,
    threadId: 5,
    state: 'closed',
    did: 'closed',
  },
};

export const issueNow: ItemState = {
  kind: 'issue',
  number: 7,
  title: 'Leaking pipe',
  url: issue.url,
  state: 'open',
  draft: false,
  author: ada,
  labels: ['bug'],
  assignees: ['grace'],
  reviewers: [],
};
export const pullNow: ItemState = {
  ...issueNow,
  kind: 'pull',
  number: 8,
  title: 'Seal it',
  url: pull.url,
  reviewers: ['grace'],
  base: 'main',
  head: 'seal',
};

export const itemOf = (event: Event): ItemState | undefined =>
  event.item.kind === 'issue' ? issueNow : event.item.kind === 'pull' ? pullNow : undefined;
