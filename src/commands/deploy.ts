import { command } from '../chat/command.js';
import type { Context } from '../chat/context.js';
import { flag, optional, text, toggle } from '../chat/fields/index.js';
import { webAddress } from '../chat/references.js';
import { configuredAs, environment } from '../domain/deployments/environment.js';
import { type Asked, questions } from '../domain/deployments/inputs.js';
import { observeDeploy } from '../domain/deployments/observed.js';
import { busy, type Target, targetOf } from '../domain/deployments/target.js';
import { dispatch, dispatchRequest, findStarted } from '../domain/workflows/dispatch.js';
import { inputs } from '../domain/workflows/field.js';
import { ApiError, mayHaveHappened } from '../forge/index.js';
import type { Deployment } from '../store/index.js';
import { deploymentBlocks } from '../view/cards/deployment.js';
import { message } from '../view/message.js';

function recordOf(target: Target, asked: Asked, context: Context): Deployment {
  const { name, at, what, sha, last, deployment } = target;
  const { person, login, approval, job = '', channel = '', now } = context;
  return {
    id: job,
    environment: name,
    repository: at,
    workflow: what.workflow,
    ref: what.ref,
    sha,
    from: last?.sha ?? null,
    by: { ...person, login },
    approvers: (approval?.approvers ?? []).map(({ team, user, login: known }) => ({ team, user, login: known })),
    breakGlass: asked.breakGlass ? (asked.reason ?? '') : null,
    channel: deployment.channel ?? channel,
    approval: approval?.id ?? null,
    run: null,
    attempt: 1,
    url: '',
    otherCommit: null,
    rollback: null,
    state: 'starting',
    startedAt: now.getTime(),
    endedAt: null,
  };
}

/** The record stands before anything is sent, so that a cut leaves no second one behind. */
async function start(asked: Asked, context: Context): Promise<Deployment> {
  const target = await targetOf(asked, context);
  const { deployments } = context.store;
  const record = recordOf(target, asked, context);
  const other = await deployments.begin(record);
  if (other) throw busy(other);
  try {
    const { run } = await dispatch(target.what, context);
    return await running(record, run, context);
  } catch (error) {
    // certainly not started: the environment is free again
    if (error instanceof ApiError && !mayHaveHappened(error)) {
      await deployments.put({ ...record, state: 'failed', endedAt: context.now.getTime() });
      await deployments.release(record.environment, record.id);
    }
    throw error;
  }
}

async function running(record: Deployment, run: number | undefined, { store, forge }: Context): Promise<Deployment> {
  const known =
    run === undefined ? {} : { run, url: webAddress(forge.web, { kind: 'run', of: { ...record.repository, run } }) };
  const started: Deployment = { ...record, ...known, state: 'running' };
  await store.deployments.put(started);
  return started;
}

export const deploy = command({
  name: 'deploy',
  summary: 'Deploy a branch or tag to an environment, once someone else approved that commit',
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
      ...toggle({ label: 'Break glass', text: 'Deploy at once without approval, and tell every approver' }),
      notForAgents: true,
    },
  },
  submit: 'Request deployment',
  role: 'everyone',
  risk: 'risky',
  effect: 'once',
  operations: [
    'workflows.dispatch',
    'repos.getFile',
    'repos.listBranches',
    'repos.listCommits',
    'repos.commitStatus',
    'pulls.list',
    'runs.list',
  ],
  needs: ['workflows.dispatch', 'repos.listBranches', 'repos.getFile'],
  asks: { into: 'input', of: questions },
  asksAgain: true,
  repositories: ({ environment }, context) => [configuredAs(environment, context).at],
  branches: async (asked, context) => [(await targetOf(asked, context)).what.ref],
  policy({ environment, breakGlass }, context) {
    const { deployment } = configuredAs(environment, context);
    const { approve, channel, expires, requesterCounts, authorsCount } = deployment;
    const count = breakGlass ? 0 : (deployment.count ?? 1);
    return {
      said: { approve: approve ?? 'maintainer', count, channel, expires, requesterCounts, authorsCount },
      source: `deployments.${environment}`,
    };
  },
  plan: async (asked, context) => [dispatchRequest((await targetOf(asked, context)).what)],
  observe: observeDeploy,
  run: start,
  async findDone(asked, context, { note }) {
    const { environment } = asked;
    const record = await context.store.deployments.get(environment, context.job ?? '');
    if (!record) return undefined;
    const what = { at: record.repository, workflow: record.workflow, ref: record.ref, inputs: {} };
    const found = await findStarted(what, context, note);
    return found === undefined || found === 'blind' ? found : running(record, found.run, context);
  },
  reply: (started, _asked, { now }) => message({ blocks: deploymentBlocks(started, [], { now }) }),
});
