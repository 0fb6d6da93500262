import { type CommandButton, formButton, moreMenu, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { toggle } from '../../chat/fields/index.js';
import { offset, rows } from '../../chat/fields/offset.js';
import { type Health, healthOf } from '../../domain/subscriptions/health.js';
import { placeOf } from '../../domain/subscriptions/here.js';
import { filterOf, filterWords } from '../../domain/subscriptions/merge.js';
import { allIn, linked, type Named, named } from '../../domain/subscriptions/shown.js';
import { actions, section } from '../../view/blocks.js';
import { count, frame } from '../../view/look.js';
import { message, say } from '../../view/message.js';
import { paged } from '../../view/paging.js';
import { channel, code, md, mention } from '../../view/text.js';
import { date } from '../../view/when.js';

interface Row extends Named {
  readonly health: Health;
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
  async run({ mine, from = 0 }, context) {
    const { store, person } = context;
    const all = mine
      ? await Promise.all((await store.subscriptions.ownedBy(person)).map((sub) => named(sub, store)))
      : await allIn(placeOf(context), store);
    // health is asked only of those that are shown
    const shown = new Set(all.slice(from, from + rows));
    const healthy = async (each: Named): Promise<Row> => ({
      ...each,
      health: shown.has(each) ? await healthOf(each.sub, store, context.now) : {},
    });
    const own = mine ? undefined : await store.channels.defaultRepository(placeOf(context));
    return { all: await Promise.all(all.map(healthy)), own: own?.id };
  },
  reply({ all, own }, { mine, from = 0 }, context) {
    if (all.length === 0) {
      const what = mine ? md`You don’t own any subscriptions.` : md`No subscriptions in this channel yet.`;
      return say(
        md`${what} Try ${code('/forge subscribe owner/repo')}.`,
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
        ...paged(all, from, rows, (row) => rowOf(row, mine === true, own, context), next),
        mine ? undefined : actions(formButton({ text: 'Add subscription', command: 'subscribe' })),
      ],
    });
  },
});

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
      subject: linked(row, forge.web),
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
        code(filterWords(filterOf(sub.filter))),
        ...(sub.paused ? [md`${date(sub.paused.at, now)}: ${sub.paused.reason}`] : []),
        ...(health.error === undefined ? [] : [md`The last check failed: ${health.error}`]),
      ],
      ...(elsewhere ? {} : { menu }),
    },
  );
}
