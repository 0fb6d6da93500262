import { turnButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { rows } from '../../chat/fields/offset.js';
import { UserError } from '../../errors.js';
import type { Subscription } from '../../store/index.js';
import { message } from '../../view/message.js';
import { paged } from '../../view/paging.js';
import { type Named, named } from '../subscriptions/titles.js';
import { waiting } from './outboxes.js';
import { type Report, reportBlocks, sourceBlocks } from './report.js';
import { lateBy, sourceLines } from './sources.js';

interface StatusWanted {
  readonly all?: boolean | undefined;
  readonly from?: number | undefined;
}

const mostPaused = 10;

async function pausedOnes(all: boolean, here: readonly Subscription[], { store }: Context): Promise<Named[]> {
  const found: Subscription[] = all ? [] : here.filter(({ paused }) => paused);
  if (all) {
    for await (const { subscription } of store.subscriptions.each()) if (subscription.paused) found.push(subscription);
  }
  return Promise.all(found.map((sub) => named(sub, store)));
}

export async function readStatus({ all = false }: StatusWanted, context: Context): Promise<Report> {
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
    lags: all ? await store.sources.lags() : undefined,
    backlog: backlog.reduce((sum, each) => sum + each, 0),
    outboxes: await waiting(all, here, subs, context),
    paused: paused.slice(0, mostPaused),
    morePaused: Math.max(0, paused.length - mostPaused),
  };
}

export function statusMessage(report: Report, { from = 0 }: StatusWanted, context: Context) {
  const next = (at: number) =>
    turnButton({ text: 'Show more', command: 'status', args: { ...(report.all && { all: true }), from: at } });
  return message({
    blocks: [
      ...(from === 0 ? reportBlocks(report, context) : []),
      ...paged(report.sources, from, rows, (line) => sourceBlocks(line, context), next),
    ],
  });
}
