import type { AnyCommand } from '../chat/command.js';
import { signin } from './account/signin.js';
import { signout } from './account/signout.js';
import { whoami } from './account/whoami.js';
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
import { issueLogTime } from './issue/log-time.js';
import { issueReopen } from './issue/reopen.js';
import { issueSearch } from './issue/search.js';
import { issueShow } from './issue/show.js';
import { issueUnblock } from './issue/unblock.js';
import { people } from './people.js';
import { prApprove } from './pr/approve.js';
import { prClose } from './pr/close.js';
import { prEdit } from './pr/edit.js';
import { prMerge } from './pr/merge.js';
import { prReopen } from './pr/reopen.js';
import { prRequestChanges } from './pr/request-changes.js';
import { prRetarget } from './pr/retarget.js';
import { prReview } from './pr/review.js';
import { prShow } from './pr/show.js';
import { repoUse } from './repo/use.js';
import { runCancel } from './run/cancel.js';
import { runList } from './run/list.js';
import { runShow } from './run/show.js';
import { todo } from './todo.js';

/** The list. A command is one file and one line here. */
export const commands: readonly AnyCommand[] = [
  todo,
  issueSearch,
  issueShow,
  issueCreate,
  issueClose,
  issueReopen,
  issueEdit,
  issueAssign,
  issueDue,
  issueComment,
  issueBlock,
  issueUnblock,
  issueLogTime,
  prShow,
  prReview,
  prApprove,
  prRequestChanges,
  prMerge,
  prEdit,
  prRetarget,
  prClose,
  prReopen,
  runList,
  runShow,
  runCancel,
  inbox,
  inboxMark,
  inboxClear,
  repoUse,
  people,
  signin,
  signout,
  whoami,
];
