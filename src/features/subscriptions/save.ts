import { setTimeout as pause } from 'node:timers/promises';
import pMap from 'p-map';
import type { Context } from '../../chat/context.js';
import { within } from '../../deadline.js';
import { asCode, reasonOf, UserError } from '../../errors.js';
import { type Filter, needs } from '../../feed/filter.js';
import { type FeedMark, readMark, storedMark } from '../../feed/mark.js';
import { pollSource } from '../../feed/sources/poll.js';
import { type Source, SourceAbout, sourceKey } from '../../feed/sources/source.js';
import { isHidden } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { Repository } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import { type OpenedSource, type Place, plainJson, type Store, type Subscription } from '../../store/index.js';
import { readWish } from './fields.js';
import { type Found, find, placeOf, readTarget, type Showable, type Written } from './target.js';

interface Begun {
  readonly source: Source;
  readonly about: SourceAbout;
}

const leaseMs = 30_000;
const lookAgainMs = 50;
const mostLooks = 200;
const unknownRow = 'a row has a shape that is not known';

/** Everything the source shows now is old; a source already being read stays as it is, but learns new labels. */
async function begin(each: Begun, context: Context): Promise<void> {
  const { service, log, now, store } = context;
  const { marks, sources } = store;
  const key = sourceKey(each.source);
  const opened = await openedSoon(key, store);
  if (!opened) return;
  try {
    const mark = readMark(opened.mark);
    if (mark && knows(mark, each)) return;
    const polled = await ifAnswered(
      pollSource(service, {
        ...each,
        mark,
        now: now.getTime(),
        onUnreadable: (why) => log.warn({ source: key, why }, unknownRow),
      }),
    );
    if (!polled) return;
    const { events } = polled;
    const logged = events.map((event) => ({ id: event.id, body: event }));
    await marks.commit(key, opened.token, storedMark(polled.mark), logged);
    if (events.length > 0) await sources.wake(key);
  } finally {
    await marks.lease(key).release(opened.token);
  }
}

/** Waits while another worker reads or drops it; undefined if that takes too long. */
export async function openedSoon(key: string, { marks }: Store): Promise<OpenedSource | undefined> {
  for (let look = 0; look < mostLooks; look++) {
    const opened = await marks.open(key, leaseMs);
    if (opened) return opened;
    await pause(lookAgainMs);
  }
  return undefined;
}

const knows = ({ memory }: FeedMark, { about, source }: Begun): boolean =>
  source.kind !== 'items' ||
  ((about.labels ?? []).every((label) => memory?.labels?.includes(label)) && (!about.requests || !!memory?.requests));

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
    log.warn({ followed: found.name, reason: reasonOf(error) }, 'what was there before could not be read in time'),
  );
  for (const { source, about } of all) await store.sources.ensure(sourceKey(source), about);
}

async function sourcesOf({ target, name, repositories }: Found, filter: Filter, context: Context): Promise<Begun[]> {
  const { store, forge, now } = context;
  const wanted = needs(filter);
  const runs = wanted.runs && (await forge.capabilities.has('runs.list'));
  const wantsRequests = wanted.requests && (await forge.capabilities.has('issues.timeline'));
  const items = wanted.labels.length > 0 || wanted.drafts || wantsRequests;
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
    const known = SourceAbout.safeParse((await store.sources.get(sourceKey(source)))?.about).data;
    const labels = [...new Set([...(known?.labels ?? []), ...wanted.labels])].sort();
    const requests = (known?.requests || wantsRequests) && { requests: true };
    found.unshift({ source, about: { owner, ownerId, labels, ...requests } });
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

/** Stores the subscription and starts polling its sources from now on. */
export async function follow(found: Found, filter: Filter, place: Place, context: Context): Promise<Subscription> {
  const { store, person, now } = context;
  const where = { place, target: found.target };
  const old = await store.subscriptions.get(where);
  const row = { ...where, owner: person.user, filter: plainJson(filter), checkedAt: now.getTime() };
  const put = await store.subscriptions.put(row, found.name);
  await resumeChannel(place, store);
  await watch(found, filter, context);
  // resuming a paused one makes the person its owner
  if (!old?.paused || old.owner === person.user) return put;
  return (await store.subscriptions.change(where, { owner: person.user })) ?? put;
}

/** A channel Slack refused before accepts messages again; a mute ends separately. */
async function resumeChannel(place: Place, { outbox }: Store): Promise<void> {
  const pause = await outbox.paused(place);
  if (pause && pause.until === undefined) await outbox.resume(place);
}

interface Given {
  readonly repositories?: readonly string[] | undefined;
  readonly features?: readonly string[] | undefined;
  readonly filter?: string | undefined;
}

interface WantedSubscription {
  readonly targets: readonly Written[];
  readonly words: readonly string[];
  readonly seconds?: number;
}

/** A word for part of a feature overrides its tick: `pulls:merged` replaces `pulls`. */
const tickedFeatures = (features: readonly string[], words: readonly string[]) =>
  features.filter((feature) => !words.some((word) => word.toLowerCase().startsWith(`${feature}:`)));

/** Exceptions require a pattern. */
function exceptFits<R extends { readonly words: readonly string[] }>(targets: readonly Written[], rest: R): R {
  const except = rest.words.find((word) => /^-[^:/]+\//.test(word));
  if (except !== undefined && targets.every(({ kind }) => kind !== 'owner'))
    throw new UserError(`${asCode(except)} only works with a pattern, such as ${asCode('acme/* -acme/noisy')}.`, {
      field: 'filter',
    });
  return rest;
}

/** What was requested; nothing named means the channel's own repository. */
export async function wantedOf(
  { repositories = [], features = [], filter = '' }: Given,
  context: Context,
): Promise<WantedSubscription> {
  const { targets, words, ...more } = readWish(filter, context.forge.web);
  const rest = { ...more, words: [...tickedFeatures(features, words), ...words] };
  const written = [...new Set([...repositories, ...targets])].flatMap((text) => readTarget(text) ?? []);
  if (written.length > 0) return { targets: written, ...exceptFits(written, rest) };
  const preset = await context.store.channels.defaultRepository(placeOf(context));
  if (!preset)
    throw new UserError(
      'Which repository? Write owner/repo or owner/*, or set this channel’s default: /forge repo use owner/repo.',
    );
  return { targets: [{ kind: 'repo', owner: preset.owner, repo: preset.name }], ...rest };
}

interface Sought {
  readonly found: readonly Found[];
  /** What could not be found, as sentences. */
  readonly but: readonly string[];
}

/** Each separately: a missing one does not stop the others. */
export async function seek(
  targets: readonly Written[],
  context: Context,
  show: (found: Found) => Showable,
): Promise<Sought> {
  const found: Found[] = [];
  const but: string[] = [];
  for (const written of targets) {
    try {
      const each = show(await find(written, context));
      if ('refusal' in each) but.push(each.refusal);
      else found.push(each.found);
      if ('but' in each && each.but !== undefined) but.push(each.but);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      but.push(error.message);
    }
  }
  if (found.length === 0) throw new UserError(but.join('\n'));
  return { found, but };
}
