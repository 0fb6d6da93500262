import { command } from '../../chat/command.js';
import { duration, flag, repository, toggle } from '../../chat/fields/index.js';
import { reminderMessage, remindOfReviews } from '../../domain/reminders/reviews.js';
import { labelFilter } from './filters.js';
import { days, time } from './when.js';

export const remindReviews = command({
  name: 'remind reviews',
  title: 'Schedule reminder',
  summary: 'Post a regular reminder of pull requests waiting for review',
  examples: [
    'remind reviews daily 9:30',
    'remind reviews weekdays 9:30 --me',
    'remind reviews mon,thu 14:00 --repository acme/engine --older-than 2d --labels bug,-wip --drafts',
  ],
  fields: {
    days: days(),
    time: time(),
    repository: flag(repository({ hint: 'Leave empty for this channel’s subscriptions.' })),
    me: toggle({ label: 'For me', text: 'Send me a direct message with my review requests instead' }),
    olderThan: flag(duration({ label: 'Older than', hint: 'Such as 12h or 2d.' })),
    labels: flag(labelFilter()),
    drafts: toggle({ label: 'Include drafts' }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search', 'pulls.list', 'issues.search'],
  plan: () => [],
  run: remindOfReviews,
  reply: reminderMessage,
});
