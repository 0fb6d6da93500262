import { command } from '../../chat/command.js';
import { request } from '../../chat/request.js';
import { unlessAbsent } from '../../forge/possible.js';
import { say } from '../../view/message.js';
import { md } from '../../view/text.js';
import { commentOf, commentStays, reply } from './comment.js';

export const threadDelete = command({
  name: 'thread delete',
  summary: 'Delete the comment that a reply became',
  examples: ['thread delete'],
  fields: { reply: reply() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  hidden: true,
  quiet: true,
  approval: { refuseWaiting: commentStays },
  operations: ['issues.deleteComment'],
  needs: ['issues.deleteComment'],
  async plan({ reply }, context) {
    const { owner, repo, comment } = await commentOf(reply, context);
    return [request('issues.deleteComment', { owner, repo, id: comment })];
  },
  async run({ reply }, context) {
    const { owner, repo, comment } = await commentOf(reply, context);
    await unlessAbsent(context.api.issues.deleteComment({ owner, repo, id: comment }));
  },
  reply: () => say(md`Deleted the comment.`),
});
