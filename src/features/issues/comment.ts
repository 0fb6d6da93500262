import { command } from '../../chat/command.js';
import { body, issue } from '../../chat/fields.js';
import { commentedMessage, findComment, planComment, postComment } from './comment-shared.js';

export const issueComment = command({
  name: 'issue comment',
  title: 'Add comment',
  aliases: ['comment'],
  summary: 'Comment on an issue or pull request',
  examples: ['issue comment acme/engine#12 Fixed by the new valve.', 'comment #12 Thank you!'],
  fields: {
    issue: issue({ label: 'Issue or pull request' }),
    body: body({ label: 'Comment', hint: 'Markdown.' }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['issues.comment', 'issues.get', 'issues.listComments'],
  plan: planComment,
  run: postComment,
  findDone: findComment,
  reply: commentedMessage,
});
