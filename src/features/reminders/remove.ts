import { command } from '../../chat/command.js';
import { text } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { reminderWords } from './words.js';

export const remindRemove = command({
  name: 'remind remove',
  summary: 'Remove a reminder of this channel, or one of your own',
  examples: ['remind remove r1a2b3c4d'],
  fields: { reminder: text({ label: 'Reminder', hint: 'The ID shown by “remind list”.', max: 20 }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [],
  account: 'none',
  plan: () => [],
  async run({ reminder }, { store, person, channel }) {
    const found = await store.reminders.get(reminder);
    const reached = found && found.team === person.team && (found.owner === person.user || isHere(found, channel));
    if (!found || !reached) {
      throw new UserError(`I can’t find the reminder ${reminder} in this channel. See /forge remind list.`);
    }
    await store.reminders.remove(reminder);
    return found;
  },
  reply: (removed) =>
    message({ blocks: doneCard({ says: md`Removed ${code(removed.id)}.`, facts: reminderWords(removed) }) }),
});

/** Anyone in a channel may remove a reminder posted to everyone in it. */
const isHere = (found: { personal: boolean; channel: string }, channel: string | undefined) =>
  !found.personal && found.channel === channel;
