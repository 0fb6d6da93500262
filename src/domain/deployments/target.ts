import { askersWords } from '../../chat/approval/policy.js';
import type { Context } from '../../chat/context.js';
import { frozenBy } from '../../chat/deploy/freeze.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import type { Deployment } from '../../config.js';
import { asCode, UserError } from '../../errors.js';
import { type CommitChecks, commitChecks } from '../../forge/commit-checks.js';
import { gathered } from '../../forge/index.js';
import { ifAnswered, possible } from '../../forge/possible.js';
import { compilePattern } from '../../pattern.js';
import { shortRef } from '../../short-ref.js';
import type { Deployment as Deployed } from '../../store/index.js';
import type { Dispatch } from '../workflows/dispatch.js';
import { commitAt, headOf, wholeRef } from '../workflows/source.js';
import { type Configured, configuredAs } from './environment.js';
import { type Asked, inputsFor, usualRef } from './inputs.js';

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
  await refuseBusy(name, context);
  if (!asked.breakGlass) await refuseNow(target, context);
  return target;
}

/** Forgejo also reports runs started by hand, such as deployments of the commit. */
const isOfCommit = ({ context }: { readonly context: string }) => !context.endsWith(' (workflow_dispatch)');

async function refuseAsker({ breakGlass, reason }: Asked, { name, deployment }: Configured, context: Context) {
  if (breakGlass) {
    const people = deployment.breakGlass;
    if (!people || !(await context.isAmong({ ...people, teams: [] })))
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
  const { permissions } = await context.api.repos.get(at);
  if (permissions?.push !== false || (await startsByTeam(at, context))) return;
  const who = context.approval ? 'The requester needs' : 'You need';
  throw new UserError(`${who} write access to ${fullName(at)} to deploy to ${name}.`);
}

const mostMembers = 500;

/** A team may start workflows in a repository whose code it only reads. */
async function startsByTeam(at: RepositoryRef, { api, login }: Context): Promise<boolean> {
  const teams = (await ifAnswered(api.repos.listTeams(at)))?.items ?? [];
  const isMe = (user: { readonly login: string }) => user.login.toLowerCase() === login.toLowerCase();
  for (const { id } of teams.filter((each) => writes.has(each.units_map?.['repo.actions'] ?? ''))) {
    const members = await ifAnswered(gathered(api.orgs.listTeamMembers.each({ id }, { max: mostMembers })));
    if (members?.some(isMe)) return true;
  }
  return false;
}

const writes: ReadonlySet<string> = new Set(['write', 'admin', 'owner']);

/** A name alone means the branch if there is one: anyone who can push could make a tag of that name. */
async function refuseRef(ref: string, { name, at, deployment: { refs } }: Configured, context: Context): Promise<void> {
  const short = shortRef(ref);
  const isTag = ref.startsWith('refs/tags/');
  const isBranchOrTag = short !== ref;
  const fits = (rule: string, to: string) => compilePattern(rule, { caseSensitive: true })(to);
  if (refs.some((rule) => rule.startsWith('refs/') && fits(rule, ref))) return;
  const named = isBranchOrTag && refs.some((rule) => fits(rule, short));
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
async function refuseBusy(name: string, { store, job }: Context): Promise<void> {
  const running = await store.deployments.current(name);
  if (running && running.id !== job) throw busy(running);
}

export const busy = ({ environment, ref, by }: Deployed): UserError =>
  new UserError(
    `${asCode(shortRef(ref))} is being deployed to ${environment} right now (started by ${by.login ?? 'someone'}). Try again when it is done.`,
  );

export async function refuseFrozen(name: string, deployment: Deployment, { store, now }: Context): Promise<void> {
  const frozen = frozenBy(name, deployment, await store.deployments.frozen(name), now);
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
