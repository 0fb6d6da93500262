import { command } from '../../chat/command.js';
import { body, issue } from '../../chat/fields/index.js';
import {
  findThreadComment,
  planThreadComment,
  postThreadComment,
  threadCommentMessage,
} from '../../domain/threads/comment.js';
import { replyStays } from '../../domain/threads/refused.js';
import { reply, thread } from './fields.js';

export const threadComment = command({
  name: 'thread comment',
  summary: 'Post a reply in a synced thread as a comment',
  examples: ['thread comment acme/engine#12 Looks good'],
  fields: {
    issue: issue({ label: 'Issue or pull request' }),
    body: body({ label: 'Comment' }),
    reply: reply(),
    thread: thread(),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  hidden: true,
  quiet: true,
  amountsTo: 'issue comment',
  refuseWaiting: replyStays,
  operations: ['issues.comment', 'issues.get', 'issues.listComments'],
  plan: planThreadComment,
  run: postThreadComment,
  findDone: findThreadComment,
  reply: threadCommentMessage,
});
