import { formButton, runButton, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { offset, rows } from '../../chat/fields.js';
import type { Reminder } from '../../store/index.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { drawPage } from '../../view/paging.js';
import { code, md, mention } from '../../view/text.js';
import { reminderWords } from './words.js';

async function listReminders(_args: unknown, { store, person, channel }: Context) {
  const all = await store.reminders.all();
  const here = all.filter((each) => !each.personal && each.team === person.team && each.channel === channel);
  const own = all.filter((each) => each.personal && each.team === person.team && each.owner === person.user);
  return [...here, ...own].sort((a, b) => a.createdAt - b.createdAt);
}

function remindersMessage(found: readonly Reminder[], { from = 0 }: { readonly from?: number | undefined }) {
  const row = (each: Reminder) => [
    section(
      md`⏰ ${code(each.id)} ${each.personal ? md`for you` : md`for this channel, created by ${mention(each.owner)}`}`,
      runButton({ text: 'Remove', command: 'remind remove', args: { reminder: each.id } }),
    ),
    quiet(reminderWords(each)),
  ];
  const next = (at: number) => turnButton({ text: 'Show more', command: 'remind list', args: { from: at } });
  return message({
    blocks: [
      found.length === 0 ? section(md`No reminders in this channel, and none of your own.`) : undefined,
      ...drawPage(found, from, rows, row, next),
      actions(formButton({ text: 'New reminder', command: 'remind reviews' })),
    ],
  });
}

export const remindList = command({
  name: 'remind list',
  summary: 'List the reminders of this channel and your own',
  examples: ['remind list'],
  fields: { from: offset() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [],
  account: 'none',
  plan: () => [],
  run: listReminders,
  reply: remindersMessage,
});
