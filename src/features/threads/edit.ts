import { command } from '../../chat/command.js';
import { body } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { say } from '../../view/message.js';
import { md } from '../../view/text.js';
import { commentOf, commentStays, reply, withMark } from './comment.js';
import { refuseUnagreedEdit } from './consent.js';

export const threadEdit = command({
  name: 'thread edit',
  summary: 'Edit the comment that a reply became',
  examples: ['thread edit Looks better'],
  fields: { body: body({ label: 'Comment' }), reply: reply() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  hidden: true,
  quiet: true,
  approval: { refuseWaiting: commentStays },
  operations: ['issues.editComment', 'repos.get'],
  needs: ['issues.editComment'],
  async plan({ body, reply }, context) {
    const { owner, repo, comment } = await commentOf(reply, context);
    return [request('issues.editComment', { owner, repo, id: comment, body: { body } })];
  },
  async run({ body, reply }, context) {
    const { owner, repo, comment } = await commentOf(reply, context);
    await refuseUnagreedEdit(await context.api.repos.get({ owner, repo }), context);
    const text = await withMark(body, reply ?? '', context);
    return context.api.issues.editComment({ owner, repo, id: comment, body: { body: text } });
  },
  reply: () => say(md`Edited the comment.`),
});
