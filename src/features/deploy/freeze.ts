import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { duration, flag, text } from '../../chat/fields.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { bold, md } from '../../view/text.js';
import { date } from '../../view/when.js';
import { environment, visible } from './environment.js';

const month = 31 * 86_400;

export const deployFreeze = command({
  name: 'deploy freeze',
  title: 'Freeze deployments',
  summary: 'Stop deployments to an environment for a while',
  examples: ['deploy freeze production 2h', 'deploy freeze production 1d --reason "Black Friday"'],
  fields: {
    environment: environment(),
    length: duration({ label: 'How long', placeholder: '2h', min: 60, max: month }),
    reason: flag(text({ label: 'Reason', max: 200 })),
  },
  role: 'maintainer',
  risk: 'write',
  effect: 'idempotent',
  operations: ['repos.get'],
  needs: ['repos.get'],
  plan: () => [],
  async run({ environment, length, reason }, context) {
    await visible(environment, context);
    const until = context.now.getTime() + length * 1_000;
    const by = { ...context.person, login: context.login };
    await context.store.deployments.freeze(environment, { by, until, ...(reason !== undefined && { reason }) });
    return { until };
  },
  reply: ({ until }, { environment, reason }, { now }) =>
    message({
      blocks: doneCard({
        says: md`Froze ${bold(environment)} until ${date(new Date(until), now)}.`,
        facts: [reason],
        buttons: [runButton({ text: 'Unfreeze', command: 'deploy unfreeze', args: { environment } })],
      }),
    }),
});
