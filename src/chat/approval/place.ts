import { say } from '../../view/message.js';
import { channel as channelLink, md } from '../../view/text.js';
import type { Person } from '../context.js';
import { MessageError } from '../message-error.js';
import type { ApprovalDeps } from '../runtime.js';
import { holdersOf } from './approvers.js';
import { type Policy, policyWords } from './policy.js';

/** Where the card goes: a channel the bot can post to; anything else is refused with an explanation. */
export async function placeOf(
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
    const why = facts?.archived ? md`${link} is archived` : md`I'm not in ${link}`;
    const next = facts?.archived
      ? md`Run it in another channel.`
      : md`Invite me there with /invite, then run it again.`;
    throw new MessageError(say(md`This needs approval in ${link}, but ${why}. ${next}`));
  }
  return channel;
}

/** Refused if too few people there may decide, so that nobody waits in vain. */
export async function refuseAlone(
  deps: ApprovalDeps,
  policy: Policy,
  requester: Person,
  channel: string,
): Promise<void> {
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
