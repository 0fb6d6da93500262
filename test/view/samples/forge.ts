import {
  Account,
  Cron,
  DeployKey,
  Email,
  Hook,
  Issue,
  NotificationThread,
  Package,
  Project,
  ProjectColumn,
  PublicKey,
  PullRequest,
  PullReview,
  Repository,
  Runner,
  WorkflowJob,
  WorkflowRun,
} from '../../../src/forge/schemas.js';

const at = '2026-08-20T09:00:00Z';
const web = 'https://forge.test/acme/engine';
const ada = { id: 1, login: 'ada', full_name: 'Ada Field', html_url: 'https://forge.test/ada' };
const ben = { id: 2, login: 'ben' };
const repo = { id: 7, name: 'engine', full_name: 'acme/engine', html_url: web };
const label = { id: 1, name: 'bug', color: 'ff0000' };

/** What a forge answers, parsed by the client's schemas. */
export const issue = Issue.parse({
  id: 12,
  number: 12,
  title: 'Leaking pipe',
  body: 'It **drips** at [the valve](https://forge.test/valve).\n\n<!-- template -->\n- [ ] find it\n- [x] see it\n\n```\nlog\n```',
  state: 'open',
  html_url: `${web}/issues/12`,
  user: ada,
  assignees: [ada, ben],
  labels: [label],
  milestone: { id: 1, title: 'v1' },
  repository: { id: 7, name: 'engine', owner: 'acme', full_name: 'acme/engine' },
  comments: 3,
  created_at: at,
  due_date: '2026-09-01T23:59:59+02:00',
});

export const pull = PullRequest.parse({
  id: 13,
  number: 13,
  title: 'Seal the pipe',
  body: '> quoted\n\n# Why\n1. because',
  state: 'open',
  html_url: `${web}/pulls/13`,
  user: ada,
  labels: [label],
  requested_reviewers: [ben],
  requested_reviewers_teams: [{ id: 3, name: 'plumbers' }],
  base: { label: 'main', ref: 'main', sha: 'a'.repeat(40), repo },
  head: { label: 'seal', ref: 'seal', sha: 'b'.repeat(40), repo },
  additions: 5,
  deletions: 2,
  created_at: at,
});

export const reviews = [
  PullReview.parse({ id: 1, state: 'APPROVED', official: true, user: ada }),
  PullReview.parse({ id: 2, state: 'REQUEST_CHANGES', official: true, user: ben }),
];

export const run = WorkflowRun.parse({
  id: 900,
  run_number: 41,
  run_attempt: 2,
  display_title: 'Seal the pipe',
  path: 'build.yml@refs/heads/main',
  event: 'push',
  status: 'in_progress',
  head_branch: 'main',
  html_url: `${web}/actions/runs/900`,
  actor: ada,
  repository: repo,
  started_at: at,
});

export const job = WorkflowJob.parse({
  id: 901,
  name: 'build',
  status: 'completed',
  conclusion: 'failure',
  labels: ['linux'],
  html_url: `${web}/actions/runs/900/jobs/0`,
  runner_name: 'runner-1',
  steps: [{ name: 'compile', conclusion: 'failure' }],
  started_at: at,
  completed_at: '2026-08-20T09:02:05Z',
});

export const repository = Repository.parse({
  ...repo,
  private: true,
  description: 'The engine',
  default_branch: 'main',
  language: 'Go',
  open_issues_count: 4,
  open_pr_counter: 1,
  stars_count: 2,
  updated_at: at,
});

export const thread = NotificationThread.parse({
  id: 5,
  unread: true,
  updated_at: at,
  repository: repo,
  subject: { type: 'Issue', title: 'Leaking pipe', state: 'open', html_url: `${web}/issues/12` },
});

export const runner = Runner.parse({ id: 3, name: 'runner-1', status: 'online', labels: [{ name: 'linux' }] });
export const cron = Cron.parse({ name: 'update_mirrors', schedule: '@every 10m', next: at, prev: at, exec_times: 4 });
export const email = Email.parse({
  email: 'ada@forge.test',
  verified: true,
  primary: true,
  user_id: 1,
  username: 'ada',
});

export const hook = Hook.parse({
  id: 8,
  name: 'wake',
  type: 'gitea',
  active: true,
  branch_filter: '*',
  config: { url: 'https://bot.test/hooks/forge?token=hush' },
  events: ['push', 'issues'],
  created_at: at,
});

export const deployKey = DeployKey.parse({
  id: 4,
  title: 'ci',
  fingerprint: 'SHA256:abc',
  key: 'ssh-ed25519 AAAA',
  token: 'hush',
  read_only: true,
  repository: repo,
  created_at: at,
});

export const publicKey = PublicKey.parse({
  id: 5,
  title: 'laptop',
  fingerprint: 'SHA256:def',
  user: ada,
  updated_at: at,
});
export const found = Package.parse({ id: 6, type: 'npm', name: 'engine', version: '1.2.3', html_url: web, owner: ada });
export const project = Project.parse({
  id: 9,
  title: 'Pipes',
  description: 'All of *them*',
  state: 'open',
  html_url: web,
});
export const column = ProjectColumn.parse({ id: 10, title: 'Doing', color: '#00ff00', sorting: 2 });
export const account = Account.parse({ ...ada, is_admin: true });
