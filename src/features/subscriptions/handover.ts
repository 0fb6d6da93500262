import { runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { credentialOf } from '../../chat/credential.js';
import { notify } from '../../chat/notice.js';
import type { Services } from '../../chat/session.js';
import { UserError } from '../../errors.js';
import { splitFullName } from '../../full-name.js';
import { type Handover, type Person, subscriptionId } from '../../store/index.js';
import { say } from '../../view/message.js';
import { type Mrkdwn, md, mention } from '../../view/text.js';
import { lookUp } from '../repos/lookup.js';
import type { Named } from './target.js';

interface Fitness {
  readonly fit: boolean;
  /** Undefined if no forge account is linked. */
  readonly login?: string;
}

/** A subscription's owner must be linked and see its target. */
async function fitness(
  { sub, name }: Pick<Named, 'sub' | 'name'>,
  person: Person,
  services: Pick<Services, 'forge' | 'store' | 'log'>,
): Promise<Fitness> {
  const { forge, store } = services;
  const account = await store.accounts.get(person);
  const credential = account?.state === 'active' ? await credentialOf(services, person) : undefined;
  if (!account || !credential) return { fit: false };
  const { login } = account;
  if (sub.target.kind !== 'repo') return { fit: true, login };
  const { owner, repo } = splitFullName(name);
  const seen = await lookUp({ owner, name: repo }, forge.as(credential));
  return { fit: seen?.id === sub.target.id, login };
}

/** A channel sees what its subscription's owner can see: they must be a member, linked, and see the target. */
export async function refuseUnfit(one: Named, user: string, context: Context): Promise<void> {
  const { person, slack } = context;
  const own = user === person.user;
  const they = own ? 'You' : 'They';
  if (!(await slack.isMember(one.sub.place.channel, user)))
    throw new UserError(`${they} must be in this channel to own ${one.title} here.`);
  const { fit, login } = await fitness(one, { team: person.team, user }, context);
  if (fit) return;
  if (login === undefined)
    throw new UserError(
      `${they} have no linked forge account. ${own ? 'Link' : 'They can link'} one with /forge signin.`,
    );
  throw new UserError(`${login} has no access to ${one.title} on the forge.`);
}

/** One card in the channel: the question, then the outcome. */
async function show(one: Named, { at }: Handover, says: Mrkdwn, asks: boolean, { store }: Context): Promise<void> {
  const key = `handover:${subscriptionId(one.sub)}:${at}`;
  const args = { subscription: one.title };
  const buttons = [
    runButton({ text: 'Accept', command: 'subscribe accept', args, style: 'primary' }),
    runButton({ text: 'Decline', command: 'subscribe accept', args: { ...args, decline: true } }),
  ];
  const place = { ...one.sub.place, lane: 'notices' } as const;
  const id = `${key}:${asks ? 'asked' : 'answered'}`;
  await notify(store, place, id, say(says, ...(asks ? buttons : [])), { card: key });
}

/** Asks; nothing changes before the answer. */
export async function offer(one: Named, user: string, context: Context): Promise<void> {
  const made = await context.store.handovers.offer(one.sub, user, one.sub.owner);
  const asker = mention(context.person.user);
  const says = md`${mention(user)}, ${asker} wants you to own the ${one.title} subscription in this channel. Updates then show what your forge account can see.`;
  await show(one, made, says, true, context);
}

/** The offer this person may answer; undefined if they own it and none is left to end. */
export async function findOffer(one: Named, { store, person }: Context): Promise<Handover | undefined> {
  const made = await store.handovers.get(one.sub);
  const owns = one.sub.owner === person.user;
  if (made?.to === person.user && (owns || made.from === one.sub.owner)) return made;
  if (owns) return undefined;
  throw new UserError(`No one has asked you to own ${one.title} in the last week.`);
}

/** False if another click was faster. */
export async function closeHandover(one: Named, made: Handover, accepted: boolean, context: Context): Promise<boolean> {
  const { store, person } = context;
  if ((await store.handovers.get(one.sub))?.at !== made.at) return false;
  // first the change: if interrupted in between, both are repeated
  if (accepted) await store.subscriptions.change(one.sub, { owner: person.user, checkedAt: context.now.getTime() });
  if (!(await store.handovers.close(one.sub))) return false;
  const says = accepted
    ? md`${mention(person.user)} now owns the ${one.title} subscription.`
    : md`${mention(person.user)} declined to own the ${one.title} subscription. Nothing changed.`;
  await show(one, made, says, false, context);
  return true;
}
