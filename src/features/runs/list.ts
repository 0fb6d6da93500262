import { command } from '../../chat/command.js';
import { branch, choice, flag, offset, person, repository, text } from '../../chat/fields.js';
import { listRuns, planRunList, runListMessage, runStatuses } from './listing.js';

export const runList = command({
  name: 'run list',
  aliases: ['runs'],
  summary: 'List the latest workflow runs of a repository',
  examples: ['run list acme/engine', 'run list acme/engine --status failure --branch main'],
  fields: {
    repository: repository(),
    status: flag(choice(runStatuses, { label: 'Status' })),
    branch: flag(branch()),
    event: flag(text({ label: 'Event', hint: 'Such as push, pull_request or schedule.' })),
    actor: flag(person({ label: 'Started by' })),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['runs.list', 'users.get', 'repos.listCommits'],
  needs: ['runs.list'],
  plan: planRunList,
  run: listRuns,
  reply: runListMessage,
});
