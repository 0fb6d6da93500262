import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { type Account, plainJson } from '../../store/index.js';
import type { Fact } from '../../view/blocks.js';
import { type Message, say } from '../../view/message.js';
import { channel as channelLink, md } from '../../view/text.js';
import type { CommandJob } from '../act-job.js';
import { withdrawButton } from '../actions.js';
import { maskArgs } from '../arguments.js';
import type { AnyCommand } from '../command.js';
import type { Context, Person, Role } from '../context.js';
import type { Args, Fields } from '../fields.js';
import { commandLine } from '../grammar.js';
import { MessageError } from '../message-error.js';
import { repositoryIn } from '../references.js';
import type { Request } from '../request.js';
import { refuseWithoutRights } from '../rights.js';
import type { ApprovalDeps } from '../runtime.js';
import { refuseScopes } from '../scopes.js';
import { type Bound, boundOf } from './bound.js';
import { hiddenFrom } from './hidden-from.js';
import { aboutOf, holdersOf, type Policy, policyFor, policyWords, refuseAsker, roleFor } from './policy.js';
import { publish } from './publish.js';
import { type Shown, shapeOf } from './shown.js';

/** Where the card goes: a channel the bot can post to; anything else is refused with an explanation. */
async function placeOf(
  { services: { slack } }: ApprovalDeps,
  policy: Policy,
  asked: string | undefined,
): Promise<string> {
  const channel = policy.channel ?? asked;
  if (channel === undefined || channel.startsWith('D')) {
    throw new MessageError(
      say(md`This needs approval by ${policyWords(policy)}. Run it in a channel where they can see it.`),
    );
  }
  const facts = await slack.channel(channel);
  const link = channelLink(channel, facts?.name);
  if (!facts?.member || facts.archived) {
    const why = facts?.archived ? md`${link} is archived` : md`I’m not in ${link}`;
    const next = facts?.archived
      ? md`Run it in another channel.`
      : md`Invite me there with /invite, then run it again.`;
    throw new MessageError(say(md`This needs approval in ${link}, but ${why}. ${next}`));
  }
  return channel;
}

/** Refused if too few people there may decide, so that nobody waits in vain. */
async function refuseAlone(deps: ApprovalDeps, policy: Policy, requester: Person, channel: string): Promise<void> {
  const facts = await deps.services.slack.channel(channel);
  const able = await mayDecide(deps, policy, requester, channel, facts?.kind);
  if (able === undefined || able >= policy.count) return;
  const link = channelLink(channel, facts?.name);
  throw new MessageError(
    say(
      md`This needs approval by ${policyWords(policy)}, but ${able === 0 ? 'nobody' : `only ${able}`} in ${link} can approve it. Add an approver to the channel, then run it again.`,
    ),
  );
}

/** How many could decide there; undefined if that need not be counted. Anyone can join a public channel. */
async function mayDecide(
  { services }: ApprovalDeps,
  policy: Policy,
  requester: Person,
  channel: string,
  kind: string | undefined,
): Promise<number | undefined> {
  const holders = await holdersOf(services, requester.team, policy.approve);
  const others = holders?.filter((user) => policy.requesterCounts || user !== requester.user);
  if (kind === 'public') return others?.length;
  const members = await services.slack.channelMembers(channel);
  if (members === undefined) return others?.length;
  const present = members.filter((user) => policy.requesterCounts || user !== requester.user);
  return others === undefined
    ? countPeople(services, present, policy.count)
    : others.filter((user) => present.includes(user)).length;
}

/** Apps and people who have left are members too, but decide nothing; counted only as far as needed. */
async function countPeople({ slack }: ApprovalDeps['services'], users: readonly string[], enough: number) {
  let found = 0;
  for (const user of users) {
    const facts = await slack.user(user);
    if (!facts?.bot && !facts?.deleted) found += 1;
    if (found >= enough) break;
  }
  return found;
}

type Asking = { readonly needed: false; readonly role: Role } | { readonly needed: true; readonly message: Message };

/** If none is needed, it may run at once. */
export async function askApproval(
  deps: ApprovalDeps,
  command: AnyCommand,
  args: Args<Fields>,
  context: Context,
  job: CommandJob,
  id: string,
): Promise<Asking> {
  const { policy: found, asks } = await policyFor(command, args, context);
  const { refuseWaiting } = command.approval ?? {};
  if (found && refuseWaiting) throw refuseWaiting(args, policyWords(found), context);
  refuseAsker(command, asks, context.role);
  if (!found) return { needed: false, role: roleFor(command, asks) };
  let policy: Policy = found;
  const account = await confirmAccount(command, context);
  const channel = await placeOf(deps, policy, job.channel);
  const hidden = await hiddenFrom(deps, aboutOf(command, args, context), channel);
  if (hidden !== undefined) {
    const at = repositoryIn(args);
    // one that does not exist for the requester is not called private
    if (at) await context.api.repos.get({ owner: at.owner, repo: at.repo });
    throw new UserError(hidden);
  }
  await refuseAlone(deps, policy, context.person, channel);
  const planned = await command.plan(args, context);
  await refuseScopes(
    command,
    planned.map(({ operation }) => operation),
    context,
  );
  await refuseWithoutRights(planned, context);
  const { values, requests, observation, unobserved } = await bind(command, args, context, planned, policy);
  const unsure = observation?.unsure ?? [];
  const foreign = unsure.length > 0 && !policy.authorsCount;
  // nobody can be told from an unknown author but someone trusted with everything
  if (foreign) policy = { ...policy, approve: 'admin', requesterCounts: false };
  if (foreign) await refuseAlone(deps, policy, context.person, channel);
  const shown: Shown = {
    line: commandLine(command, maskArgs(command, withoutReason(job.args))),
    summary: command.summary,
    requests: requests.map(({ route, input = [] }) => ({
      route,
      input: input.map(([name, value]) => [name, String(value)]),
    })),
    observed: [...(observation?.shown ?? []), ...(foreign ? [unknownAuthors(unsure)] : [])].map(keepFact),
    details: (observation?.details ?? []).map(keepFact),
    unobserved,
    channel,
    again: command.approval?.asksAgain ? JSON.stringify(job.args) : '',
    ...(observation?.wants && { wants: observation.wants }),
    ...(typeof args['reason'] === 'string' && { reason: args['reason'] }),
  };
  const { approve } = policy;
  const authors = [...(observation?.authors ?? [])];
  await context.store.approvals.create(
    {
      id,
      command: command.name,
      shape: shapeOf(command),
      ...(context.agent && { agent: context.agent }),
      requester: { ...context.person, login: account.login, forgeUserId: account.forgeUserId },
      policy: {
        needed: policy.count,
        roles: typeof approve === 'string' ? [approve] : [],
        users: typeof approve === 'string' ? [] : [...approve.users],
        groups: typeof approve === 'string' ? [] : [...approve.groups],
        teams: typeof approve === 'string' ? [] : [...approve.teams],
        // nobody can be the second person for what they wrote and requested themselves
        requesterCounts:
          policy.requesterCounts && unsure.length === 0 && !authors.some((author) => author === account.forgeUserId),
        authorsCount: policy.authorsCount,
        expiresAt: context.now.getTime() + policy.seconds * 1_000,
      },
      channel: job.channel ?? null,
      bound: { ...values },
      authors,
      shown: plainJson(shown),
    },
    args,
  );
  const approval = await context.store.approvals.get(id);
  if (approval) await publish(deps, approval);
  const message = context.agent
    ? say(md`Waiting for approval by ${policyWords(policy)}. Nothing has run yet.`)
    : say(
        md`Waiting for approval by ${policyWords(policy)} in ${channelLink(channel)}. You’ll get a message when it’s decided.`,
        withdrawButton(id),
      );
  return { needed: true, message };
}

/** People are told apart by their forge user ids, so a request from an unconfirmed account could never be approved. */
async function confirmAccount(command: AnyCommand, { person, store, forge }: Context): Promise<Account> {
  const account = await store.accounts.get(person);
  if (account?.verified && account.forgeUserId !== null) return account;
  const needs = `${command.name} needs approval by someone else`;
  if (!account) throw new UserError(`${needs}. Link your forge account first: /forge signin.`);
  if (await forge.capabilities.has('users.me'))
    throw new UserError(`${needs}, and the forge has not confirmed your account. Link it again: /forge signin.`);
  throw new UserError(`${needs}, and this forge cannot confirm who is who, so nobody can approve it.`);
}

function keepFact([label, value, page]: Fact): Shown['observed'][number] {
  const values = typeof value === 'string' ? value : [...value];
  return page ? [label, values, page] : [label, values];
}

const mostNamed = 5;

const unknownAuthors = (unsure: readonly string[]): Fact => {
  const more = unsure.length > mostNamed ? ` and ${unsure.length - mostNamed} more` : '';
  const what = `${unsure.slice(0, mostNamed).join(', ')}${more}`;
  return [
    'Unknown authors',
    `The forge doesn’t know who wrote ${what}, so only an admin other than the requester can decide.`,
  ];
};

const withoutReason = ({ reason: _, ...args }: CommandJob['args']): CommandJob['args'] => args;

/** A server that cannot show all of it: the policy decides. */
async function bind(
  command: AnyCommand,
  args: Args<Fields>,
  context: Context,
  planned: readonly Request[],
  policy: Policy,
): Promise<Bound> {
  try {
    return await boundOf(command, args, context, planned, policy.unobserved);
  } catch (error) {
    if (!(error instanceof ApiError) || !error.unsupported) throw error;
    throw new UserError(
      `This forge cannot show the current state, so an approval of ${command.name} could not be tied to it. Nothing was run.`,
      { cause: error },
    );
  }
}
