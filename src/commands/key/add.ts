import { command } from '../../chat/command.js';
import { repository, sshKey, text, toggle } from '../../chat/fields/index.js';
import {
  addDeployKey,
  addedDeployKeyMessage,
  findAddedDeployKey,
  observeDeployKey,
  planDeployKey,
} from '../../domain/keys/add-deploy.js';

export const keyAdd = command({
  name: 'key add',
  summary: 'Add a deploy key to a repository (write access needs approval)',
  examples: [
    'key add acme/engine "build server" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2X5k2mWq0nXbqzqk7lV2T6hQ0m8uY0c9w1u3Zr5p7a build',
  ],
  fields: {
    repository: repository(),
    title: text({ label: 'Title', placeholder: 'title' }),
    key: sshKey(),
    write: toggle({ label: 'Write access', text: 'Allow pushing with this key' }),
  },
  role: 'maintainer',
  risk: 'risky',
  riskOf: ({ write }) => (write ? 'risky' : 'write'),
  confidential: true,
  effect: 'once',
  operations: ['keys.addDeploy', 'keys.listDeploy'],
  plan: planDeployKey,
  observe: observeDeployKey,
  run: addDeployKey,
  findDone: findAddedDeployKey,
  reply: addedDeployKeyMessage,
});
