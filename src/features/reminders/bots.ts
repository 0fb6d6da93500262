import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { flag, repository } from '../../chat/fields.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { days, forChannel, time, zoneOf } from './reviews.js';
import { reminderWords } from './words.js';

export const remindBots = command({
  name: 'remind bots',
  title: 'Schedule card about bots',
  summary: 'Post one regular card about the pull requests of bots',
  examples: ['remind bots daily 9:00', 'remind bots weekdays 9:00 --repository acme/engine'],
  fields: {
    days: days(),
    time: time(),
    repository: flag(repository({ hint: 'Leave empty for this channel’s subscriptions.' })),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search', 'pulls.list', 'repos.commitStatus'],
  plan: () => [],
  async run({ days: on, time: at, repository: of }, context) {
    const schedule = { owner: context.person.user, days: [...on], time: at, zone: await zoneOf(context) };
    return forChannel({ ...schedule, labels: [], without: [], drafts: false, bots: true }, of, context);
  },
  reply: (made) =>
    message({
      blocks: doneCard({
        says: md`This channel will get one card about the pull requests of bots.`,
        facts: [...reminderWords(made), 'skipped when there are none'],
        buttons: [runButton({ text: 'Remove', command: 'remind remove', args: { reminder: made.id } })],
      }),
    }),
});
