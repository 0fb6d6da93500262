import { z } from 'zod';
import { formButtonIfFits } from '../../chat/actions.js';
import { askersWords } from '../../chat/approval/policy.js';
import type { Context } from '../../chat/context.js';
import { canContinue } from '../../chat/deploy/followed.js';
import { frozenBy } from '../../chat/deploy/freeze.js';
import { type Needed, plainField } from '../../chat/fields.js';
import type { Question } from '../../chat/form/questions.js';
import type { MessageError } from '../../chat/message-error.js';
import { fullName, type RepositoryRef, readRepository } from '../../chat/references.js';
import { mayWrite } from '../../chat/rights.js';
import type { Deployment } from '../../config.js';
import { asCode, UserError } from '../../errors.js';
import { type CommitChecks, commitChecks } from '../../forge/commit-checks.js';
import { ifAnswered, possible, unlessAbsent, unlessUnseen } from '../../forge/possible.js';
import { compilePattern } from '../../pattern.js';
import { shortRef } from '../../short-ref.js';
import type { Deployment as Deployed } from '../../store/index.js';
import { isDone } from '../runs/read.js';
import {
  type Dispatch,
  fittedInputs,
  missingInputs,
  missingOf,
  questionsOf,
  wiredInputs,
} from '../workflows/dispatch.js';
import { commitAt, declaredAt, type Head, headOf, wholeRef } from '../workflows/file.js';

const named = /^[a-z0-9][a-z0-9-]{0,30}$/;

/** A name under `deployments` in bellows.yaml. */
export function environment(): Needed<string> {
  return plainField(
    {},
    {
      label: 'Environment',
      placeholder: 'environment',
      input: { kind: 'text', max: 31 },
      schema: z.string().regex(named),
      read: (text) => {
        const name = text.trim().toLowerCase();
        if (named.test(name)) return name;
        throw new UserError(`“${text.slice(0, 40)}” is not an environment. Write its name, such as production.`);
      },
      show: (name) => name,
    },
  );
}

export interface Configured {
  readonly name: string;
  readonly deployment: Deployment;
  readonly at: RepositoryRef;
}

function findEnvironment(name: string, { policy: { deployments } }: Pick<Context, 'policy'>): Configured | undefined {
  // a name such as constructor is not an environment
  const deployment = Object.hasOwn(deployments, name) ? deployments[name] : undefined;
  const at = deployment && readRepository(deployment.repository, '');
  return deployment && at && { name, deployment, at };
}

export function configuredAs(name: string, context: Pick<Context, 'policy'>): Configured {
  const found = findEnvironment(name, context);
  if (found) return found;
  const names = Object.keys(context.policy.deployments);
  if (names.length === 0) throw new UserError('No deployments are set up. An admin adds them to bellows.yaml.');
  throw new UserError(`There is no environment ${name}. Choose one of: ${names.slice(0, 20).join(', ')}.`);
}

/** Those whose repository this person can see, or the named one. */
export async function visible(name: string | undefined, context: Context): Promise<readonly Configured[]> {
  const wanted = name === undefined ? Object.keys(context.policy.deployments) : [name];
  const all = wanted.map((each) => configuredAs(each, context));
  const seen = await Promise.all(all.map(async (each) => ((await isSeen(each.at, context)) ? [each] : [])));
  const found = seen.flat();
  if (found.length > 0) return found;
  if (name !== undefined) throw new UserError(`You can’t see the repository of ${name} on the forge.`);
  if (all.length === 0) throw new UserError('No deployments are set up. An admin adds them to bellows.yaml.');
  throw new UserError('You can’t see any repository that is deployed from here.');
}

async function isSeen(at: RepositoryRef, { api }: Context): Promise<boolean> {
  return (await unlessUnseen(api.repos.get(at))) !== undefined;
}

export interface Asked {
  readonly environment: string;
  readonly ref?: string | undefined;
  readonly input?: Readonly<Record<string, string>> | undefined;
  readonly reason?: string | undefined;
  readonly breakGlass?: boolean | undefined;
}

/** Undefined: the default branch. */
const usualRef = ({ deployment }: Configured): string | undefined => deployment.refs.find((each) => !/[*?]/.test(each));

/** The inputs left to the requester, as the workflow file describes them. */
export async function questions(given: Partial<Asked>, context: Context): Promise<{ asked: readonly Question[] }> {
  if (given.environment === undefined) return { asked: [] };
  const configured = configuredAs(given.environment, context);
  const { at, deployment } = configured;
  if (deployment.askFor.length === 0) return { asked: [] };
  const ref = await wholeRef(at, given.ref ?? usualRef(configured), context);
  const declared = await declaredAt(at, deployment.workflow, { ref, sha: await headOf(at, ref, context) }, context);
  return { asked: questionsOf(declared, given.input ?? {}, (name) => deployment.askFor.includes(name)) };
}

/** A refusal that offers the form for the missing inputs. */
function missing(asked: Asked, workflow: string, names: readonly string[]): MessageError {
  const { environment, ref, input, reason, breakGlass } = asked;
  const args = {
    environment,
    ...(ref !== undefined && { ref }),
    ...(input && { input }),
    ...(reason !== undefined && { reason }),
    ...(breakGlass && { breakGlass }),
  };
  const fill = formButtonIfFits({ text: 'Fill in inputs', command: 'deploy', args, style: 'primary' });
  return missingInputs(workflow, names, fill);
}

/** Exactly what is sent. */
async function inputsFor(asked: Asked, { name, at, deployment }: Configured, head: Head, context: Context) {
  const given = asked.input ?? {};
  const other = Object.keys(given).find((each) => !deployment.askFor.includes(each));
  if (other !== undefined)
    throw new UserError(
      `${asCode(other)} can’t be set here. Inputs to give: ${asCode(...deployment.askFor) || 'none'}.`,
      {
        field: 'input',
      },
    );
  const all = { ...given, ...deployment.inputs };
  const declared = await declaredAt(at, deployment.workflow, head, context);
  const open = missingOf(declared, all).map((input) => input.name);
  if (open.length === 0) return wiredInputs(declared, fittedInputs(declared, all), context);
  if (open.every((each) => deployment.askFor.includes(each))) throw missing(asked, deployment.workflow, open);
  throw new UserError(
    `${asCode(deployment.workflow)} needs a value for ${asCode(...open)}. An admin adds it to ${asCode(`deployments.${name}`)} in bellows.yaml.`,
  );
}

export interface Target extends Configured {
  readonly what: Dispatch;
  /** The commit the ref points to now. */
  readonly sha: string;
  /** Of that commit; undefined if they could not be read. */
  readonly checks: CommitChecks | undefined;
  /** What is deployed now, as far as Bellows knows. */
  readonly last: Deployed | undefined;
}

/** What would be deployed now, or a refusal. In an emergency only the permission is checked. */
export async function targetOf(asked: Asked, context: Context): Promise<Target> {
  const configured = configuredAs(asked.environment, context);
  const { at, deployment, name } = configured;
  await refuseAsker(asked, configured, context);
  await refuseReader(configured, context);
  const ref = await wholeRef(at, asked.ref ?? usualRef(configured), context);
  await refuseRef(ref, configured, context);
  const sha = await headOf(at, ref, context);
  const inputs = await inputsFor(asked, configured, { ref, sha }, context);
  const reading = commitChecks(context.api, { ...at, ref: sha, isCounted: isOfCommit });
  // unreadable checks count as not passed; in an emergency nobody waits for them
  const checks = await (asked.breakGlass ? ifAnswered(reading) : possible(reading));
  const last = await context.store.deployments.last(name);
  const what = { at, workflow: deployment.workflow, ref, inputs };
  const target = { ...configured, what, sha, checks, last };
  await refuseBusy(name, asked, context);
  if (!asked.breakGlass) await refuseNow(target, context);
  return target;
}

/** Forgejo also reports runs started by hand, such as deployments of the commit. */
const isOfCommit = ({ context }: { readonly context: string }) => !context.endsWith(' (workflow_dispatch)');

/** Without approval; never an agent. */
export const mayBreakGlass = async (
  { breakGlass: people }: Deployment,
  { agent, isAmong }: Context,
): Promise<boolean> => people !== undefined && agent === undefined && isAmong({ ...people, teams: [] });

async function refuseAsker({ breakGlass, reason }: Asked, { name, deployment }: Configured, context: Context) {
  if (breakGlass) {
    if (!(await mayBreakGlass(deployment, context)))
      throw new UserError(`You can’t deploy to ${name} without approval. Leave --break-glass out.`);
    if (!reason) throw new UserError('--break-glass needs a reason: add --reason "…".', { field: 'reason' });
    return;
  }
  if (!deployment.ask || (await context.isAmong(deployment.ask))) return;
  // once approved, it is visible to everyone in the channel
  if (context.approval) throw new UserError(`The requester may no longer deploy to ${name}.`);
  const who = askersWords(deployment.ask).replace(/^./, (first) => first.toUpperCase());
  throw new UserError(`You can’t request a deployment to ${name}. ${who} can.`);
}

/** Asked first: nobody has to decide on what the forge would refuse. */
async function refuseReader({ at, name }: Configured, context: Context): Promise<void> {
  if (await mayWrite(at, 'repo.actions', context)) return;
  const who = context.approval ? 'The requester needs' : 'You need';
  throw new UserError(`${who} write access to ${fullName(at)} to deploy to ${name}.`);
}

/** A name alone means the branch if there is one: anyone who can push could make a tag of that name. */
async function refuseRef(ref: string, { name, at, deployment: { refs } }: Configured, context: Context): Promise<void> {
  const short = shortRef(ref);
  const isTag = ref.startsWith('refs/tags/');
  const isBranchOrTag = short !== ref;
  const fits = (rule: string, to: string) => compilePattern(rule, { caseSensitive: true })(to);
  const isWhole = (rule: string) => rule.startsWith('refs/');
  if (refs.some((rule) => isWhole(rule) && fits(rule, ref))) return;
  // a branch can be called refs/tags/v9
  const named = isBranchOrTag && refs.some((rule) => !isWhole(rule) && fits(rule, short));
  if (!named)
    throw new UserError(`${asCode(short)} can’t be deployed to ${name}. Allowed: ${asCode(...refs)}.`, {
      field: 'ref',
    });
  if (isTag && (await commitAt(at, `refs/heads/${short}`, context)))
    throw new UserError(`The tag ${asCode(short)} can’t be deployed to ${name}, because a branch has the same name.`, {
      field: 'ref',
    });
}

/** One at a time; a rerun of the same job does not block itself. */
async function refuseBusy(name: string, { breakGlass }: Asked, context: Context): Promise<void> {
  const { deployments } = context.store;
  const running = await deployments.current(name);
  if (running && running.id !== context.job) throw busy(running);
  const [last] = await deployments.list(name);
  if (!last || last.id === context.job) return;
  const rerunning = isRerun(last, context);
  // in an emergency nobody waits for a forge that does not answer
  if (await (breakGlass ? ifAnswered(rerunning) : rerunning)) throw busy(last);
}

/** Whether its run runs again: the worker only looks for that now and then. */
async function isRerun(deployment: Deployed, { api, now }: Context): Promise<boolean> {
  if (!canContinue(deployment, now.getTime())) return false;
  const { repository, run } = deployment;
  const found = await possible(unlessAbsent(api.runs.get({ ...repository, run })));
  return found !== undefined && !isDone(found);
}

export const busy = ({ environment, ref, by }: Deployed): UserError =>
  new UserError(
    `${asCode(shortRef(ref))} is being deployed to ${environment} right now (started by ${by.login ?? 'someone'}). Try again when it is done.`,
  );

export async function refuseFrozen(name: string, deployment: Deployment, { store, now }: Context): Promise<void> {
  const frozen = frozenBy(name, deployment, await store.deployments.freezeOf(name), now);
  if (frozen !== undefined) throw new UserError(frozen);
}

async function refuseNow(target: Target, context: Context): Promise<void> {
  const { name, deployment, checks, sha } = target;
  await refuseFrozen(name, deployment, context);
  if (deployment.checks === 'any' || !checks) return;
  const commit = asCode(sha.slice(0, 10));
  const { failed, open, state } = checks;
  if (failed.length > 0) {
    const names = asCode(...failed.slice(0, 5).map((each) => each.context));
    throw new UserError(`Checks failed on ${commit}: ${names}. Fix them, or deploy another commit.`);
  }
  const words = open.slice(0, 5).map((each) => `${asCode(each.context)} ${lacking[each.status] ?? 'has not passed'}`);
  if (words.length > 0)
    throw new UserError(
      `Not all checks passed on ${commit}: ${words.join(', ')}. Try again when they have, or deploy another commit.`,
    );
  if (state === 'pending')
    throw new UserError(`${commit} has more checks than Bellows can read. Deploy another commit.`);
}

const lacking: Readonly<Record<string, string>> = { pending: 'is still running', warning: 'has warnings' };
