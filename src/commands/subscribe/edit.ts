import { command } from '../../chat/command.js';
import { choice, choices, clearable, flag, text, toggle } from '../../chat/fields/index.js';
import { editedMessage, editSubscription, presentParts } from '../../domain/subscriptions/edit.js';
import { followed } from '../../domain/subscriptions/fields.js';
import { featureWords } from '../../domain/subscriptions/form-parts.js';
import { settings } from '../../feed/filter.js';
import { featureTexts, settingTexts } from './form-words.js';

const [firstFeature = 'issues', ...otherFeatures] = featureWords;

export const subscribeEdit = command({
  name: 'subscribe edit',
  summary: 'Change what a subscription posts',
  examples: ['subscribe edit acme/engine', 'subscribe edit acme/engine --features issues,pulls:merged --bots on'],
  fields: {
    subscription: followed(),
    features: flag(
      clearable(
        choices([firstFeature, ...otherFeatures], {
          label: 'What to post',
          labels: featureTexts,
          hint: 'Choose none for the defaults.',
        }),
      ),
    ),
    filters: flag(
      clearable(
        text({
          label: 'Filters',
          hint: 'Such as +label:bug -author:*-bot base:main branch:release/*',
          max: 1000,
        }),
      ),
    ),
    bots: flag(choice(settings.bots, settingTexts.bots)),
    drafts: flag(choice(settings.drafts, settingTexts.drafts)),
    runs: flag(choice(settings.runs, settingTexts.runs)),
    thread: flag(choice(settings.thread, settingTexts.thread)),
    style: flag(choice(settings.style, settingTexts.style)),
    self: flag(choice(settings.self, settingTexts.self)),
    preview: toggle({ label: 'Preview', text: 'Only show what it would have posted in the last 7 days' }),
  },
  role: 'everyone',
  risk: 'write',
  riskOf: ({ preview }) => (preview ? 'read' : 'write'),
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [
    'repos.get',
    'repos.search',
    'users.get',
    'activity.repoFeed',
    'activity.userFeed',
    'runs.list',
    'issues.get',
    'pulls.get',
  ],
  form: 'edit',
  previews: 'preview',
  plan: () => [],
  prefill: presentParts,
  run: editSubscription,
  reply: editedMessage,
});
