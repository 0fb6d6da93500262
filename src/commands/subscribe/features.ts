import { formButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { defaultFeatures, features, settings, subsOf } from '../../feed/filter.js';
import { actions, list, section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { bold, code, join, md } from '../../view/text.js';

const filters: readonly (readonly [word: string, meaning: string])[] = [
  ['+label:bug', 'only with this label; several with commas: any of them; said twice: both'],
  ['-label:wip', 'not with this label'],
  ['+author:ada', 'only of this person'],
  ['-author:*-bot', 'not of them; patterns work everywhere'],
  ['base:main', 'pull requests into these branches'],
  ['branch:release/*', 'pushes and runs of these branches'],
];

function featureLine(feature: (typeof features)[number]) {
  const usual = defaultFeatures.includes(feature) ? md` _usual_` : md``;
  if (feature === 'commits') return md`• ${code(feature)}${usual}: the default branch; ${code('commits:*')} all`;
  const words = feature === 'runs' ? settings.runs : subsOf(feature);
  return md`• ${code(feature)}${usual}: ${words.map((word) => `${feature}:${word}`).join(' ')}`;
}

export const subscribeFeatures = command({
  name: 'subscribe features',
  title: 'List features',
  summary: 'Show every feature and filter a subscription knows',
  examples: ['subscribe features'],
  fields: {},
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: [],
  account: 'none',
  plan: () => [],
  run: async () => undefined,
  reply: () =>
    message({
      text: 'Features and filters of subscriptions',
      blocks: [
        section(md`${bold('Features')}: name some, or none for the usual ones`),
        ...list(features.map(featureLine)),
        section(bold('Filters')),
        ...list(filters.map(([word, meaning]) => md`• ${code(word)}: ${meaning}`)),
        section(bold('Settings, the usual first')),
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
    }),
});
