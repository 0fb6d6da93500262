import type { AnyCommand } from '../chat/command.js';
import { away } from './accounts/away.js';
import { people } from './accounts/people.js';
import { settings } from './accounts/settings.js';
import { signin } from './accounts/signin.js';
import { signinConfirm } from './accounts/signin-confirm.js';
import { signinOther } from './accounts/signin-other.js';
import { signout } from './accounts/signout.js';
import { whoami } from './accounts/whoami.js';
import { feedRepo } from './activity/repo.js';
import { feedUser } from './activity/user.js';
import { audit } from './admin/audit.js';
import { cronList } from './admin/cron-list.js';
import { cronRun } from './admin/cron-run.js';
import { adminEmails } from './admin/emails.js';
import { adminJobs } from './admin/jobs.js';
import { adminRuns } from './admin/runs.js';
import { agentsAdd } from './agents/add.js';
import { agentsList } from './agents/list.js';
import { agentsRevoke } from './agents/revoke.js';
import { approvalShow } from './approvals/show.js';
import { botsApprove } from './bots/approve.js';
import { botsShow } from './bots/show.js';
import { deploy } from './deploy/deploy.js';
import { deployFreeze } from './deploy/freeze.js';
import { deployHistory } from './deploy/history.js';
import { deployStatus } from './deploy/status.js';
import { deployUnfreeze } from './deploy/unfreeze.js';
import { hookCreate } from './hooks/create.js';
import { hookList } from './hooks/list.js';
import { inboxClear } from './inbox/clear.js';
import { inbox } from './inbox/inbox.js';
import { inboxMark } from './inbox/mark.js';
import { todo } from './inbox/todo.js';
import { issueAssign } from './issues/assign.js';
import { issueBlock, issueUnblock } from './issues/block.js';
import { issueClose, issueReopen } from './issues/close.js';
import { issueComment } from './issues/comment.js';
import { issueCreate } from './issues/create.js';
import { issueDue } from './issues/due.js';
import { issueEdit } from './issues/edit.js';
import { issueLabel } from './issues/label.js';
import { issueList } from './issues/list.js';
import { issueLogTime } from './issues/log-time.js';
import { issueSearch } from './issues/search.js';
import { issueShow } from './issues/show.js';
import { keyAdd } from './keys/add.js';
import { keyAddMine } from './keys/add-mine.js';
import { keyList } from './keys/list.js';
import { mute } from './mutes/mute.js';
import { unmute } from './mutes/unmute.js';
import { packageShow } from './packages/show.js';
import { projectClose } from './projects/close.js';
import { projectColumnAdd } from './projects/column-add.js';
import { projectCreate } from './projects/create.js';
import { projectEdit } from './projects/edit.js';
import { projectMineColumnEdit } from './projects/mine-column-edit.js';
import { projectMineColumns } from './projects/mine-columns.js';
import { projectMineEdit } from './projects/mine-edit.js';
import { projectReopen } from './projects/reopen.js';
import { prApprove } from './pulls/approve.js';
import { prClose } from './pulls/close.js';
import { prDiff } from './pulls/diff.js';
import { prEdit } from './pulls/edit.js';
import { prList } from './pulls/list.js';
import { prMerge } from './pulls/merge.js';
import { prNudge } from './pulls/nudge.js';
import { prReopen } from './pulls/reopen.js';
import { prRequestChanges } from './pulls/request-changes.js';
import { prRetarget } from './pulls/retarget.js';
import { prReview } from './pulls/review.js';
import { prShow } from './pulls/show.js';
import { reviewHandBack, reviewTake } from './pulls/take.js';
import { queueList } from './queue/list.js';
import { queuePause, queueResume } from './queue/pause.js';
import { queue } from './queue/queue.js';
import { queueRemove } from './queue/remove.js';
import { queueRequire } from './queue/require.js';
import { queueSetup } from './queue/setup.js';
import { remindBots } from './reminders/bots.js';
import { remindList } from './reminders/list.js';
import { remindRemove } from './reminders/remove.js';
import { remindReport } from './reminders/report.js';
import { remindReviews } from './reminders/reviews.js';
import { repoCommits } from './repos/commits.js';
import { repoCreate } from './repos/create.js';
import { repoMigrate } from './repos/migrate.js';
import { repoSearch } from './repos/search.js';
import { repoUse } from './repos/use.js';
import { repoWatched } from './repos/watched.js';
import { reviewsReport } from './reviews/report.js';
import { runnerAdd } from './runners/add.js';
import { runnerDrain } from './runners/drain.js';
import { runnerDisable, runnerEnable } from './runners/enable.js';
import { runnerList } from './runners/list.js';
import { runnerRemove } from './runners/remove.js';
import { runnerShow } from './runners/show.js';
import { runnerToken } from './runners/token.js';
import { runApprove } from './runs/approve.js';
import { runCancel } from './runs/cancel.js';
import { runFlaky } from './runs/flaky.js';
import { runForceCancel } from './runs/force-cancel.js';
import { runList } from './runs/list.js';
import { runLog } from './runs/log.js';
import { runRerun } from './runs/rerun.js';
import { runShow } from './runs/show.js';
import { runStuck } from './runs/stuck.js';
import { status } from './status/status.js';
import { subscribeAccept } from './subscriptions/accept.js';
import { subscribeEdit } from './subscriptions/edit.js';
import { subscribeFeatures } from './subscriptions/features.js';
import { follow } from './subscriptions/follow.js';
import { subscribeList } from './subscriptions/list.js';
import { subscribeOwner } from './subscriptions/owner.js';
import { subscribe } from './subscriptions/subscribe.js';
import { unfollow } from './subscriptions/unfollow.js';
import { unsubscribe } from './subscriptions/unsubscribe.js';
import { threadAgree } from './threads/agree.js';
import { threadComment } from './threads/comment.js';
import { threadDelete } from './threads/delete.js';
import { threadEdit } from './threads/edit.js';
import { why } from './why/why.js';
import { workflowDisable, workflowEnable } from './workflows/enable.js';
import { workflowList } from './workflows/list.js';
import { workflowRun } from './workflows/run.js';

/** A command is one file, imported and listed here. */
export const commands: readonly AnyCommand[] = [
  todo,
  issueList,
  issueSearch,
  issueShow,
  issueCreate,
  issueClose,
  issueReopen,
  issueEdit,
  issueAssign,
  issueLabel,
  issueDue,
  issueComment,
  issueBlock,
  issueUnblock,
  issueLogTime,
  prList,
  prShow,
  prReview,
  reviewTake,
  reviewHandBack,
  prApprove,
  prDiff,
  prNudge,
  prRequestChanges,
  prMerge,
  queue,
  queueList,
  queueRemove,
  queuePause,
  queueResume,
  queueRequire,
  queueSetup,
  prEdit,
  prRetarget,
  prClose,
  prReopen,
  runList,
  runShow,
  runLog,
  runRerun,
  runApprove,
  runCancel,
  runForceCancel,
  runStuck,
  runFlaky,
  workflowList,
  workflowRun,
  workflowEnable,
  workflowDisable,
  deploy,
  deployStatus,
  deployHistory,
  deployFreeze,
  deployUnfreeze,
  inbox,
  inboxMark,
  inboxClear,
  repoUse,
  remindReviews,
  remindReport,
  remindBots,
  botsShow,
  botsApprove,
  reviewsReport,
  remindList,
  remindRemove,
  repoSearch,
  repoCreate,
  repoMigrate,
  repoWatched,
  repoCommits,
  keyList,
  keyAdd,
  keyAddMine,
  projectCreate,
  projectEdit,
  projectClose,
  projectReopen,
  projectColumnAdd,
  projectMineEdit,
  projectMineColumns,
  projectMineColumnEdit,
  packageShow,
  feedRepo,
  feedUser,
  threadAgree,
  threadComment,
  threadEdit,
  threadDelete,
  subscribe,
  subscribeList,
  subscribeEdit,
  subscribeOwner,
  subscribeAccept,
  subscribeFeatures,
  unsubscribe,
  follow,
  unfollow,
  mute,
  unmute,
  settings,
  away,
  status,
  why,
  people,
  runnerList,
  runnerShow,
  runnerEnable,
  runnerDisable,
  runnerDrain,
  runnerRemove,
  runnerToken,
  runnerAdd,
  cronList,
  cronRun,
  adminJobs,
  adminRuns,
  adminEmails,
  hookList,
  hookCreate,
  approvalShow,
  audit,
  signin,
  signinOther,
  signinConfirm,
  signout,
  whoami,
  agentsAdd,
  agentsList,
  agentsRevoke,
];
