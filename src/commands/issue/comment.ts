import { formButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { body, issue } from '../../chat/fields/index.js';
import { refOf } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { firstOf, isMine, isNew, sameText } from '../../domain/find-sent.js';
import { ifTold, possible } from '../../forge/possible.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { link, md } from '../../view/text.js';

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
  plan: ({ issue, body }) => [request('issues.comment', { ...issue, body: { body } })],
  async run({ issue, body }, { api }) {
    // The forge answers a comment on nothing with an empty 500.
    const item = await possible(api.issues.get(issue));
    return { item, comment: await api.issues.comment({ ...issue, body: { body } }) };
  },
  async findDone({ issue, body }, context, sent) {
    const since = sent.since.toISOString();
    const items = context.api.issues.listComments.each({ ...issue, query: { since } }, { max: 500 });
    const comment = await firstOf(
      items,
      (each) => isMine(each.user, context) && isNew(each.created_at, sent) && sameText(each.body, body),
    );
    return comment && { item: await ifTold(context.api.issues.get(issue)), comment };
  },
  reply({ item, comment }, { issue: ref }) {
    const on = item ? `${refOf(ref)} ${item.title}` : refOf(ref);
    return message({
      blocks: doneCard({
        says: md`Commented on ${link(comment.html_url, on)}.`,
        buttons: [
          formButton({ text: 'Comment again', command: 'issue comment', args: { issue: ref } }),
          openButton(comment.html_url),
        ],
      }),
    });
  },
});
