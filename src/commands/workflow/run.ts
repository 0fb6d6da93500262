import { command } from '../../chat/command.js';
import { branch, flag, repository } from '../../chat/fields/index.js';
import { inputs, workflow } from '../../domain/workflows/fields.js';
import { wholeRef } from '../../domain/workflows/source.js';
import {
  findStartedWorkflow,
  inputQuestions,
  planStart,
  startedMessage,
  startWorkflow,
} from '../../domain/workflows/start.js';
import { shortRef } from '../../short-ref.js';

export const workflowRun = command({
  name: 'workflow run',
  summary: 'Run a workflow by hand',
  examples: [
    'workflow run acme/engine ci.yml',
    'workflow run acme/engine deploy.yml --ref v0.9 --input environment=staging --input dry_run=true',
  ],
  fields: {
    repository: repository(),
    workflow: workflow(),
    ref: flag(branch({ label: 'Branch or tag' })),
    input: flag(inputs()),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['workflows.dispatch', 'repos.get', 'repos.getFile', 'repos.listCommits', 'runs.get', 'runs.list'],
  needs: ['workflows.dispatch'],
  branches: async ({ repository, ref }, context) => [shortRef(await wholeRef(repository, ref, context))],
  asks: { into: 'input', of: inputQuestions },
  plan: planStart,
  run: startWorkflow,
  findDone: findStartedWorkflow,
  reply: startedMessage,
});
