import type { Context } from '../../chat/context.js';
import { realPlace } from '../../feed/lanes.js';
import type { Place, SourceLags } from '../../store/index.js';
import { type Blocks, fields, list, type Pair, section } from '../../view/blocks.js';
import { count } from '../../view/look.js';
import { channel, join, md, mention, type Value } from '../../view/text.js';
import { date, elapsed } from '../../view/when.js';
import type { Named } from '../subscriptions/titles.js';
import type { Waiting } from './outboxes.js';
import { lateBy, type SourceLine, worry } from './sources.js';

export interface Report {
  readonly all: boolean;
  readonly here: Place | undefined;
  readonly subscriptions: number;
  readonly sources: readonly SourceLine[];
  readonly lagMs: number;
  /** Of everything, by what it is waiting for; undefined for one channel. */
  readonly lags: SourceLags | undefined;
  /** Events read but not yet routed to channels. */
  readonly backlog: number;
  readonly outboxes: readonly Waiting[];
  readonly paused: readonly Named[];
  readonly morePaused: number;
}

export function reportBlocks(report: Report, { now }: Context): Blocks {
  const worried = report.sources.filter((line) => worry(line, now) > 0).length;
  const waiting = report.outboxes.reduce((sum, { view }) => sum + view.size, 0);
  const held = report.outboxes.filter(({ view }) => view.pause);
  const stopped = held.filter((each) => !isWanted(each));
  const sick = report.outboxes.filter(({ view }) => view.trouble || view.aside > 0);
  const well = worried === 0 && report.paused.length === 0 && stopped.length === 0 && sick.length === 0;
  const none = !report.all && report.subscriptions === 0;
  const here = none ? 'This channel has no subscriptions' : count(report.subscriptions, 'subscription');
  const what = report.all ? 'All channels' : here;
  const working = none ? md`` : md` Everything is working.`;
  const answered = report.sources.map(({ state }) => state.answeredAt ?? 0);
  const pairs: Pair[] = [
    ['Checked feeds', `${report.sources.length}${worried > 0 ? `, ${worried} failing or late` : ''}`],
    ['Last check', answered.length === 0 ? 'none yet' : date(Math.max(...answered), now, 'none yet')],
    ...(report.lags ? delays(report.lags) : [delay('Delay', report.lagMs)]),
    ['Waiting', `${count(report.backlog, 'event')}, ${count(waiting, 'message')}`],
  ];
  return [
    section(md`${well ? '✅' : '⚠️'} ${what}.${well ? working : md` Some updates need attention.`}`),
    ...fields(pairs),
    ...list([
      ...held.map((each) => heldLine(each, now)),
      ...sick.flatMap(sickLines),
      ...report.outboxes.flatMap(({ place, view }) =>
        view.notBefore === undefined || view.trouble
          ? []
          : [md`⏳ Slack is rate limiting messages in ${channel(plainId(place))}.`],
      ),
      ...report.paused.map((each) => pausedLine(each, report.all, now)),
      ...(report.morePaused > 0 ? [md`_${report.morePaused} more paused._`] : []),
    ]),
  ];
}

const delay = (label: string, ms: number): Pair => [label, ms < 1_000 ? 'none' : elapsed(ms)];

const delays = ({ woken, due, inboxes }: SourceLags): Pair[] => [
  delay('Delay after webhooks', woken),
  delay('Delay of repositories', due),
  delay('Delay of inboxes', inboxes),
];

const plainId = (place: Place): string => realPlace(place).channel;

function heldLine({ place, lane, view }: Waiting, now: Date) {
  const where = lane ? md`One repository in ${channel(plainId(place))}` : channel(plainId(place));
  const until = view.pause?.until === undefined ? md`` : md` until ${date(view.pause.until, now)}`;
  const size = count(view.size, 'message');
  if (isWanted({ view })) return md`🔕 ${where}: ${view.pause?.reason ?? ''}${until} (${size} waiting)`;
  return md`⏸️ ${where} is paused${until}: ${view.pause?.reason ?? ''} (${size} waiting)`;
}

/** A mute or quiet hours: requested by someone, so nothing is wrong. */
const isWanted = ({ view }: Pick<Waiting, 'view'>): boolean => /^(muted|quiet hours)/.test(view.pause?.reason ?? '');

function sickLines({ place, view: { trouble, aside }, codes }: Waiting) {
  const where = channel(plainId(place));
  return [
    ...(trouble
      ? [md`⚠️ Slack rejected a message in ${where} ${count(trouble.count, 'time')} (${trouble.code}). Retrying.`]
      : []),
    ...(aside > 0 ? [md`⚠️ ${count(aside, 'message')} could not be posted in ${where} (${codes.join(', ')}).`] : []),
  ];
}

function pausedLine({ sub, title }: Named, all: boolean, now: Date) {
  const parts: (Value | undefined)[] = [
    md`⏸️ ${title} is paused: ${sub.paused?.reason ?? ''}`,
    all ? channel(sub.place.channel) : undefined,
    md`since ${date(sub.paused?.at, now)}`,
    md`owned by ${mention(sub.owner)}`,
  ];
  return join(parts);
}

/** Left out for less than a second: it would be over before it is read. */
const nextIn = (ms: number) => (ms < 1_000 ? undefined : `next in ${elapsed(ms)}`);

/** One line per source, with its error below. */
export function sourceBlocks(line: SourceLine, { now }: Context): Blocks {
  const { state, dueAt, name } = line;
  const late = lateBy(line, now);
  const facts = join([
    md`${icon(line, now)} ${name}`,
    state.answeredAt === undefined ? 'not checked yet' : md`checked ${date(state.answeredAt, now)}`,
    state.tempoMs === undefined ? undefined : `every ${elapsed(state.tempoMs)}`,
    late > 1_000 ? `${elapsed(late)} late` : nextIn(dueAt - now.getTime()),
    state.newAt === undefined ? undefined : md`last event ${date(state.newAt, now)}`,
  ]);
  return [
    section(
      state.error === undefined ? facts : join([facts, md`The last check failed: ${state.error.slice(0, 200)}`], '\n'),
    ),
  ];
}

function icon(line: SourceLine, now: Date): string {
  if (line.state.error !== undefined) return '⚠️';
  if (line.state.answeredAt === undefined) return '⏳';
  return worry(line, now) > 0 ? '🐢' : '✅';
}
