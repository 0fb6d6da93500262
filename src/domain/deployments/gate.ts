import type { Context } from '../../chat/context.js';
import { presentName } from '../../chat/present-name.js';
import { fullName, type RepositoryRef, type RunRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { workflowOf } from '../runs/read.js';
import type { Declared } from '../workflows/declared.js';
import type { Dispatch } from '../workflows/dispatch.js';
import { type Configured, configuredAs } from './environment.js';
import { refuseFrozen } from './target.js';

/** The environments this workflow deploys to. */
async function deployedBy(at: RepositoryRef, workflow: string, context: Context): Promise<Configured[]> {
  const all = Object.keys(context.deployments).map((name) => configuredAs(name, context));
  const alike = all.filter(({ deployment }) => deployment.workflow === workflow);
  if (alike.length === 0) return [];
  const nameOf = async (named: RepositoryRef) => fullName(await presentName(named, context)).toLowerCase();
  const here = await nameOf(at);
  const found = await Promise.all(alike.map(async (each) => ((await nameOf(each.at)) === here ? [each] : [])));
  return found.flat();
}

/** Without a value the workflow's own default counts; what cannot be known counts as the same. */
function sends({ inputs }: Dispatch, declared: Declared, { deployment }: Configured): boolean {
  const usual = typeof declared === 'string' ? undefined : new Map(declared.map((each) => [each.name, each.default]));
  const plain = (value: string) => value.trim().toLowerCase();
  return Object.entries(deployment.inputs).every(([name, fixed]) => {
    const sent = inputs[name] ?? usual?.get(name);
    return sent === undefined ? usual === undefined : plain(sent) === plain(fixed);
  });
}

/** Starting a deployment's workflow by hand would bypass its approval, checks and freezes. */
export async function refuseUngated(what: Dispatch, declared: Declared, context: Context): Promise<void> {
  const gated = await deployedBy(what.at, what.workflow, context);
  const found = gated.find((each) => sends(what, declared, each));
  if (found) throw new UserError(`This would deploy to ${found.name}. Use /forge deploy ${found.name} instead.`);
}

/** A rerun deploys its commit again: only what failed last may be repeated, and not during a freeze. */
export async function refuseRedeploy(ref: RunRef, run: WorkflowRun, context: Context): Promise<void> {
  const gated = await deployedBy(ref, workflowOf(run), context);
  const deployments = await Promise.all(
    gated.map(async (each) => ({ ...each, all: await context.store.deployments.list(each.name) })),
  );
  const own = deployments.find(({ all }) => all.some((each) => each.run === run.id));
  // a run that Bellows did not start may have been for another environment, if the workflow has inputs for that
  const found = own ?? deployments.find((each) => isEmpty(each.deployment.inputs));
  if (!found) return;
  const { name, deployment } = found;
  const [last] = found.all;
  if (last?.run !== run.id || (last.state !== 'failed' && last.state !== 'canceled'))
    throw new UserError(`Rerunning this would deploy to ${name} again. Use /forge deploy ${name} instead.`);
  await refuseFrozen(name, deployment, context);
}

const isEmpty = (inputs: object) => Object.keys(inputs).length === 0;
