import { type CommandButton, formButton, moreMenu, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { offset, rows, toggle } from '../../chat/fields.js';
import { sourceKey } from '../../feed/sources/source.js';
import type { Store, Subscription } from '../../store/index.js';
import { actions, section } from '../../view/blocks.js';
import { count, frame } from '../../view/look.js';
import { message, say } from '../../view/message.js';
import { drawPage } from '../../view/paging.js';
import { channel, code, md, mention } from '../../view/text.js';
import { date } from '../../view/when.js';
import { featureNames } from './announce.js';
import { filterOf } from './fields.js';
import { allIn, linkTarget, type Named, nameTarget, placeOf } from './target.js';

/** The state of the source behind a subscription. */
interface Health {
  readonly polledAt?: number;
  readonly error?: string;
}

/** Of its main source; the repositories of a pattern are in `status`. */
async function healthOf({ target }: Subscription, { sources }: Store, now: Date): Promise<Health> {
  const state = await sources.get(sourceKey({ kind: target.kind, id: target.id }));
  const { answeredAt, error } = state ?? {};
  return {
    ...(answeredAt !== undefined && answeredAt <= now.getTime() && { polledAt: answeredAt }),
    ...(error !== undefined && { error: error.slice(0, 200) }),
  };
}

interface SubscriptionsWanted {
  readonly mine?: boolean | undefined;
  readonly from?: number | undefined;
}

interface Row extends Named {
  readonly health: Health;
}

function rowOf(row: Row, elsewhere: boolean, own: number | undefined, { forge, now }: Context) {
  const { sub, title, health } = row;
  const args = { subscription: title };
  const resume: CommandButton = { text: 'Resume', command: 'subscribe', args: { repositories: [title] } };
  const menu = moreMenu([
    ...(sub.paused ? [resume] : []),
    { text: 'Edit…', command: 'subscribe edit', args, form: true },
    { text: 'Preview', command: 'subscribe', args: { repositories: [title], preview: true } },
    { text: 'Hand over…', command: 'subscribe owner', args, form: true },
    { text: 'Unsubscribe', command: 'unsubscribe', args: { repositories: [title] } },
  ]);
  return frame(
    {
      state: sub.paused ? '⏸️ Paused' : health.error ? '⚠️ Failing' : '🔔',
      subject: linkTarget(row, forge.web),
      facts: [
        md`owned by ${mention(sub.owner)}`,
        elsewhere ? channel(sub.place.channel) : undefined,
        !elsewhere && sub.target.kind === 'repo' && sub.target.id === own
          ? 'This channel’s default repository'
          : undefined,
        md`since ${date(sub.createdAt, now)}`,
        health.polledAt === undefined ? 'not checked yet' : md`checked ${date(health.polledAt, now)}`,
      ],
    },
    {
      now,
      style: 'row',
      notes: [
        featureNames(filterOf(sub.filter)),
        ...(sub.paused ? [md`${date(sub.paused.at, now)}: ${sub.paused.reason}`] : []),
        ...(health.error === undefined ? [] : [md`The last check failed: ${health.error}`]),
      ],
      ...(elsewhere ? {} : { menu }),
    },
  );
}

async function listSubscriptions({ mine, from = 0 }: SubscriptionsWanted, context: Context) {
  const { store, person } = context;
  const all = mine
    ? await Promise.all((await store.subscriptions.ownedBy(person)).map((sub) => nameTarget(sub, store)))
    : await allIn(placeOf(context), store);
  // health is read only for those shown
  const shown = new Set(all.slice(from, from + rows));
  const healthy = async (each: Named): Promise<Row> => ({
    ...each,
    health: shown.has(each) ? await healthOf(each.sub, store, context.now) : {},
  });
  const own = mine ? undefined : await store.channels.defaultRepository(placeOf(context));
  return { all: await Promise.all(all.map(healthy)), own: own?.id };
}

function subscriptionsMessage(
  { all, own }: Awaited<ReturnType<typeof listSubscriptions>>,
  { mine, from = 0 }: SubscriptionsWanted,
  context: Context,
) {
  if (all.length === 0) {
    const what = mine ? md`You don’t own any subscriptions.` : md`No subscriptions in this channel yet.`;
    return say(
      md`${what} Try ${code(`${context.slash} subscribe owner/repo`)}.`,
      formButton({ text: 'Subscribe', command: 'subscribe', style: 'primary' }),
    );
  }
  const next = (at: number) =>
    turnButton({ text: 'Show more', command: 'subscribe list', args: { ...(mine && { mine }), from: at } });
  const head = mine
    ? md`You own ${count(all.length, 'subscription')}:`
    : md`${count(all.length, 'subscription')} in this channel:`;
  return message({
    blocks: [
      section(head),
      ...drawPage(all, from, rows, (row) => rowOf(row, mine === true, own, context), next),
      mine ? undefined : actions(formButton({ text: 'Add subscription', command: 'subscribe' })),
    ],
  });
}

export const subscribeList = command({
  name: 'subscribe list',
  aliases: ['subscribe list features', 'subscriptions'],
  summary: 'List this channel’s subscriptions',
  examples: ['subscribe list', 'subscribe list --mine'],
  fields: {
    mine: toggle({ label: 'Mine', text: 'Subscriptions I own, in all channels' }),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [],
  account: 'none',
  plan: () => [],
  run: listSubscriptions,
  reply: subscriptionsMessage,
});
