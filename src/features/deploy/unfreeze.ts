import { command } from '../../chat/command.js';
import { frozenBy } from '../../chat/deploy/freeze.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { bold, md } from '../../view/text.js';
import { configuredAs, environment, visible } from './environment.js';

export const deployUnfreeze = command({
  name: 'deploy unfreeze',
  title: 'Unfreeze deployments',
  summary: 'Allow deployments to a frozen environment again',
  examples: ['deploy unfreeze production'],
  fields: { environment: environment() },
  role: 'maintainer',
  risk: 'write',
  effect: 'idempotent',
  operations: ['repos.get'],
  needs: ['repos.get'],
  plan: () => [],
  async run({ environment }, context) {
    await visible(environment, context);
    const ended = await context.store.deployments.unfreeze(environment);
    const { deployment } = configuredAs(environment, context);
    return { ended, still: frozenBy(environment, deployment, undefined, context.now) };
  },
  reply({ ended, still }, { environment }) {
    const says = ended ? md`Unfroze ${bold(environment)}.` : md`${bold(environment)} was not frozen by hand.`;
    return message({ blocks: doneCard({ says, but: still ? [still] : [] }) });
  },
});
