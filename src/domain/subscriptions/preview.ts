import type { Context } from '../../chat/context.js';
import type { Known } from '../../feed/decide.js';
import type { Event } from '../../feed/event.js';
import { type Filter, needs } from '../../feed/filter.js';
import { preview } from '../../feed/route.js';
import { replay } from '../../feed/sources/feed.js';
import { fewAtATime } from '../../few-at-a-time.js';
import { type Api, ApiError } from '../../forge/index.js';
import type { Activity } from '../../forge/schemas/activity.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { splitFullName } from '../../full-name.js';
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

/** Replays past events through the filter with the person's own permissions; stores nothing. */
export async function previewPast(
  repositories: readonly Repository[],
  filter: Filter,
  seconds: number,
  { api, now, login }: Context,
): Promise<Previewed> {
  const since = now.getTime() - seconds * 1_000;
  const read = repositories.slice(0, mostRepositories);
  const but: string[] = [];
  if (read.length < repositories.length)
    but.push(`Only the first ${read.length} of ${repositories.length} repositories were checked.`);
  const parts = await fewAtATime(read, atOnce, (repo) => pastOf(repo, filter, since, api, login));
  if (parts.some(({ capped }) => capped))
    but.push(`Only the newest ${mostRows} entries of each repository were checked.`);
  if (parts.some(({ unsure }) => unsure)) but.push('Labels of some older items could not be read.');
  const all = parts.flatMap(({ past }) => past);
  const kept = all.flatMap(({ kept }) => kept).sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const sum = (of: (part: (typeof all)[number]) => number) => all.reduce((total, part) => total + of(part), 0);
  return { seconds, events: sum((part) => part.kept.length + part.dropped), kept, bots: sum(({ bots }) => bots), but };
}

async function pastOf(repo: Repository, filter: Filter, since: number, api: Api, subscriber: string) {
  const { rows, capped } = await rowsSince(repo, since, api);
  const feed = replay('preview', rows);
  const states = await itemStates(repo, feed, filter, api);
  const known = (event: Event): Known => ({
    item: event.item.thread === undefined ? undefined : states.get(event.item.thread),
    defaultBranch: repo.default_branch,
    subscriber,
  });
  const runs = needs(filter).runs ? await runEvents(repo, since, api) : [];
  const past = [preview(feed, filter, known), preview(runs, filter, known)];
  return { past, capped, unsure: states.unsure };
}

async function rowsSince(repo: Repository, since: number, api: Api): Promise<{ rows: Activity[]; capped: boolean }> {
  const { owner, repo: name } = splitFullName(repo.full_name);
  // offsets shift while pages are read, so a row may appear twice
  const rows = new Map<number, Activity>();
  try {
    for await (const row of api.activity.repoFeed.each({ owner, repo: name }, { max: mostRows })) {
      if (row.created.getTime() < since) return { rows: [...rows.values()], capped: false };
      rows.set(row.id, row);
    }
  } catch (error) {
    // an empty or disabled part of a repository has no history
    if (!(error instanceof ApiError) || error.kind !== 'empty') throw error;
  }
  return { rows: [...rows.values()], capped: rows.size >= mostRows };
}
