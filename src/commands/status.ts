import { turnButton } from '../chat/actions.js';
import { command } from '../chat/command.js';
import type { Context } from '../chat/context.js';
import { toggle } from '../chat/fields/index.js';
import { offset, rows } from '../chat/fields/offset.js';
import { waiting } from '../domain/status/outboxes.js';
import { type Report, reportBlocks, sourceBlocks } from '../domain/status/report.js';
import { lateBy, sourceLines } from '../domain/status/sources.js';
import { type Named, named } from '../domain/subscriptions/shown.js';
import { UserError } from '../errors.js';
import type { Subscription } from '../store/index.js';
import { message } from '../view/message.js';
import { paged } from '../view/paging.js';

const mostPaused = 10;

export const status = command({
  name: 'status',
  title: 'Show status',
  summary: 'Show whether this channel’s updates are working',
  examples: ['status', 'status --all'],
  fields: { all: toggle({ label: 'All', text: 'All channels (maintainers only)' }), from: offset() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [],
  account: 'none',
  plan: () => [],
  async run({ all = false }, context): Promise<Report> {
    if (all && context.role === 'everyone')
      throw new UserError('Only maintainers can see all channels. For this one, leave out --all.');
    const { store, person, channel, now } = context;
    const here = channel === undefined ? undefined : { team: person.team, channel };
    const subs = here ? await store.subscriptions.inChannel(here) : [];
    const sources = await sourceLines(all, subs, context);
    const backlog = await Promise.all(sources.map(({ key }) => store.marks.backlog(key)));
    const paused = await pausedOnes(all, subs, context);
    return {
      all,
      here,
      subscriptions: subs.length,
      sources,
      lagMs: Math.max(0, ...sources.map((line) => lateBy(line, now))),
      backlog: backlog.reduce((sum, each) => sum + each, 0),
      outboxes: await waiting(all, here, subs, context),
      paused: paused.slice(0, mostPaused),
      morePaused: Math.max(0, paused.length - mostPaused),
    };
  },
  reply(report, { from = 0 }, context) {
    const next = (at: number) =>
      turnButton({ text: 'Show more', command: 'status', args: { ...(report.all && { all: true }), from: at } });
    return message({
      blocks: [
        ...(from === 0 ? reportBlocks(report, context) : []),
        ...paged(report.sources, from, rows, (line) => sourceBlocks(line, context), next),
      ],
    });
  },
});

async function pausedOnes(all: boolean, here: readonly Subscription[], { store }: Context): Promise<Named[]> {
  const found: Subscription[] = all ? [] : here.filter(({ paused }) => paused);
  if (all) {
    for await (const { subscription } of store.subscriptions.each()) if (subscription.paused) found.push(subscription);
  }
  return Promise.all(found.map((sub) => named(sub, store)));
}
