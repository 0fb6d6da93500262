import { command } from '../../chat/command.js';
import { toggle } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { notifyOwner } from './announce.js';
import { followedField } from './fields.js';
import { closeHandover, findOffer, refuseUnfit } from './handover.js';
import { oneOf } from './preview.js';
import { linkTarget, placeOf } from './target.js';

export const subscribeAccept = command({
  name: 'subscribe accept',
  title: 'Accept subscription',
  summary: 'Accept or decline a subscription that someone wants you to own',
  examples: ['subscribe accept acme/engine', 'subscribe accept acme/engine --decline'],
  fields: { subscription: followedField(), decline: toggle({ label: 'Decline', text: 'Do not take it over' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  plan: () => [],
  async run({ subscription, decline = false }, context) {
    const one = await oneOf(subscription, placeOf(context), context);
    const made = await findOffer(one, context);
    if (decline && one.sub.owner === context.person.user)
      throw new UserError(`You already own ${one.title} here. Use /forge subscribe owner to give it to someone else.`);
    if (!made) return one;
    if (!decline) await refuseUnfit(one, context.person.user, context);
    if (!(await closeHandover(one, made, !decline, context)))
      throw new UserError(`You already answered this request. See who owns ${one.title} with /forge subscribe list.`);
    await notifyOwner(made.from, one, decline ? md`declined to own` : md`now owns`, context);
    return one;
  },
  reply: (one, { decline }, { forge }) =>
    message({
      blocks: doneCard({
        says: decline
          ? md`You declined ${linkTarget(one, forge.web)}. Nothing changed.`
          : md`You now own the ${linkTarget(one, forge.web)} subscription in this channel.`,
        facts: one.sub.paused ? ['paused: subscribe again to resume'] : [],
      }),
    }),
});
