import type { Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md, mention } from '../../view/text.js';
import { announce } from './announce.js';
import { offer, refuseUnfit } from './handover.js';
import { oneOf } from './matching.js';
import { tell } from './tell-owner.js';
import { placeOf } from './this-channel.js';
import { linked, type Named } from './titles.js';

interface OwnerWish {
  readonly subscription: string;
  readonly person: string;
}

/** Allowed for its owner, for a maintainer, and for anyone if its owner has left. */
async function refuseStranger({ sub, title }: Named, { person, role, slack, store }: Context): Promise<void> {
  if (sub.owner === person.user || role !== 'everyone') return;
  const [account, user] = await Promise.all([
    store.accounts.get({ team: person.team, user: sub.owner }),
    slack.user(sub.owner),
  ]);
  if (!account || !user || user.deleted) return;
  throw new UserError(`@${user.name} owns ${title}. Ask them or a maintainer to hand it over.`);
}

export async function changeOwner({ subscription, person: user }: OwnerWish, context: Context) {
  const one = await oneOf(subscription, placeOf(context), context);
  if (one.sub.owner === user) return { one, came: 'already' as const };
  await refuseStranger(one, context);
  await refuseUnfit(one, user, context);
  // someone whose access a channel will use must agree
  if (user !== context.person.user) {
    await offer(one, user, context);
    return { one, came: 'asked' as const };
  }
  await context.store.subscriptions.change(one.sub, { owner: user, checkedAt: context.now.getTime() });
  const says = md`now owns the ${linked(one, context.forge.web)} subscription, after ${mention(one.sub.owner)}.`;
  await announce([{ one, says }], context);
  await tell(one.sub.owner, one, md`took over`, context);
  return { one, came: 'taken' as const };
}

export const ownerMessage = (
  { one, came }: Awaited<ReturnType<typeof changeOwner>>,
  { person: user }: OwnerWish,
  { forge }: Context,
) =>
  message({
    blocks: doneCard({
      says: {
        already: md`${mention(user)} already owns ${linked(one, forge.web)}.`,
        asked: md`Asked ${mention(user)} to own ${linked(one, forge.web)}. Nothing changes until they accept.`,
        taken: md`${mention(user)} now owns the ${linked(one, forge.web)} subscription.`,
      }[came],
      facts: one.sub.paused ? ['paused: subscribe again to resume'] : [],
    }),
  });
