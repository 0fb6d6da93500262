import { UserError } from '../errors.js';
import type { Api, CallResult, Operation, OperationName } from '../forge/index.js';
import { soon, unlessAbsent, unlessUnseen } from '../forge/possible.js';
import { type Log, scopeLog } from '../log.js';
import type { Account, Agent, Person } from '../store/index.js';
import { type Roles, refuseRole } from './admit.js';
import { agentTrouble, isSameAccount, mayTouch, refuseRequest, refuseTakenOverLimit } from './agent.js';
import { mayApprove } from './approval/policy.js';
import type { AnyCommand } from './command.js';
import type { Context, People, SharedServices } from './context.js';
import { credentialOf, presentAccount } from './credential.js';
import { fullName, type RepositoryRef } from './references.js';
import { repositoriesShown } from './repo-ids.js';
import type { Request } from './request.js';

/** What the engine needs beside what it passes on to commands. */
export interface Services extends SharedServices {
  readonly people: People;
  readonly roles: Roles;
  readonly log: Log;
  readonly now: () => Date;
  /** Where a person signs in at the forge; absent if Bellows is not registered there. */
  readonly signIn?: { url(person: Person): string } | undefined;
}

export interface SessionOptions {
  readonly person: Person;
  readonly channel: string | undefined;
  readonly account: Account | undefined;
  /** Its limits apply to every request. */
  readonly agent?: Agent | undefined;
  /** Its role is needed for each write. */
  readonly command?: Pick<AnyCommand, 'name' | 'role'> | undefined;
  readonly job?: string;
  readonly acceptedAt?: number;
  readonly dryRun?: boolean;
  /** Called before each request that may change something; throwing stops the request. */
  beforeWrite(operation: OperationName, input: Request['input']): Promise<void>;
  afterCall(operation: OperationName, result: CallResult): void;
  readonly approval?: Context['approval'];
  /** For answers that more people read than the requester. */
  readonly mayShow?: Context['mayShow'];
  readonly progress: Context['progress'];
  readonly offerUndo: Context['offerUndo'];
  readonly remember?: Context['remember'];
}

/** These services as one person sees them, for one job; without an account the forge sees an anonymous caller. */
export async function openSession(services: Services, options: SessionOptions): Promise<Context> {
  const { person, account, channel, agent } = options;
  const credential = account?.state === 'active' ? await credentialOf(services, person) : undefined;
  const who = credential ?? ({ kind: 'anonymous' } as const);
  const ids = new Map<string, number>();
  const keyOf = (named: RepositoryRef) => fullName(named).toLowerCase();
  const limited = agent && limitsOf(agent, services.forge.as(who));
  const hooks = {
    before: async (operation: OperationName, entry: Operation, input: Readonly<Record<string, unknown>>) => {
      await limited?.refuse(input);
      if (entry.effect === 'read') return;
      await refuseLost(services, options, input);
      await options.beforeWrite(operation, input);
    },
    after: (operation: OperationName, result: CallResult) => {
      for (const { full_name, id } of repositoriesShown(result.answer)) ids.set(full_name.toLowerCase(), id);
      options.afterCall(operation, result);
    },
  };
  const api = services.forge.as(who, hooks);
  return {
    ...services,
    person,
    agent: agent && { id: agent.id, name: agent.name },
    channel,
    job: options.job,
    dryRun: options.dryRun,
    role: services.roles.of(person),
    login: account?.login ?? '',
    api,
    people: { ...services.people, loginOf: (someone) => presentLogin(services, someone) },
    now: services.now(),
    acceptedAt: options.acceptedAt,
    log: scopeLog(services.log, { ...person, ...(channel === undefined ? {} : { channel }) }),
    approval: options.approval,
    async repoId(named) {
      const id = ids.get(keyOf(named)) ?? (await soon(api.repos.get(named)))?.id;
      // a former name is answered under the present one
      if (id !== undefined) ids.set(keyOf(named), id);
      return id;
    },
    mayShow: async (repository) =>
      (!limited || (await limited.mayTouch(repository))) &&
      (options.mayShow === undefined || (await options.mayShow(repository))),
    isAmong: async (people) => mayApprove(services, person, account, people),
    progress: options.progress,
    offerUndo: options.offerUndo,
    remember: options.remember ?? (() => {}),
  };
}

/** Each repository is looked up once per session: its name may belong to another one now. */
function limitsOf(agent: Agent, api: Api) {
  const looked = new Map<string, Promise<void>>();
  const lookUp = async (named: RepositoryRef) => {
    if (Object.keys(agent.meant ?? {}).length > 0)
      refuseTakenOverLimit(agent, await unlessAbsent(api.repos.get(named)));
  };
  const refuseOther = ({ owner, repo }: RepositoryRef): Promise<void> => {
    const name = fullName({ owner, repo });
    const looking = looked.get(name) ?? lookUp({ owner, repo });
    looked.set(name, looking);
    return looking;
  };
  return {
    async refuse(input: Request['input']): Promise<void> {
      refuseRequest(agent, input);
      const { owner, repo } = input;
      if (typeof owner === 'string' && typeof repo === 'string') await refuseOther({ owner, repo });
    },
    mayTouch: async (named: RepositoryRef): Promise<boolean> =>
      mayTouch(agent, named) &&
      refuseOther(named).then(
        () => true,
        () => false,
      ),
  };
}

/** Link, agent and role are read again: someone who lost one of them while a call is under way writes nothing more. */
async function refuseLost(
  services: Services,
  { person, account, agent, command }: SessionOptions,
  input: Request['input'],
): Promise<void> {
  const { store, roles } = services;
  const present = account && (await store.accounts.get(person));
  if (agent) {
    const now = await store.agents.get(agent.id);
    const trouble = agentTrouble(now, present, services);
    if (trouble !== undefined) throw new UserError(trouble);
    if (now) refuseRequest(now, input);
  }
  if (account && (present?.state !== 'active' || !isSameAccount(account, present)))
    throw new UserError('Your forge account is no longer linked as it was, so nothing more was sent.');
  if (command && command.role !== 'everyone') refuseRole(command, await roles.fresh(person));
}

/** A login that is nobody else's now: as the person's own account says, or while that does not answer, by its id. */
async function presentLogin(services: Services, person: Person): Promise<string | undefined> {
  const account = await services.store.accounts.get(person);
  if (!account?.verified) return services.people.loginOf(person);
  const { login, forgeUserId } = account;
  const present = await presentAccount(services, person);
  if (present) return present.login;
  const holder = await unlessUnseen(services.service.users.get({ username: login }));
  return holder?.id === forgeUserId ? holder.login : undefined;
}

/** A read-only session: writes are stopped before they are sent. */
export function readOnlySession(
  services: Services,
  of: Pick<SessionOptions, 'person' | 'channel' | 'account' | 'agent' | 'job'>,
): Promise<Context> {
  return openSession(services, {
    ...of,
    beforeWrite: async (operation) => {
      throw new Error(`${operation} was asked for in a session that only reads`);
    },
    afterCall() {},
    progress: async () => {},
    offerUndo() {},
  });
}
