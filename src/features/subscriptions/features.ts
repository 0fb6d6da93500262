import { formButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { defaultFeatures, features, runWatches, settings, subsOf } from '../../feed/filter.js';
import { actions, list, section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { bold, code, join, md } from '../../view/text.js';

const filters: readonly (readonly [word: string, meaning: string])[] = [
  ['+label:bug', 'only with this label, or with any of several separated by commas'],
  ['-label:wip', 'not with this label'],
  ['+author:ada', 'only by this person'],
  ['-author:*-bot', 'not by matching people; patterns work in every filter'],
  ['-acme/noisy', 'leaves this repository out of a pattern such as acme/*'],
  ['#12', 'everything about this issue or pull request'],
  ['base:main', 'pull requests into these branches'],
  ['workflow:ci', 'runs of these workflows, by file name'],
  ['branch:release/*', 'pushes and runs on these branches'],
  ['path:services/billing/**', 'pushes, pull requests, reviews and runs that change these files'],
  ['-path:docs/**', 'changes of these files do not count'],
  ['reviewer:acme/core', 'review requests to this team, its members or this person'],
];

function featureLine(feature: (typeof features)[number]) {
  const usual = defaultFeatures.includes(feature) ? md` _default_` : md``;
  if (feature === 'commits')
    return md`• ${code(feature)}${usual}: the default branch; ${code('commits:*')} for all branches`;
  if (feature === 'queue') return md`• ${code(feature)}: what is being merged in turn, as one card`;
  const words = feature === 'runs' ? [...settings.runs, ...runWatches] : subsOf(feature);
  return md`• ${code(feature)}${usual}: ${words.map((word) => `${feature}:${word}`).join(' ')}`;
}

const featuresMessage = () =>
  message({
    text: 'Features and filters of subscriptions',
    blocks: [
      section(md`${bold('Features')}: name some, or none for the defaults`),
      ...list(features.map(featureLine)),
      section(bold('Filters')),
      ...list(filters.map(([word, meaning]) => md`• ${code(word)}: ${meaning}`)),
      section(bold('Settings, default first')),
      ...list(
        Object.entries(settings).map(
          ([name, values]) =>
            md`• ${join(
              values.map((value) => code(`${name}:${value}`)),
              ' ',
            )}`,
        ),
      ),
      actions(formButton({ text: 'Subscribe', command: 'subscribe', style: 'primary' })),
    ],
  });

export const subscribeFeatures = command({
  name: 'subscribe features',
  title: 'List features',
  summary: 'Show all features and filters of subscriptions',
  examples: ['subscribe features'],
  fields: {},
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [],
  account: 'none',
  plan: () => [],
  run: async () => undefined,
  reply: featuresMessage,
});
