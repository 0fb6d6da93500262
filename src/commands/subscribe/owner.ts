import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md, mention } from '../../view/text.js';
import { fitness } from './fitness.js';
import { placeOf } from './here.js';
import { member } from './member.js';
import { tell } from './notice.js';
import { linked, type Named } from './shown.js';
import { oneOf } from './theirs.js';
import { followed } from './words.js';

export const subscribeOwner = command({
  name: 'subscribe owner',
  summary: 'Hand a subscription over to another person, or take over one that nobody answers for',
  examples: ['subscribe owner acme/engine @grace', 'subscribe owner acme/engine me'],
  fields: { subscription: followed(), person: member({ label: 'New owner' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['repos.get', 'repos.search'],
  account: 'none',
  plan: () => [],
  async run({ subscription, person: user }, context) {
    const one = await oneOf(subscription, placeOf(context), context);
    if (one.sub.owner === user) return { one, already: true };
    await refuseStranger(one, context);
    await refuseUnfit(one, user, context);
    await context.store.subscriptions.change(one.sub, { owner: user, checkedAt: context.now.getTime() });
    await tell(one.sub.owner, one, md`handed over`, context);
    await tell(user, one, md`gave you`, context);
    return { one, already: false };
  },
  reply: ({ one, already }, { person: user }, { forge }) =>
    message({
      blocks: doneCard({
        says: already
          ? md`${mention(user)} owns ${linked(one, forge.web)} already.`
          : md`${mention(user)} answers for ${linked(one, forge.web)} in this channel now.`,
        facts: one.sub.paused ? ['it is paused: subscribe again to resume it'] : [],
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
  throw new UserError(`${title} belongs to @${user.name}: ask them or a maintainer to hand it over.`);
}

async function refuseUnfit(one: Named, user: string, { forge, person, store }: Context): Promise<void> {
  const { fit, login } = await fitness(one, { team: person.team, user }, { forge, store });
  if (fit) return;
  if (login === undefined)
    throw new UserError(
      `They have no linked forge account. Ask them to type /forge signin, then hand ${one.title} over.`,
    );
  throw new UserError(`${login} may not see ${one.title} on the forge, so it cannot be theirs.`);
}
