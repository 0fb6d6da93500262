import type { AnyCommand } from '../chat/command.js';
import { signin } from './account/signin.js';
import { signout } from './account/signout.js';
import { whoami } from './account/whoami.js';
import { adminEmails } from './admin/emails.js';
import { adminJobs } from './admin/jobs.js';
import { adminRuns } from './admin/runs.js';
import { agentsAdd } from './agents/add.js';
import { agentsList } from './agents/list.js';
import { agentsRevoke } from './agents/revoke.js';
import { approvalShow } from './approval/show.js';
import { audit } from './audit.js';
import { cronList } from './cron/list.js';
import { cronRun } from './cron/run.js';
import { deployFreeze } from './deploy/freeze.js';
import { deployHistory } from './deploy/history.js';
import { deployStatus } from './deploy/status.js';
import { deployUnfreeze } from './deploy/unfreeze.js';
import { deploy } from './deploy.js';
import { feedRepo } from './feed/repo.js';
import { feedUser } from './feed/user.js';
import { follow } from './follow.js';
import { hookCreate } from './hook/create.js';
import { hookList } from './hook/list.js';
import { inboxClear } from './inbox/clear.js';
import { inboxMark } from './inbox/mark.js';
import { inbox } from './inbox.js';
import { issueAssign } from './issue/assign.js';
import { issueBlock } from './issue/block.js';
import { issueClose } from './issue/close.js';
import { issueComment } from './issue/comment.js';
import { issueCreate } from './issue/create.js';
import { issueDue } from './issue/due.js';
import { issueEdit } from './issue/edit.js';
import { issueLabel } from './issue/label.js';
import { issueList } from './issue/list.js';
import { issueLogTime } from './issue/log-time.js';
import { issueReopen } from './issue/reopen.js';
import { issueSearch } from './issue/search.js';
import { issueShow } from './issue/show.js';
import { issueUnblock } from './issue/unblock.js';
import { keyAdd } from './key/add.js';
import { keyAddMine } from './key/add-mine.js';
import { keyList } from './key/list.js';
import { mute } from './mute.js';
import { packageShow } from './package/show.js';
import { people } from './people.js';
import { prApprove } from './pr/approve.js';
import { prCancelMerge } from './pr/cancel-merge.js';
import { prClose } from './pr/close.js';
import { prEdit } from './pr/edit.js';
import { prList } from './pr/list.js';
import { prMerge } from './pr/merge.js';
import { prReopen } from './pr/reopen.js';
import { prRequestChanges } from './pr/request-changes.js';
import { prRetarget } from './pr/retarget.js';
import { prReview } from './pr/review.js';
import { prShow } from './pr/show.js';
import { projectClose } from './project/close.js';
import { projectColumnAdd } from './project/column-add.js';
import { projectCreate } from './project/create.js';
import { projectEdit } from './project/edit.js';
import { projectMineColumnEdit } from './project/mine/column-edit.js';
import { projectMineColumns } from './project/mine/columns.js';
import { projectMineEdit } from './project/mine/edit.js';
import { projectReopen } from './project/reopen.js';
import { remindList } from './remind/list.js';
import { remindRemove } from './remind/remove.js';
import { remindReviews } from './remind/reviews.js';
import { repoCommits } from './repo/commits.js';
import { repoCreate } from './repo/create.js';
import { repoMigrate } from './repo/migrate.js';
import { repoSearch } from './repo/search.js';
import { repoUse } from './repo/use.js';
import { repoWatched } from './repo/watched.js';
import { runApprove } from './run/approve.js';
import { runCancel } from './run/cancel.js';
import { runFlaky } from './run/flaky.js';
import { runForceCancel } from './run/force-cancel.js';
import { runList } from './run/list.js';
import { runLog } from './run/log.js';
import { runRerun } from './run/rerun.js';
import { runShow } from './run/show.js';
import { runStuck } from './run/stuck.js';
import { runnerAdd } from './runner/add.js';
import { runnerDisable } from './runner/disable.js';
import { runnerDrain } from './runner/drain.js';
import { runnerEnable } from './runner/enable.js';
import { runnerList } from './runner/list.js';
import { runnerRemove } from './runner/remove.js';
import { runnerShow } from './runner/show.js';
import { runnerToken } from './runner/token.js';
import { settings } from './settings.js';
import { signinConfirm } from './signin/confirm.js';
import { signinOther } from './signin/other.js';
import { status } from './status.js';
import { subscribeAccept } from './subscribe/accept.js';
import { subscribeEdit } from './subscribe/edit.js';
import { subscribeFeatures } from './subscribe/features.js';
import { subscribeList } from './subscribe/list.js';
import { subscribeOwner } from './subscribe/owner.js';
import { subscribe } from './subscribe.js';
import { threadAgree } from './thread/agree.js';
import { threadComment } from './thread/comment.js';
import { threadDelete } from './thread/delete.js';
import { threadEdit } from './thread/edit.js';
import { todo } from './todo.js';
import { unfollow } from './unfollow.js';
import { unmute } from './unmute.js';
import { unsubscribe } from './unsubscribe.js';
import { why } from './why.js';
import { workflowDisable } from './workflow/disable.js';
import { workflowEnable } from './workflow/enable.js';
import { workflowList } from './workflow/list.js';
import { workflowRun } from './workflow/run.js';

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
  prApprove,
  prRequestChanges,
  prMerge,
  prCancelMerge,
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
