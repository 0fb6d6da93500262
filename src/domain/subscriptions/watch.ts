import pMap from 'p-map';
import type { Context } from '../../chat/context.js';
import { within } from '../../deadline.js';
import { type Filter, needs } from '../../feed/filter.js';
import { type Source, sourceKey } from '../../feed/sources/source.js';
import { isHidden } from '../../forge/index.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { splitFullName } from '../../full-name.js';
import { type Begun, begin } from './baseline.js';
import type { Found } from './find-target.js';

/** The worker finds the rest itself. */
const mostWatched = 100;
/** How many of a pattern's repositories are read before the answer; the others follow within seconds. */
const mostRead = 20;
const atOnce = 5;
const patienceMs = 8_000;

/** Starts polling a subscription's sources; their present content is read first, so everything after the answer is posted. */
export async function watch(found: Found, filter: Filter, context: Context): Promise<void> {
  const { store, log } = context;
  const all = await sourcesOf(found, filter, context);
  // store the new labels for the worker too, or it would forget them again
  for (const { source, about } of all.filter((each) => each.source.kind === 'items')) {
    const state = await store.sources.get(sourceKey(source));
    if (state) await store.sources.note(sourceKey(source), { ...state, about });
  }
  const reading = pMap(all.slice(0, mostRead), (each) => begin(each, context), { concurrency: atOnce });
  await within(patienceMs, reading, 'too slow').catch((error: unknown) =>
    log.warn({ followed: found.name, reason: String(error) }, 'what was there before could not be read in time'),
  );
  for (const { source, about } of all) await store.sources.ensure(sourceKey(source), about);
}

async function sourcesOf({ target, name, repositories }: Found, filter: Filter, context: Context): Promise<Begun[]> {
  const { store, forge, now } = context;
  const wanted = needs(filter);
  const runs = wanted.runs && (await forge.capabilities.has('runs.list'));
  const items = wanted.labels.length > 0 || wanted.drafts;
  const found: Begun[] = [];
  if (target.kind === 'user') found.push({ source: target, about: { owner: name } });
  if (target.kind === 'owner')
    found.push({ source: { kind: 'owner', id: target.id }, about: { owner: name, ownerId: target.id } });
  const owners = new Map<number, string>();
  for (const repo of repositories.slice(0, mostWatched)) {
    const about = aboutOf(repo, now.getTime());
    found.push({ source: { kind: 'repo', id: repo.id }, about });
    if (runs) found.push({ source: { kind: 'runs', id: repo.id }, about });
    if (about.ownerId !== undefined) owners.set(about.ownerId, about.owner);
  }
  // labels first: they are read for the whole owner
  for (const [ownerId, owner] of items ? owners : []) {
    const source: Source = { kind: 'items', id: ownerId };
    const known = (await store.sources.get(sourceKey(source)))?.about;
    const before = typeof known === 'object' && known !== null && 'labels' in known ? known['labels'] : [];
    const labels = [...new Set([...(Array.isArray(before) ? before.map(String) : []), ...wanted.labels])].sort();
    found.unshift({ source, about: { owner, ownerId, labels } });
  }
  return found;
}

/** How to poll a repository's sources; the worker keeps it up to date. */
export const aboutOf = (repo: Repository, now: number) => ({
  owner: splitFullName(repo.full_name).owner,
  name: repo.name,
  hidden: isHidden(repo),
  ...(!isHidden(repo) && { wasOpen: true }),
  url: repo.html_url,
  defaultBranch: repo.default_branch,
  readAt: now,
  ...(repo.owner && { ownerId: repo.owner.id }),
});
