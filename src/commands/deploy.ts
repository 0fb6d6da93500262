import { command } from '../chat/command.js';
import { flag, optional, text, toggle } from '../chat/fields/index.js';
import { configuredAs, environment } from '../domain/deployments/environment.js';
import { questions } from '../domain/deployments/inputs.js';
import { observeDeploy } from '../domain/deployments/observe.js';
import { deploymentPolicy, findStartedDeployment, startDeployment } from '../domain/deployments/start.js';
import { targetOf } from '../domain/deployments/target.js';
import { dispatchRequest } from '../domain/workflows/dispatch.js';
import { inputs } from '../domain/workflows/fields.js';
import { deploymentBlocks } from '../view/cards/deployment.js';
import { message } from '../view/message.js';

export const deploy = command({
  name: 'deploy',
  summary: 'Deploy a branch or tag to an environment, once someone else approves the commit',
  examples: [
    'deploy production',
    'deploy production v1.8 --reason "Fixes the login"',
    'deploy production --break-glass --reason "Site is down"',
  ],
  fields: {
    environment: environment(),
    ref: optional(text({ label: 'Branch or tag', placeholder: 'ref' })),
    input: flag(inputs()),
    reason: flag(text({ label: 'Reason', max: 500 })),
    breakGlass: {
      ...toggle({ label: 'Break glass', text: 'Deploy at once without approval, and notify the approvers' }),
      notForAgents: true,
    },
  },
  submit: 'Request deployment',
  role: 'everyone',
  risk: 'risky',
  effect: 'once',
  operations: [
    'workflows.dispatch',
    'repos.get',
    'repos.listTeams',
    'orgs.listTeamMembers',
    'repos.getFile',
    'repos.listCommits',
    'repos.commitStatus',
    'pulls.list',
    'runs.list',
    'issues.timeline',
    'users.get',
    'users.search',
  ],
  needs: ['workflows.dispatch', 'repos.listCommits', 'repos.getFile'],
  asks: { into: 'input', of: questions },
  asksAgain: true,
  repositories: ({ environment }, context) => [configuredAs(environment, context).at],
  policy: deploymentPolicy,
  plan: async (asked, context) => [dispatchRequest((await targetOf(asked, context)).what)],
  observe: observeDeploy,
  run: startDeployment,
  findDone: findStartedDeployment,
  reply: (started, _asked, { now }) => message({ blocks: deploymentBlocks(started, [], { now }) }),
});
