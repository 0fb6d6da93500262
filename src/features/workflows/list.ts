import { formButton, runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { repository } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import type { Page } from '../../forge/index.js';
import type { Workflow } from '../../forge/schemas.js';
import { section } from '../../view/blocks.js';
import { frame } from '../../view/look.js';
import { message } from '../../view/message.js';
import { link, md } from '../../view/text.js';
import { isActive } from './enable.js';

const mostShown = 20;

function row(workflow: Workflow, at: RepositoryRef, now: Date) {
  const args = { repository: at, workflow: workflow.id };
  const control = isActive(workflow)
    ? formButton({ text: 'Run…', command: 'workflow run', args })
    : runButton({ text: 'Enable', command: 'workflow enable', args });
  const parts = {
    state: isActive(workflow) ? '🟢' : '⏸️ Disabled',
    subject: link(workflow.html_url, workflow.name),
    facts: [workflow.id === workflow.name ? undefined : workflow.id],
  };
  return frame(parts, { now, style: 'row', buttons: [control] });
}

function workflowsMessage(
  { items }: Page<Workflow>,
  { repository }: { readonly repository: RepositoryRef },
  { now, forge }: Context,
) {
  const name = link(`${forge.web}/${fullName(repository)}/actions`, fullName(repository));
  if (items.length === 0) return message({ blocks: [section(md`No workflows in ${name}.`)] });
  const rest = items.length - mostShown;
  return message({
    blocks: [
      section(md`Workflows in ${name}`),
      ...items.slice(0, mostShown).flatMap((workflow) => row(workflow, repository, now)),
      ...(rest > 0 ? [section(md`${rest} more on ${name}.`)] : []),
    ],
  });
}

export const workflowList = command({
  name: 'workflow list',
  summary: 'List the workflows of a repository',
  examples: ['workflow list acme/engine'],
  fields: { repository: repository() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['workflows.list'],
  needs: ['workflows.list'],
  plan: ({ repository }) => [request('workflows.list', repository)],
  run: ({ repository }, { api }) => api.workflows.list(repository),
  reply: workflowsMessage,
});
