import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { optional, text } from '../../chat/fields.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { reportTarget } from '../reviews/report.js';
import { days, keep, time, zoneOf } from './reviews.js';
import { reminderWords } from './words.js';

export const remindReport = command({
  name: 'remind report',
  title: 'Schedule report',
  summary: 'Get a report about reviews every week',
  examples: ['remind report mon 9:00 acme/engine', 'remind report fri 15:00 acme'],
  fields: {
    days: days(),
    time: time(),
    of: optional(text({ label: 'Repository or owner', placeholder: 'owner/repo|owner', max: 200 })),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['issues.search', 'issues.timeline', 'pulls.listReviews'],
  needs: ['issues.search'],
  plan: () => [],
  async run({ days: on, time: at, of }, context) {
    const { person, slack } = context;
    const report = await reportTarget({ of }, context);
    const made = {
      ...{ owner: person.user, team: person.team, days: [...on], time: at, zone: await zoneOf(context) },
      ...{ labels: [], without: [], drafts: false, repositories: [], personal: true, report },
      channel: await slack.directMessage(person.user),
    };
    return keep(made, context);
  },
  reply: (made) =>
    message({
      blocks: doneCard({
        says: md`You’ll get a report about reviews in ${made.report ?? ''}.`,
        facts: reminderWords(made),
        buttons: [runButton({ text: 'Remove', command: 'remind remove', args: { reminder: made.id } })],
      }),
    }),
});
