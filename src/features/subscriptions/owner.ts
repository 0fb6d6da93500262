import { z } from 'zod';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { askingField, type Needed, type Words } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md, mention } from '../../view/text.js';
import { announce, notifyOwner } from './announce.js';
import { followedField } from './fields.js';
import { offer, refuseUnfit } from './handover.js';
import { oneOf } from './preview.js';
import { linkTarget, type Named, placeOf } from './target.js';

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

async function changeOwner({ subscription, person: user }: OwnerWish, context: Context) {
  const one = await oneOf(subscription, placeOf(context), context);
  if (one.sub.owner === user) return { one, came: 'already' as const, announced: false };
  await refuseStranger(one, context);
  await refuseUnfit(one, user, context);
  // someone whose access a channel will use must agree
  if (user !== context.person.user) {
    await offer(one, user, context);
    return { one, came: 'asked' as const, announced: false };
  }
  await context.store.subscriptions.change(one.sub, { owner: user, checkedAt: context.now.getTime() });
  const says = md`now owns the ${linkTarget(one, context.forge.web)} subscription, after ${mention(one.sub.owner)}.`;
  const announced = await announce([{ one, says }], context);
  await notifyOwner(one.sub.owner, one, md`took over`, context);
  return { one, came: 'taken' as const, announced };
}

const ownerMessage = (
  { one, came }: Awaited<ReturnType<typeof changeOwner>>,
  { person: user }: OwnerWish,
  { forge }: Context,
) =>
  message({
    blocks: doneCard({
      says: {
        already: md`${mention(user)} already owns ${linkTarget(one, forge.web)}.`,
        asked: md`Asked ${mention(user)} to own ${linkTarget(one, forge.web)}. Nothing changes until they accept.`,
        taken: md`${mention(user)} now owns the ${linkTarget(one, forge.web)} subscription.`,
      }[came],
      facts: one.sub.paused ? ['paused: subscribe again to resume'] : [],
    }),
  });

const Typed = z.union([
  z.object({ slack: z.string().regex(/^[UW][A-Z0-9]{1,30}$/) }),
  z.object({ login: z.string().min(1).max(100) }),
]);
type Typed = z.infer<typeof Typed>;

/** A member of the workspace; the command receives the Slack user id. */
function member(words: Words = {}): Needed<Typed, string> {
  return askingField<Typed, string>(words, {
    label: 'Person',
    placeholder: '@person',
    input: { kind: 'slackUsers' },
    schema: Typed,
    read: (text) => {
      const word = text.trim();
      const [, slack] = /^<@([UW][A-Z0-9]{1,30})(?:\|[^<>]*)?>$/.exec(word) ?? [];
      if (slack !== undefined) return { slack };
      const [, login] = /^@?([A-Za-z0-9._-]{1,100})$/.exec(word) ?? [];
      if (login === undefined) throw new UserError(`I can’t find “${word.slice(0, 40)}”. Use a Slack @name.`);
      return { login };
    },
    show: (value) => ('slack' in value ? `<@${value.slack}>` : `@${value.login}`),
    resolve: userOf,
  });
}

async function userOf(value: Typed, { person, people }: Context): Promise<string> {
  if ('slack' in value) return value.slack;
  if (value.login.toLowerCase() === 'me') return person.user;
  const user = await people.slackUserOf(person.team, value.login);
  if (user === undefined)
    throw new UserError(
      `Nobody in Slack is linked to ${value.login}. Mention them with @, or ask them to run /forge signin.`,
    );
  return user;
}

export const subscribeOwner = command({
  name: 'subscribe owner',
  title: 'Change owner',
  summary: 'Ask someone to own a subscription, or take it over',
  examples: ['subscribe owner acme/engine @grace', 'subscribe owner acme/engine me'],
  fields: { subscription: followedField(), person: member({ label: 'New owner' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  account: 'none',
  plan: () => [],
  run: changeOwner,
  saidInChannel: ({ announced }) => announced,
  reply: ownerMessage,
});
