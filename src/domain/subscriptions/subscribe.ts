import type { Context } from '../../chat/context.js';
import { request } from '../../chat/request.js';
import { leftOutBy } from '../../feed/covers.js';
import { unitOf, unitWords } from '../../feed/event.js';
import { defaultFeatures, type Filter } from '../../feed/filter.js';
import { featureOf, kinds } from '../../feed/kind.js';
import { some } from '../../view/look.js';
import { unitReader } from '../repositories/lookup.js';
import { announce, type Change, followedChange } from './announce.js';
import { readWish } from './fields.js';
import { filterOf, mergedFilter } from './filters.js';
import type { Found } from './find-target.js';
import { type Followed, followedReply } from './followed-reply.js';
import { previewPast } from './preview.js';
import { previewReply } from './preview-reply.js';
import { refuseRuns } from './refuse-runs.js';
import { seek, wantedOf } from './requested.js';
import { follow } from './save.js';
import { here, placeOf, showable, showableIfKnown } from './this-channel.js';
import { named, titleOf } from './titles.js';

interface SubscribeWish {
  readonly repositories?: readonly string[] | undefined;
  readonly features?: readonly string[] | undefined;
  readonly filter?: string | undefined;
  readonly preview?: boolean | undefined;
}

const week = 7 * 86_400;

export const planSubscribe = async (args: SubscribeWish, context: Context) =>
  (await wantedOf(args, context)).targets.flatMap((target) =>
    target.kind === 'repo' ? [request('repos.get', { owner: target.owner, repo: target.repo })] : [],
  );

export async function subscribeChannel(args: SubscribeWish, context: Context) {
  const { targets, words, seconds = week } = await wantedOf(args, context);
  const { store } = context;
  await refuseRuns(mergedFilter(undefined, words), context);
  const place = placeOf(context);
  const before = async (target: Parameters<typeof titleOf>[0]) => {
    const old = await store.subscriptions.get({ place, target });
    return old && filterOf(old.filter);
  };
  if (args.preview) {
    const { found, but } = await seek(targets, context, await showableIfKnown(context));
    const past = [];
    for (const each of found)
      past.push(await previewPast(each, mergedFilter(await before(each.target), words), seconds, context));
    const titles = found.map(({ target, name }) => titleOf(target, name));
    return { kind: 'previewed' as const, titles, past, but, seconds };
  }
  const where = await here(context);
  const { found, but } = await seek(targets, context, (each) => showable(each, where, context.exposure));
  const notes = [...but];
  const all: Followed[] = [];
  const changes: Change[] = [];
  for (const each of found) {
    const old = await before(each.target);
    const filter = mergedFilter(old, words);
    const repositories = each.repositories.filter(({ full_name }) => leftOutBy(filter, full_name) === undefined);
    const one = await named(await follow({ ...each, repositories }, filter, place, context), store);
    all.push({ ...one, filter, count: repositories.length });
    notes.push(...(await unseenParts(each, filter, context)));
    changes.push(...followedChange(one, filter, old, context.forge.web));
  }
  await announce(changes, context);
  return { kind: 'followed' as const, all, but: notes, own: await store.channels.defaultRepository(place) };
}

/** The parts of a hidden repository that this subscription asks for but its owner cannot see: they are not posted. */
async function unseenParts({ target, repositories: [repo] }: Found, filter: Filter, { api }: Context) {
  if (target.kind !== 'repo' || !repo) return [];
  const reads = unitReader(repo, api);
  const wanted = kinds.map((kind) => [featureOf(kind), unitOf(kind)] as const);
  const asked: readonly string[] = filter.features ? Object.keys(filter.features) : defaultFeatures;
  const unseen = new Set<string>();
  for (const unit of new Set(wanted.flatMap(([feature, unit]) => (unit && asked.includes(feature) ? [unit] : []))))
    if (!(await reads([unit]))) unseen.add(unitWords[unit]);
  if (unseen.size === 0) return [];
  return [`Not posted here, because you can’t see it in ${repo.full_name}: ${some([...unseen]).plain}.`];
}

export function subscribedMessage(
  result: Awaited<ReturnType<typeof subscribeChannel>>,
  { repositories, features, filter = '' }: SubscribeWish,
  context: Context,
) {
  if (result.kind === 'followed') return followedReply(result, context);
  // the preview's period is not part of the subscription
  const { targets: more, words } = readWish(filter, context.forge.web);
  const said = [...more, ...words].join(' ');
  const args = {
    ...(repositories && { repositories }),
    ...(features && { features }),
    ...(said !== '' && { filter: said }),
  };
  return previewReply(result, { text: 'Subscribe', command: 'subscribe', args }, context);
}
