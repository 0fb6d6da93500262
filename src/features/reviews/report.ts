import pMap from 'p-map';
import { formButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { duration, flag, optional, text } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { showDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import { ApiError, gather } from '../../forge/index.js';
import { ifAnswered, unlessAbsent } from '../../forge/possible.js';
import { openRequests, readReviews } from '../../forge/review-requests.js';
import type { Issue, TimelineEntry } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import { actions, type Blocks, list, context as quietly, section } from '../../view/blocks.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { bold, join, link, type Mrkdwn, md } from '../../view/text.js';
import { describeElapsed } from '../../view/when.js';
import { type WorkingHours, workingTime } from '../../working-hours.js';
import { isOf } from '../find.js';
import { refIn } from '../issues/card.js';

const mostListed = 300;
/** One request each; for the open ones, the oldest first, two. */
const mostRead = 60;
const mostOpen = 40;
const mostEvents = 200;
const atOnce = 5;

const dayMs = 86_400_000;
const usualSeconds = (7 * dayMs) / 1_000;

interface Took {
  readonly item: Issue;
  readonly ms: number;
}

export interface Report {
  /** `acme/engine`, or an owner. */
  readonly of: string;
  readonly seconds: number;
  readonly reviewed: readonly Took[];
  /** Opened in that time and not reviewed yet. */
  readonly unreviewed: number;
  readonly merged: readonly Took[];
  readonly open: readonly Issue[];
  readonly carries: ReadonlyMap<string, number>;
  /** More than Bellows reads. */
  readonly isPartial: boolean;
}

/** From the first request, or else from its opening, to the first review by someone else. */
function firstReview({ user, created_at }: Issue, events: readonly TimelineEntry[], hours: WorkingHours) {
  const review = events.find((each) => each.type === 'review' && !isOf(each.user, user?.login ?? ''));
  const asked = events.find(({ type, removed_assignee }) => type === 'review_request' && !removed_assignee);
  const at = review?.created_at?.getTime();
  const since = (asked?.created_at ?? created_at)?.getTime();
  if (at === undefined || since === undefined) return undefined;
  return workingTime(hours, Math.min(since, at), at);
}

const timeOf = ({ created_at }: Issue) => created_at?.getTime() ?? 0;

/** As this account sees it. */
export async function readReport(
  of: string,
  seconds: number,
  { api, policy: { workingHours }, now }: Pick<Context, 'api' | 'policy' | 'now'>,
): Promise<Report> {
  const { owner, repo } = splitFullName(of.includes('/') ? of : `${of}/*`);
  const from = now.getTime() - seconds * 1_000;
  const isMeant = ({ repository }: Issue) => repo === '*' || isOf({ login: repository?.name ?? '' }, repo);
  const read = async (query: { readonly state: 'open' | 'closed'; readonly since?: string }) => {
    const each = api.issues.search.each({ query: { ...query, type: 'pulls', owner } }, { max: mostListed });
    const all = await gather(each);
    return { items: all.filter(isMeant), isWhole: all.length < mostListed };
  };
  const [open, closed] = await Promise.all([
    read({ state: 'open' }),
    read({ state: 'closed', since: new Date(from).toISOString() }),
  ]);
  const opened = [...open.items, ...closed.items].filter((item) => timeOf(item) >= from);
  const first = await pMap(
    opened.slice(0, mostRead),
    async (item) => {
      const ref = refIn(item);
      const events = ref && (await ifAnswered(gather(api.issues.timeline.each(ref, { max: mostEvents }))));
      return { item, ms: events && firstReview(item, events, workingHours) };
    },
    { concurrency: atOnce },
  );
  const oldest = open.items.toSorted((a, b) => timeOf(a) - timeOf(b) || a.id - b.id);
  const carries = new Map<string, number>();
  await pMap(
    oldest.slice(0, mostOpen),
    async (item) => {
      const ref = refIn(item);
      const reviews = ref && (await ifAnswered(readReviews(api, ref)));
      const { requested_reviewers: people, requested_reviewers_teams: teams } = openRequests(reviews ?? []);
      for (const name of [...people.map(({ login }) => login), ...teams.map((team) => `team ${team.name}`)])
        carries.set(name, (carries.get(name) ?? 0) + 1);
    },
    { concurrency: atOnce },
  );
  const merged = closed.items.flatMap((item) => {
    const at = item.pull_request?.merged_at?.getTime() ?? 0;
    return at >= from ? [{ item, ms: workingTime(workingHours, timeOf(item), at) }] : [];
  });
  return {
    of,
    seconds,
    reviewed: first.flatMap(({ item, ms }) => (ms === undefined ? [] : [{ item, ms }])),
    unreviewed: first.filter(({ item, ms }) => ms === undefined && item.state === 'open').length,
    merged,
    open: oldest,
    carries,
    isPartial: !open.isWhole || !closed.isWhole || opened.length > mostRead || oldest.length > mostOpen,
  };
}

const nameOf = ({ html_url, number, repository }: Issue) => link(html_url, `${repository?.full_name ?? ''}#${number}`);

/** `median 2 h, slowest 9 h (acme/engine#12)` */
function timesOf(all: readonly Took[]): Mrkdwn {
  const sorted = all.toSorted((a, b) => a.ms - b.ms);
  const [slowest] = sorted.slice(-1);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  if (!slowest || !low || !high) return md`none`;
  const median = describeElapsed((low.ms + high.ms) / 2);
  return md`median ${median}, slowest ${describeElapsed(slowest.ms)} (${nameOf(slowest.item)})`;
}

/** `3 today, 2 up to three days, 1 older; the oldest is acme/engine#3` */
function agesOf(open: readonly Issue[], now: Date): Mrkdwn {
  const older = (days: number) => open.filter((item) => now.getTime() - timeOf(item) > days * dayMs).length;
  const [day, three] = [older(1), older(3)];
  const parts = [
    open.length > day && `${open.length - day} under a day`,
    day > three && `${day - three} up to three days`,
    three > 0 && `${three} older`,
  ].filter((part) => part !== false);
  const [oldest] = open;
  return oldest ? md`${parts.join(', ')}; the oldest is ${nameOf(oldest)}` : md`none`;
}

/** For one person only: it says who has how many. */
export function reportBlocks(
  { of, seconds, reviewed, unreviewed, merged, open, carries, isPartial }: Report,
  now: Date,
): Blocks {
  const people = [...carries].toSorted(([a, most], [b, other]) => other - most || a.localeCompare(b));
  return [
    section(md`${bold(`Reviews in ${of}`)}, last ${showDuration(seconds)}`),
    ...list([
      md`First review: ${timesOf(reviewed)} · ${reviewed.length} reviewed, ${unreviewed} not yet`,
      md`Merge: ${timesOf(merged)} · ${merged.length} merged`,
      md`Open: ${count(open.length, 'pull request')}${open.length > 0 ? md` · ${agesOf(open, now)}` : md``}`,
      md`Requested reviews: ${
        people.length > 0
          ? join(
              people.map(([name, number]) => `${name} ${number}`),
              ', ',
            )
          : 'none'
      }`,
    ]),
    quietly(
      [
        'times are working hours',
        isPartial && `more than Bellows reads: the times of ${mostRead} and the reviewers of ${mostOpen} pull requests`,
      ].filter((each) => each !== false),
    ),
  ];
}

interface ReportQuery {
  readonly of?: string | undefined;
  readonly since?: number | undefined;
}

/** What was named, or the channel's own repository. */
export async function reportTarget({ of }: ReportQuery, { store, person, channel }: Context): Promise<string> {
  const named = of?.replace(/\/\*?$/, '').trim();
  if (named !== undefined && /^[^\s/]+(?:\/[^\s/]+)?$/.test(named)) return named;
  if (named !== undefined) throw new UserError('Write owner/repo or an owner.', { field: 'of' });
  const own =
    channel === undefined ? undefined : await store.channels.defaultRepository({ team: person.team, channel });
  if (own) return `${own.owner}/${own.name}`;
  throw new UserError('Which repository? Write owner/repo or an owner.', { field: 'of' });
}

async function makeReport(wanted: ReportQuery, context: Context): Promise<Report> {
  const of = await reportTarget(wanted, context);
  const unknown = () => new UserError(`I can’t find ${of}. It does not exist, or you can’t see it.`, { field: 'of' });
  // in a search, a repository without pull requests and one that does not exist look alike
  if (of.includes('/') && !(await unlessAbsent(context.api.repos.get(splitFullName(of))))) throw unknown();
  try {
    return await readReport(of, wanted.since ?? usualSeconds, context);
  } catch (error) {
    throw error instanceof ApiError && error.kind === 'invalid' ? unknown() : error;
  }
}

export const reviewsReport = command({
  name: 'reviews report',
  title: 'Review report',
  summary: 'Show how long reviews and merges take, and what is open',
  examples: ['reviews report', 'reviews report acme/engine', 'reviews report acme --since 30d'],
  fields: {
    of: optional(text({ label: 'Repository or owner', placeholder: 'owner/repo|owner', max: 200 })),
    since: flag(duration({ label: 'How far back', placeholder: '7d', min: 3_600, max: 90 * 86_400 })),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['issues.search', 'issues.timeline', 'pulls.listReviews', 'repos.get'],
  needs: ['issues.search'],
  plan: ({ of = '' }) => [request('issues.search', { query: { type: 'pulls', owner: of.split('/')[0] ?? '' } })],
  run: makeReport,
  reply: (report, _args, { now }) =>
    message({
      blocks: [
        ...reportBlocks(report, now),
        actions(formButton({ text: 'Send me this every week', command: 'remind report', args: { of: report.of } })),
      ],
    }),
});
