import { withdrawButton } from '../../chat/actions.js';
import { askerOf, decidersOf, stateOf } from '../../chat/approval/card.js';
import { Shown, wishOf } from '../../chat/approval/shown.js';
import { command } from '../../chat/command.js';
import { text } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import { actions, context, facts, factValue, list, section } from '../../view/blocks.js';
import { requestLines } from '../../view/cards/request.js';
import { message } from '../../view/message.js';
import { bold, code, md } from '../../view/text.js';

export const approvalShow = command({
  name: 'approval show',
  summary: 'Show what a request for approval would send',
  examples: ['approval show j-c-1'],
  fields: { id: text({ label: 'Request', max: 200 }) },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: [],
  account: 'none',
  hidden: true,
  plan: () => [],
  async run({ id }, { store, channel, person }) {
    const approval = await store.approvals.get(id);
    const shown = approval && Shown.safeParse(approval.shown).data;
    // a card's details are shown only in its channel and to the requester
    const seen = shown?.channel === channel || approval?.requester.user === person.user;
    if (!approval || !shown || approval.requester.team !== person.team || !seen)
      throw new UserError('This request no longer exists in this channel.');
    return { approval, shown };
  },
  reply: ({ approval, shown }, _args, { person }) =>
    message({
      text: md`What ${approval.requester.login ?? 'the request'} would send`,
      blocks: [
        section(md`${askerOf(approval)} wants to ${wishOf(shown)}`),
        ...facts(shown.observed),
        ...shown.details.flatMap(([label, value]) =>
          list([bold(label), ...[value].flat().map((each) => md`${factValue(each)}`)]),
        ),
        ...list([bold('Sends'), ...requestLines(shown.requests)]),
        context([shown.wants ? undefined : code(shown.line), md`${decidersOf(approval)} can decide`]),
        stateOf(approval) === 'pending' && approval.requester.user === person.user
          ? actions(withdrawButton(approval.id))
          : undefined,
      ],
    }),
});
