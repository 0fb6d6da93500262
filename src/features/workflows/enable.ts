import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { repository } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { type Request, request } from '../../chat/request.js';
import { asCode, UserError } from '../../errors.js';
import type { Workflow } from '../../forge/schemas.js';
import { doneCard } from '../../view/cards/outcome.js';
import { type Message, message } from '../../view/message.js';
import { link, md } from '../../view/text.js';
import { workflow } from './dispatch.js';

interface Switched {
  readonly name: string;
  readonly page: string;
  /** It already was: nothing was sent. */
  readonly already: boolean;
}

interface Target {
  readonly repository: RepositoryRef;
  readonly workflow: string;
}

export const isActive = ({ state }: Workflow) => state === 'active';

const input = ({ repository: { owner, repo }, workflow }: Target) => ({ owner, repo, workflow_id: workflow });

const switchRequest = (target: Target, enabled: boolean): Request =>
  enabled ? request('workflows.enable', input(target)) : request('workflows.disable', input(target));

/** Throws if the repository does not have it, and names those it has. */
export async function findWorkflow({ repository, workflow }: Target, { api }: Context): Promise<Workflow> {
  const { items } = await api.workflows.list(repository);
  const found = items.find(({ id }) => id === workflow);
  if (found) return found;
  const names = asCode(...items.map(({ id }) => id)) || 'none';
  throw new UserError(`${fullName(repository)} has no workflow ${asCode(workflow)}. It has: ${names}.`);
}

async function switchWorkflow(target: Target, enabled: boolean, context: Context): Promise<Switched> {
  const { api } = context;
  const found = await findWorkflow(target, context);
  const about = { name: found.name, page: found.html_url };
  if (isActive(found) === enabled) return { ...about, already: true };
  await (enabled ? api.workflows.enable(input(target)) : api.workflows.disable(input(target)));
  context.offerUndo({
    says: `${enabled ? 'Disabled' : 'Enabled'} ${found.name} again.`,
    request: switchRequest(target, !enabled),
  });
  return { ...about, already: false };
}

function switchedMessage({ name, page, already }: Switched, { repository }: Target, enabled: boolean): Message {
  const word = enabled ? 'enabled' : 'disabled';
  const says = already
    ? md`Already ${word}: ${link(page, name)}`
    : md`${enabled ? 'Enabled' : 'Disabled'} ${link(page, name)}`;
  const facts = [fullName(repository), enabled || already ? undefined : 'Events and schedules no longer start it.'];
  return message({ blocks: doneCard({ says, facts }) });
}

export const workflowEnable = command({
  name: 'workflow enable',
  summary: 'Enable a workflow',
  examples: ['workflow enable acme/engine ci.yml'],
  fields: { repository: repository(), workflow: workflow() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'workflow disable',
  operations: ['workflows.enable', 'workflows.list'],
  needs: ['workflows.enable', 'workflows.list'],
  plan: (target) => [switchRequest(target, true)],
  run: (target, context) => switchWorkflow(target, true, context),
  reply: (switched, target) => switchedMessage(switched, target, true),
});

export const workflowDisable = command({
  name: 'workflow disable',
  summary: 'Disable a workflow, so that nothing starts it',
  examples: ['workflow disable acme/engine ci.yml'],
  fields: { repository: repository(), workflow: workflow() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'workflow enable',
  operations: ['workflows.disable', 'workflows.list'],
  needs: ['workflows.disable', 'workflows.list'],
  plan: (target) => [switchRequest(target, false)],
  run: (target, context) => switchWorkflow(target, false, context),
  reply: (switched, target) => switchedMessage(switched, target, false),
});
