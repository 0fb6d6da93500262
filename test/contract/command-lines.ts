import type { OperationName } from '../../src/forge/index.js';

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI';
const [deploy, own] = [
  `${key}J2X5k2mWq0nXbqzqk7lV2T6hQ0m8uY0c9w1u3Zr5p7a`,
  `${key}L2X5k2mWq0nXbqzqk7lV2T6hQ0m8uY0c9w1u3Zr5p7a`,
];

/** What a person types, for each operation of the API document. */
export const lines = {
  'admin.listJobs': 'admin jobs --status queued',
  'admin.listRunners': 'runner list',
  'admin.createRegistrationToken': 'runner token',
  'admin.getRunner': 'runner show 1',
  'admin.editRunner': 'runner disable 1',
  'admin.deleteRunner': 'runner remove 3',
  'admin.listRuns': 'admin runs --status failure',
  'admin.listCron': 'cron list',
  'admin.runCron': 'cron run git_gc_repos',
  'admin.listEmails': 'admin emails',
  'admin.searchEmails': 'admin emails grace',
  'admin.listHooks': 'hook list',
  'admin.createHook': 'hook create https://ci.example.org/hook --events push',
  'repos.createInOrg': 'repo create acme/loom --private',
  'repos.migrate': 'repo migrate https://example.org/ada/old.git acme/old',
  'repos.search': 'repo search engine',
  'repos.listWatched': 'repo watched',
  'repos.listCommits': 'repo commits acme/engine',
  'keys.listDeploy': 'key list acme/engine',
  'keys.addDeploy': `key add acme/engine "build server" ${deploy} build`,
  'keys.addMine': `key add-mine laptop ${own} ada`,
  'issues.edit': 'issue edit acme/engine#2 --title "Print on paper"',
  'issues.block': 'issue block acme/engine#2 acme/engine#7',
  'issues.unblock': 'issue unblock acme/engine#2 acme/engine#7',
  'issues.addTime': 'issue log-time acme/engine#2 30m',
  'issues.comment': 'issue comment acme/engine#2 Seen',
  'issues.search': 'issue search paper',
  'pulls.edit': 'pr edit acme/engine#8 --title "Drop it first"',
  'pulls.requestReviewers': 'pr review acme/engine#5 margaret',
  'runs.list': 'run list acme/engine',
  'runs.forceCancel': 'run force-cancel acme/engine#8',
  'projects.createInRepo': 'project create acme/engine Bugs --template bug_triage',
  'projects.editInRepo': 'project edit acme/engine#1 --title "Road to 1.1"',
  'projects.addColumn': 'project column-add acme/engine#1 In review --color #1d76db',
  'projects.editMine': 'project mine edit 3 --title "This week"',
  'projects.listMyColumns': 'project mine columns 3',
  'projects.editMyColumn': 'project mine column-edit 3 9 --position -1',
  'notifications.markThread': 'inbox mark {thread} read',
  'notifications.markAll': 'inbox clear',
  'activity.userFeed': 'feed user grace',
  'activity.repoFeed': 'feed repo acme/engine',
  'packages.get': 'package show acme/generic/engine/0.9',
} satisfies Partial<Record<OperationName, string>>;

/** The same for operations beyond the document, which a server may have. */
export const beyond = {
  'notifications.markRepo': 'inbox clear --repository acme/engine',
  'runs.rerun': 'run rerun acme/engine#2',
  'runs.rerunFailed': 'run rerun acme/engine#4 --failed',
  'runs.rerunJob': 'run rerun acme/engine#1 --job build',
  'runs.jobLog': 'run log acme/engine#5',
  'workflows.list': 'workflow list acme/engine',
  'workflows.disable': 'workflow disable acme/engine ci.yml',
  'workflows.enable': 'workflow enable acme/engine ci.yml',
  'workflows.dispatch': 'workflow run acme/engine ci.yml',
} satisfies Partial<Record<OperationName, string>>;
