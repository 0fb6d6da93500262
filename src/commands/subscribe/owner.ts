import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { announce } from '../../domain/subscriptions/announce.js';
import { offer, refuseUnfit } from '../../domain/subscriptions/handover.js';
import { placeOf } from '../../domain/subscriptions/here.js';
import { oneOf } from '../../domain/subscriptions/meant.js';
import { tell } from '../../domain/subscriptions/notice.js';
import { linked, type Named } from '../../domain/subscriptions/shown.js';
import { followed } from '../../domain/subscriptions/words.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md, mention } from '../../view/text.js';
import { member } from './member.js';

export const subscribeOwner = command({
  name: 'subscribe owner',
  title: 'Change owner',
  summary: 'Ask someone to own a subscription, or take it over',
  examples: ['subscribe owner acme/engine @grace', 'subscribe owner acme/engine me'],
  fields: { subscription: followed(), person: member({ label: 'New owner' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  account: 'none',
  plan: () => [],
  async run({ subscription, person: user }, context) {
    const one = await oneOf(subscription, placeOf(context), context);
    if (one.sub.owner === user) return { one, came: 'already' as const };
    await refuseStranger(one, context);
    await refuseUnfit(one, user, context);
    // whoever lends the channel their sight says so themselves
    if (user !== context.person.user) {
      await offer(one, user, context);
      return { one, came: 'asked' as const };
    }
    await context.store.subscriptions.change(one.sub, { owner: user, checkedAt: context.now.getTime() });
    const says = md`now owns the ${linked(one, context.forge.web)} subscription, after ${mention(one.sub.owner)}.`;
    await announce([{ one, says, what: `${one.sub.owner}>${user}` }], context);
    await tell(one.sub.owner, one, md`took over`, context);
    return { one, came: 'taken' as const };
  },
  reply: ({ one, came }, { person: user }, { forge }) =>
    message({
      blocks: doneCard({
        says: {
          already: md`${mention(user)} already owns ${linked(one, forge.web)}.`,
          asked: md`Asked ${mention(user)} to own ${linked(one, forge.web)}. Nothing changes until they accept.`,
          taken: md`${mention(user)} now owns the ${linked(one, forge.web)} subscription.`,
        }[came],
        facts: one.sub.paused ? ['paused: subscribe again to resume'] : [],
      }),
    }),
});

/** Its owner may, a maintainer may, and anyone where its owner is gone. */
async function refuseStranger({ sub, title }: Named, { person, role, slack, store }: Context): Promise<void> {
  if (sub.owner === person.user || role !== 'everyone') return;
  const [account, user] = await Promise.all([
    store.accounts.get({ team: person.team, user: sub.owner }),
    slack.user(sub.owner),
  ]);
  if (!account || !user || user.deleted) return;
  throw new UserError(`@${user.name} owns ${title}. Ask them or a maintainer to hand it over.`);
}
