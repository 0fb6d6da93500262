import pMap from 'p-map';
import type { Context } from '../../chat/context.js';
import type { Known } from '../../feed/decide.js';
import { type Event, unitsOf } from '../../feed/event.js';
import { type Filter, needs } from '../../feed/filter.js';
import { preview } from '../../feed/route.js';
import { replay } from '../../feed/sources/feed.js';
import { type Api, ApiError } from '../../forge/index.js';
import { unlessUnseen } from '../../forge/possible.js';
import type { Activity } from '../../forge/schemas/activity.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { splitFullName } from '../../full-name.js';
import { unitReader } from '../repositories/lookup.js';
import type { Found } from './find-target.js';
import { runEvents } from './past-runs.js';
import { itemStates } from './past-states.js';

export interface Previewed {
  readonly seconds: number;
  readonly events: number;
  /** What would have been posted, newest first. */
  readonly kept: readonly Event[];
  readonly bots: number;
  /** What this preview does not know, as sentences. */
  readonly but: readonly string[];
}

const mostRepositories = 20;
const atOnce = 5;
const mostRows = 1_000;

/** What happened in one repository. */
interface Part {
  readonly repo: Pick<Repository, 'full_name'> & Partial<Pick<Repository, 'default_branch'>>;
  readonly rows: readonly Activity[];
  readonly capped: boolean;
  readonly runs: readonly Event[];
  /** Whether the person may read these units; a row of the feed does not tell. */
  readonly reads?: ReturnType<typeof unitReader>;
}

/** Replays past events through the filter with the person's own permissions; stores nothing. */
export async function previewPast(
  { target, name, repositories }: Found,
  filter: Filter,
  seconds: number,
  { api, now, login }: Context,
): Promise<Previewed> {
  const since = now.getTime() - seconds * 1_000;
  const sources =
    target.kind === 'user'
      ? await sourcesBy(name, since, api)
      : repositories.map((repo) => () => partOf(repo, filter, since, api));
  const read = sources.slice(0, mostRepositories);
  const but: string[] = [];
  if (read.length < sources.length)
    but.push(`Only the first ${read.length} of ${sources.length} repositories were checked.`);
  const parts = await pMap(read, async (source) => judged(await source(), filter, api, login), { concurrency: atOnce });
  if (parts.some(({ capped }) => capped))
    but.push(`Only the newest ${mostRows} entries${target.kind === 'user' ? '' : ' of each repository'} were checked.`);
  if (parts.some(({ unsure }) => unsure)) but.push('Labels of some older items could not be read.');
  const all = parts.flatMap(({ past }) => past);
  const kept = all.flatMap(({ kept }) => kept).sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const sum = (of: (part: (typeof all)[number]) => number) => all.reduce((total, part) => total + of(part), 0);
  return { seconds, events: sum((part) => part.kept.length + part.dropped), kept, bots: sum(({ bots }) => bots), but };
}

async function judged({ repo, rows, capped, runs, reads }: Part, filter: Filter, api: Api, subscriber: string) {
  const feed: Event[] = [];
  for (const event of replay('preview', rows)) if (!reads || (await reads(unitsOf(event)))) feed.push(event);
  const states = await itemStates(repo, feed, filter, api);
  const known = (event: Event): Known => ({
    item: event.item.thread === undefined ? undefined : states.get(event.item.thread),
    defaultBranch: repo.default_branch,
    subscriber,
  });
  const past = [preview(feed, filter, known), preview(runs, filter, known)];
  return { past, capped, unsure: states.unsure };
}

async function partOf(repo: Repository, filter: Filter, since: number, api: Api): Promise<Part> {
  const feed = await rowsSince(api.activity.repoFeed.each(splitFullName(repo.full_name), { max: mostRows }), since);
  const reads = unitReader(repo, api);
  return { repo, ...feed, runs: needs(filter).runs ? await runEvents(repo, since, api) : [], reads };
}

/** A person's feed is read once, and each row says where it happened; runs are in no such feed. */
async function sourcesBy(username: string, since: number, api: Api) {
  const query = { 'only-performed-by': true };
  const feed = await rowsSince(api.activity.userFeed.each({ username, query }, { max: mostRows }), since);
  const byName = new Map<string, Activity[]>();
  // the channel's feed has no private rows, even if this person sees some
  for (const row of feed.rows.filter(({ is_private }) => !is_private)) {
    const name = row.repo?.full_name;
    if (name !== undefined) byName.set(name, [...(byName.get(name) ?? []), row]);
  }
  return [...byName].map(([name, rows]) => async (): Promise<Part> => {
    const found = await unlessUnseen(api.repos.get(splitFullName(name)));
    return { repo: found ?? { full_name: name }, rows, capped: feed.capped, runs: [] };
  });
}

async function rowsSince(
  feed: AsyncIterable<Activity>,
  since: number,
): Promise<{ readonly rows: readonly Activity[]; readonly capped: boolean }> {
  // offsets shift while pages are read, so a row may appear twice
  const rows = new Map<number, Activity>();
  try {
    for await (const row of feed) {
      if (row.created.getTime() < since) return { rows: [...rows.values()], capped: false };
      rows.set(row.id, row);
    }
  } catch (error) {
    // an empty or disabled part of a repository has no history
    if (!(error instanceof ApiError) || error.kind !== 'empty') throw error;
  }
  return { rows: [...rows.values()], capped: rows.size >= mostRows };
}
