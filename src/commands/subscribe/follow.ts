import type { Context } from '../../chat/context.js';
import { type Filter, needs } from '../../feed/filter.js';
import { sourceKey } from '../../feed/sources/source.js';
import { isHidden } from '../../forge/index.js';
import type { Repository } from '../../forge/schemas/repository.js';
import type { Place, Store, Subscription } from '../../store/index.js';
import type { Found } from './find.js';

/** Writes the subscription down and has its sources polled from this moment on. */
export async function follow(found: Found, filter: Filter, place: Place, context: Context): Promise<Subscription> {
  const { store, person, now } = context;
  const where = { place, target: found.target };
  const old = await store.subscriptions.get(where);
  const row = { ...where, owner: person.user, filter: plain(filter), checkedAt: now.getTime() };
  const put = await store.subscriptions.put(row, found.name);
  await resumeChannel(place, store);
  await watch(found, filter, context);
  // whoever brings a paused one back answers for it from now on
  if (!old?.paused || old.owner === person.user) return put;
  return (await store.subscriptions.change(where, { owner: person.user })) ?? put;
}

/** Plain JSON, as the store keeps it. */
export const plain = (value: object) => JSON.parse(JSON.stringify(value));

/** A channel that Slack refused before takes messages again; a mute has an end of its own. */
async function resumeChannel(place: Place, { outbox }: Store): Promise<void> {
  const { pause } = await outbox.view(place);
  if (pause && pause.until === undefined) await outbox.resume(place);
}

const mostAtOnce = 100;

/** The first poll only learns, so it should come at once; what is left out here the worker finds by itself. */
async function watch({ target, name, repositories }: Found, filter: Filter, context: Context): Promise<void> {
  const { store, forge, now } = context;
  if (target.kind === 'user') await store.sources.ensure(sourceKey(target), { owner: name });
  if (target.kind === 'owner')
    await store.sources.ensure(sourceKey({ kind: 'owner', id: target.id }), { owner: name, ownerId: target.id });
  const runs = needs(filter).runs && (await forge.capabilities.has('runs.list'));
  for (const repo of repositories.slice(0, mostAtOnce)) {
    await store.sources.ensure(sourceKey({ kind: 'repo', id: repo.id }), aboutOf(repo, now.getTime()));
    if (runs) await store.sources.ensure(sourceKey({ kind: 'runs', id: repo.id }), aboutOf(repo, now.getTime()));
  }
}

/** How a repository's sources are asked for; the worker keeps it up to date. */
export const aboutOf = (repo: Repository, now: number) => ({
  owner: repo.full_name.split('/')[0] ?? '',
  name: repo.name,
  hidden: isHidden(repo),
  ...(!isHidden(repo) && { wasOpen: true }),
  url: repo.html_url,
  defaultBranch: repo.default_branch,
  readAt: now,
  ...(repo.owner && { ownerId: repo.owner.id }),
});
