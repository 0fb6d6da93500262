import { z } from 'zod';
import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { hidden, offset, rows, toggle } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import { covers } from '../../feed/covers.js';
import { readSource, type Source, sourceKey } from '../../feed/sources/source.js';
import {
  isUserId,
  type OutboxPlace,
  type OutboxView,
  outboxName,
  type Place,
  placeName,
  type SourceLags,
  type SourceState,
  type Subscription,
} from '../../store/index.js';
import { actions, type Blocks, fields, list, type Pair, section } from '../../view/blocks.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { drawPage } from '../../view/paging.js';
import { channel, join, type Mrkdwn, md, mention, type Value } from '../../view/text.js';
import { date, describeElapsed } from '../../view/when.js';
import { type Named, nameTarget } from '../subscriptions/target.js';

interface Waiting {
  readonly place: OutboxPlace;
  readonly view: OutboxView;
  /** Slack's error codes for messages it refused in every form. */
  readonly codes: readonly string[];
}

const mostPlaces = 500;

/** What is queued and what is muted, here or everywhere. */
async function waiting(
  all: boolean,
  here: Place | undefined,
  subs: readonly Subscription[],
  { store }: Context,
): Promise<Waiting[]> {
  const pending = [...(await store.outbox.pending()), ...(await store.outbox.withAside())];
  const own = here ? [here, ...subs.map(({ target }) => ({ ...here, lane: target.id }))] : [];
  const places = new Map<string, OutboxPlace>();
  for (const place of [...own, ...pending])
    if (all || (here && placeName(place) === placeName(here))) places.set(outboxName(place), place);
  return Promise.all(
    [...places.values()].slice(0, mostPlaces).map(async (place) => {
      const view = await store.outbox.view(place);
      const codes = view.aside > 0 ? (await store.outbox.asideIn(place)).map(({ code }) => code) : [];
      return { place, view, codes: [...new Set(codes)] };
    }),
  );
}

interface SourceLine {
  readonly source: Source;
  readonly key: string;
  readonly name: string;
  readonly dueAt: number;
  readonly state: SourceState;
}

const SourceNote = z.object({
  owner: z.string(),
  name: z.string().optional(),
  ownerId: z.number().optional(),
  hidden: z.boolean().optional(),
});
type SourceNote = z.infer<typeof SourceNote>;

const nouns: Readonly<Record<Source['kind'], string>> = {
  repo: 'activity',
  runs: 'workflow runs',
  user: 'activity',
  owner: 'new repositories',
  items: 'labels and drafts',
  inbox: 'your notifications',
};

/** Every polled source, or those behind this channel and this person. */
async function sourceLines(all: boolean, subs: readonly Subscription[], context: Context): Promise<SourceLine[]> {
  const named = new Set(subs.flatMap(({ target }) => (target.kind === 'repo' ? [target.id] : [])));
  // the person may not see everything the bot's account sees under a pattern
  const secret = (source: Source, about: SourceNote | undefined) =>
    (source.kind === 'repo' || source.kind === 'runs') && about?.hidden !== false && !named.has(source.id);
  const wanted = wantedBy(subs, context);
  const lines = (await context.store.sources.list()).flatMap(({ source: key, dueAt, state }) => {
    const source = readSource(key);
    const about = SourceNote.safeParse(state.about).data;
    if (!source || !(all || (wanted(source, about) && !secret(source, about)))) return [];
    const name = secret(source, about)
      ? `a private repository (${nouns[source.kind]})`
      : nameOf(source, about, context);
    return [{ source, key, name, dueAt, state: secret(source, about) ? quiet(state) : state }];
  });
  // what needs attention comes first
  return lines.sort((a, b) => worry(b, context.now) - worry(a, context.now) || a.name.localeCompare(b.name));
}

/** The text of an error may name what was requested. */
const quiet = ({ error, ...state }: SourceState): SourceState =>
  error === undefined ? state : { ...state, error: 'see the log' };

function wantedBy(subs: readonly Subscription[], { person }: Context) {
  const own = sourceKey({ kind: 'inbox', ...person });
  return (source: Source, about: SourceNote | undefined): boolean => {
    if (source.kind === 'inbox') return sourceKey(source) === own;
    return subs.some((sub) => {
      const { target } = sub;
      if (target.kind === 'user') return source.kind === 'user' && source.id === target.id;
      if (target.kind === 'repo') return (source.kind === 'repo' || source.kind === 'runs') && source.id === target.id;
      if (source.kind === 'owner' || source.kind === 'items') return source.id === target.id;
      return about?.ownerId === target.id && about.name !== undefined && covers(sub, `${about.owner}/${about.name}`);
    });
  };
}

function nameOf(source: Source, about: SourceNote | undefined, { person }: Context): string {
  if (source.kind === 'inbox') return source.user === person.user ? nouns.inbox : 'a person’s notifications';
  const of = about?.name === undefined ? (about?.owner ?? sourceKey(source)) : `${about.owner}/${about.name}`;
  return `${of} (${nouns[source.kind]})`;
}

const patienceMs = 60_000;

/** How far it is behind schedule. */
const lateBy = ({ dueAt }: Pick<SourceLine, 'dueAt'>, now: Date): number => Math.max(0, now.getTime() - dueAt);

function worry(line: SourceLine, now: Date): 0 | 1 | 2 {
  if (line.state.error !== undefined) return 2;
  return lateBy(line, now) > patienceMs ? 1 : 0;
}

interface Report {
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

/** The details are for those who ask: most people only want to know that it works. */
function reportBlocks(report: Report, details: boolean, { now }: Context): Blocks {
  const worried = report.sources.filter((line) => worry(line, now) > 0).length;
  const waiting = report.outboxes.reduce((sum, { view }) => sum + view.size, 0);
  const held = report.outboxes.filter(({ view }) => view.pause);
  const stopped = held.filter((each) => !isWanted(each));
  const sick = report.outboxes.filter(({ view }) => view.trouble || view.aside > 0);
  const well = worried === 0 && report.paused.length === 0 && stopped.length === 0 && sick.length === 0;
  const none = !report.all && report.subscriptions === 0;
  const working = none ? 'This channel has no subscriptions.' : 'Updates are working.';
  const answered = Math.max(0, ...report.sources.map(({ state }) => state.answeredAt ?? 0));
  const checked = none || answered === 0 ? md`` : md` Last checked ${date(answered, now)}.`;
  const pairs: Pair[] = [
    ['Checked feeds', `${report.sources.length}${worried > 0 ? `, ${worried} failing or late` : ''}`],
    ...(report.lags ? delays(report.lags) : [delay('Delay', report.lagMs)]),
    ['Waiting', `${count(report.backlog, 'event')}, ${count(waiting, 'message')}`],
  ];
  return [
    section(md`${well ? '✅' : '⚠️'} ${well ? working : 'Some updates need attention.'}${checked}`),
    ...(details ? fields(pairs) : []),
    ...list([
      ...held.map((each) => heldLine(each, now)),
      ...sick.flatMap(sickLines),
      ...report.outboxes.flatMap(({ place, view }) =>
        view.notBefore === undefined || view.trouble
          ? []
          : [md`⏳ Slack is rate limiting messages in ${placeLink(place)}.`],
      ),
      ...report.paused.map((each) => pausedLine(each, report.all, now)),
      ...(report.morePaused > 0 ? [md`_${report.morePaused} more paused._`] : []),
    ]),
  ];
}

const delay = (label: string, ms: number): Pair => [label, ms < 1_000 ? 'none' : describeElapsed(ms)];

const delays = ({ woken, due, inboxes }: SourceLags): Pair[] => [
  delay('Delay after webhooks', woken),
  delay('Delay of repositories', due),
  delay('Delay of inboxes', inboxes),
];

const placeLink = ({ channel: id }: Place): Mrkdwn => (isUserId(id) ? mention(id) : channel(id));

function heldLine({ place, view }: Waiting, now: Date) {
  const where = typeof place.lane === 'number' ? md`One repository in ${placeLink(place)}` : placeLink(place);
  const until = view.pause?.until === undefined ? md`` : md` until ${date(view.pause.until, now)}`;
  const size = count(view.size, 'message');
  if (isWanted({ view })) return md`🔕 ${where}: ${view.pause?.reason ?? ''}${until} (${size} waiting)`;
  return md`⏸️ ${where} is paused${until}: ${view.pause?.reason ?? ''} (${size} waiting)`;
}

/** A mute or quiet hours: requested by someone, so nothing is wrong. */
const isWanted = ({ view }: Pick<Waiting, 'view'>): boolean => /^(muted|quiet hours)/.test(view.pause?.reason ?? '');

function sickLines({ place, view: { trouble, aside }, codes }: Waiting) {
  const where = placeLink(place);
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
const nextIn = (ms: number) => (ms < 1_000 ? undefined : `next in ${describeElapsed(ms)}`);

/** One line per source, with its error below. */
function sourceBlocks(line: SourceLine, { now }: Context): Blocks {
  const { state, dueAt, name } = line;
  const late = lateBy(line, now);
  const facts = join([
    md`${icon(line, now)} ${name}`,
    state.answeredAt === undefined ? 'not checked yet' : md`checked ${date(state.answeredAt, now)}`,
    state.tempoMs === undefined ? undefined : `every ${describeElapsed(state.tempoMs)}`,
    late > 1_000 ? `${describeElapsed(late)} late` : nextIn(dueAt - now.getTime()),
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

interface StatusWanted {
  readonly all?: boolean | undefined;
  readonly details?: boolean | undefined;
  readonly from?: number | undefined;
}

const mostPaused = 10;

async function pausedOnes(all: boolean, here: readonly Subscription[], { store }: Context): Promise<Named[]> {
  const found: Subscription[] = all ? [] : here.filter(({ paused }) => paused);
  if (all) {
    for await (const { subscription } of store.subscriptions.each()) if (subscription.paused) found.push(subscription);
  }
  return Promise.all(found.map((sub) => nameTarget(sub, store)));
}

async function readStatus({ all = false }: StatusWanted, context: Context): Promise<Report> {
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

function statusMessage(report: Report, { from = 0, details = false }: StatusWanted, context: Context) {
  const turn = (text: string, more: object) =>
    turnButton({ text, command: 'status', args: { ...(report.all && { all: true }), ...more } });
  const shown = details ? report.sources : report.sources.filter((line) => worry(line, context.now) > 0);
  return message({
    blocks: [
      ...(from === 0 ? reportBlocks(report, details, context) : []),
      ...drawPage(
        shown,
        from,
        rows,
        (line) => sourceBlocks(line, context),
        (at) => turn('Show more', { details, from: at }),
      ),
      details || report.sources.length === 0 ? undefined : actions(turn('Show details', { details: true })),
    ],
  });
}

export const status = command({
  name: 'status',
  title: 'Show status',
  summary: 'Show whether this channel’s updates are working',
  examples: ['status', 'status --all'],
  fields: {
    all: toggle({ label: 'All', text: 'All channels (maintainers only)' }),
    details: hidden(toggle({ label: 'Details', text: 'Show every feed' })),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [],
  account: 'none',
  plan: () => [],
  run: readStatus,
  reply: statusMessage,
});
