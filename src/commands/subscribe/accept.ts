import { command } from '../../chat/command.js';
import { toggle } from '../../chat/fields/index.js';
import { followed } from '../../domain/subscriptions/fields.js';
import { closeHandover, offered, refuseUnfit } from '../../domain/subscriptions/handover.js';
import { oneOf } from '../../domain/subscriptions/matching.js';
import { tell } from '../../domain/subscriptions/tell-owner.js';
import { placeOf } from '../../domain/subscriptions/this-channel.js';
import { linked } from '../../domain/subscriptions/titles.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';

export const subscribeAccept = command({
  name: 'subscribe accept',
  title: 'Accept subscription',
  summary: 'Accept or decline a subscription that someone wants you to own',
  examples: ['subscribe accept acme/engine', 'subscribe accept acme/engine --decline'],
  fields: { subscription: followed(), decline: toggle({ label: 'Decline', text: 'Do not take it over' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  plan: () => [],
  async run({ subscription, decline = false }, context) {
    const one = await oneOf(subscription, placeOf(context), context);
    const made = await offered(one, context);
    if (decline && one.sub.owner === context.person.user)
      throw new UserError(`You already own ${one.title} here. Use /forge subscribe owner to give it to someone else.`);
    if (!made) return one;
    if (!decline) await refuseUnfit(one, context.person.user, context);
    if (!(await closeHandover(one, made, !decline, context)))
      throw new UserError(`You already answered this request. See who owns ${one.title} with /forge subscribe list.`);
    await tell(made.from, one, decline ? md`declined to own` : md`now owns`, context);
    return one;
  },
  reply: (one, { decline }, { forge }) =>
    message({
      blocks: doneCard({
        says: decline
          ? md`You declined ${linked(one, forge.web)}. Nothing changed.`
          : md`You now own the ${linked(one, forge.web)} subscription in this channel.`,
        facts: one.sub.paused ? ['paused: subscribe again to resume'] : [],
      }),
    }),
});
