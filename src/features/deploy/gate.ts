import type { Context } from '../../chat/context.js';
import { hasFailed, rerunMs } from '../../chat/deploy/followed.js';
import { presentName } from '../../chat/present-name.js';
import { fullName, type RepositoryRef, type RunRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import type { WorkflowRun } from '../../forge/schemas.js';
import { workflowOf } from '../runs/read.js';
import type { Inputs } from '../workflows/dispatch.js';
import { certainlyDeclaredAt, type Declared, type WorkflowFile } from '../workflows/file.js';
import { type Configured, configuredAs, mayBreakGlass, refuseFrozen } from './environment.js';

/** The environments this workflow deploys to. */
async function deployedBy(at: RepositoryRef, workflow: string, context: Context): Promise<Configured[]> {
  const all = Object.keys(context.policy.deployments).map((name) => configuredAs(name, context));
  // some servers do not say which workflow a run belongs to
  const alike = all.filter(({ deployment }) => workflow === '' || deployment.workflow === workflow);
  if (alike.length === 0) return [];
  const nameOf = async (named: RepositoryRef) => fullName(await presentName(named, context)).toLowerCase();
  const here = await nameOf(at);
  const found = await Promise.all(alike.map(async (each) => ((await nameOf(each.at)) === here ? [each] : [])));
  return found.flat();
}

/** Exactly one of the listed values, as the server will run it: an empty value may mean the default. */
function isUngated(inputs: Inputs, declared: Declared, { deployment }: Configured): boolean {
  if (typeof declared === 'string') return false;
  const runs = (name: string) => {
    const usual = declared.find((each) => each.name === name);
    return inputs[name] === '' && usual?.default ? undefined : (inputs[name] ?? usual?.default);
  };
  return deployment.ungated.some((each) => Object.entries(each).every(([name, value]) => runs(name) === value));
}

/** Starting a deployment's workflow by hand would bypass its approval, checks and freezes. */
export async function refuseUngated(of: WorkflowFile, inputs: Inputs, context: Context): Promise<void> {
  const gated = await deployedBy(of.at, of.file, context);
  if (gated.length === 0) return;
  const declared = await certainlyDeclaredAt(of, context);
  const found = gated.find((each) => !isUngated(inputs, declared, each));
  if (found) throw new UserError(`${of.file} deploys to ${found.name}. Use /forge deploy ${found.name} instead.`);
}

/** Only what Bellows itself started can be known, except for a push or a pull request, which has no inputs. */
const mayDeploy = ({ event }: WorkflowRun, { deployment }: Configured) =>
  event === '' || event === 'workflow_dispatch' || Object.keys(deployment.inputs).length === 0;

/** A rerun deploys its commit again: only what failed last may be repeated, and not during a freeze. */
export async function refuseRedeploy(ref: RunRef, run: WorkflowRun, context: Context): Promise<void> {
  const gated = await deployedBy(ref, workflowOf(run), context);
  const deployments = await Promise.all(
    gated.map(async (each) => ({ ...each, all: await context.store.deployments.list(each.name) })),
  );
  const own = deployments.find(({ all }) => all.some((each) => each.run === run.id));
  const found = own ?? deployments.find((each) => mayDeploy(run, each));
  if (!found) return;
  const { name, deployment } = found;
  const [last] = found.all;
  if (last?.run !== run.id || !hasFailed(last) || last.otherCommit !== null)
    throw new UserError(`This run may deploy to ${name}. Use /forge deploy ${name} instead.`);
  // nobody would follow it: it could change what runs there without a record
  if (context.now.getTime() - (last.endedAt ?? 0) > rerunMs)
    throw new UserError(
      `This deployment to ${name} ended more than 24 hours ago. Deploy it again: /forge deploy ${name}.`,
    );
  if (last.breakGlass !== null && !(await mayBreakGlass(deployment, context)))
    throw new UserError(`Nobody approved this deployment to ${name}. Use /forge deploy ${name} instead.`);
  await refuseFrozen(name, deployment, context);
}
