import { command } from '../chat/command.js';
import { choices, flag, optional, toggle } from '../chat/fields/index.js';
import { targets, wish } from '../domain/subscriptions/fields.js';
import { planSubscribe, subscribeChannel, subscribedMessage } from '../domain/subscriptions/subscribe.js';
import { everydayFeatures, featureTexts, usualFeatures } from './subscribe/form-words.js';

export const subscribe = command({
  name: 'subscribe',
  title: 'Subscribe this channel',
  submit: 'Subscribe channel',
  summary: 'Subscribe this channel to a repository',
  examples: [
    'subscribe acme/engine',
    'subscribe acme/engine acme/website issues pulls:opened,merged +label:bug -author:*-bot',
    'subscribe acme/* releases runs:failure -acme/noisy',
    'subscribe acme/engine reviews --preview 14d',
  ],
  fields: {
    repositories: optional(targets({ hint: 'For all repositories of an owner, write owner/* under Filters.' })),
    filter: optional(
      wish({
        label: 'Filters',
        hint: 'Such as +label:bug, -author:*-bot, base:main, or -acme/noisy to leave one out of acme/*.',
      }),
    ),
    features: flag({
      ...choices(everydayFeatures, { label: 'What to post', labels: featureTexts }),
      begins: usualFeatures,
    }),
    preview: toggle({
      label: 'Preview',
      text: 'Only show what it would have posted in the last 7 days',
    }),
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
    'users.me',
    'activity.repoFeed',
    'activity.userFeed',
    'runs.list',
    'issues.get',
    'pulls.get',
    'issues.list',
    'pulls.list',
    'repos.listBranches',
    'repos.listReleases',
  ],
  form: 'always',
  previews: 'preview',
  plan: planSubscribe,
  run: subscribeChannel,
  reply: subscribedMessage,
});
