import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { frozenBy } from '../../chat/deploy/freeze.js';
import { optional } from '../../chat/fields.js';
import { fullName } from '../../chat/references.js';
import { deploymentRow, type EnvironmentLike, environmentRow } from '../../view/cards/deployment.js';
import { message } from '../../view/message.js';
import { type Configured, environment, visible } from './environment.js';

async function stateOf({ name, deployment, at }: Configured, { store, now }: Context): Promise<EnvironmentLike> {
  const [running, last, unsure, byHand] = await Promise.all([
    store.deployments.current(name),
    store.deployments.last(name),
    store.deployments.unsure(name),
    store.deployments.freezeOf(name),
  ]);
  const frozen = frozenBy(name, deployment, byHand, now);
  return { name, repository: fullName(at), running, last, unsure, frozen };
}

export const deployStatus = command({
  name: 'deploy status',
  title: 'Show deployments',
  summary: 'Show what is deployed where, since when and by whom',
  examples: ['deploy status', 'deploy status production'],
  fields: { environment: optional(environment()) },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['repos.get'],
  needs: ['repos.get'],
  plan: () => [],
  async run({ environment }, context) {
    const shown = await visible(environment, context);
    return Promise.all(shown.map((each) => stateOf(each, context)));
  },
  reply: (environments, _args, { now }) =>
    message({
      blocks: environments.slice(0, 10).flatMap((each) => {
        const history = runButton({ text: 'History', command: 'deploy history', args: { environment: each.name } });
        const rows = environmentRow(each, { now, buttons: [history] });
        const others = [each.running, each.unsure].filter((other) => other !== undefined);
        return [...rows, ...others.flatMap((other) => deploymentRow(other, { now }))];
      }),
    }),
});
