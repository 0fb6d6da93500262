import { formButton, runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choices, flag, optional, toggle } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { leftOutBy } from '../../feed/covers.js';
import { featureOf, kinds, unitOf, unitWords } from '../../feed/event.js';
import { defaultFeatures, type Filter } from '../../feed/filter.js';
import { doneCard } from '../../view/cards/outcome.js';
import { some } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';
import { code, join, md, mention } from '../../view/text.js';
import { unitReader } from '../repos/lookup.js';
import { announce, featureNames, followedChanges, restFor } from './announce.js';
import {
  filterOf,
  filterWords,
  mergedFilter,
  readWish,
  refuseReviewers,
  refuseUnlisted,
  targets,
  wish,
} from './fields.js';
import { everydayFeatures, featureTexts, usualFeatures } from './form-words.js';
import { previewPast, previewReply } from './preview.js';
import { follow, seek, wantedOf } from './save.js';
import {
  type Found,
  here,
  linkTarget,
  mostOfOwner,
  type Named,
  nameTarget,
  placeOf,
  showable,
  showableIfKnown,
  titleOf,
} from './target.js';

/** The channel's default repository, if it has one. */
type Own = { readonly id: number; readonly owner: string; readonly name: string } | undefined;

interface Followed extends Named {
  readonly filter: Filter;
  /** How many repositories it currently includes. */
  readonly count: number;
}

interface Subscribed {
  readonly all: readonly Followed[];
  readonly own: Own;
}

const factsOf = ({ all, own }: Subscribed, { person }: Context) => {
  const owned = all.find(({ sub }) => sub.owner !== person.user);
  const single = all.length === 1 ? all[0] : undefined;
  return [
    ...all.filter(({ sub }) => sub.target.kind === 'owner').map((each) => md`${each.title}: ${reach(each.count)}`),
    owned ? md`owned by ${mention(owned.sub.owner)}` : undefined,
    own && single?.sub.target.id === own.id ? md`${code('#12')} here means ${own.owner}/${own.name}#12` : undefined,
  ];
};

function buttonsOf({ all }: Subscribed) {
  const [first] = all;
  if (!first || all.length > 1) return [runButton({ text: 'Show all', command: 'subscribe list' })];
  const repositories = [first.title];
  return [
    formButton({ text: 'Edit', command: 'subscribe edit', args: { subscription: first.title } }),
    runButton({ text: 'Preview', command: 'subscribe', args: { repositories, preview: true } }),
    runButton({ text: 'Unsubscribe', command: 'unsubscribe', args: { repositories } }),
  ];
}

/** This channel's subscriptions. */
function followedReply(
  { all, but, own, announced }: Subscribed & { readonly but: readonly string[]; readonly announced: boolean },
  context: Context,
): Message {
  if (announced && but.length > 0) return restFor(but);
  const titles = join(
    all.map((each) => linkTarget(each, context.forge.web)),
    ', ',
  );
  const [only] = all;
  const same = new Set(all.map(({ filter }) => filterWords(filter))).size === 1;
  const words = only && same ? md`: ${featureNames(only.filter)}` : md``;
  return message({
    blocks: doneCard({
      says: md`Subscribed this channel to ${titles}${words}`,
      but,
      details: same ? [] : all.map((each) => [each.title, featureNames(each.filter)] as const),
      facts: factsOf({ all, own }, context),
      buttons: buttonsOf({ all, own }),
    }),
  });
}

function reach(now: number): string {
  if (now === 0) return 'no repositories match yet; new ones are added automatically';
  if (now >= mostOfOwner) return `${now} repositories, the most that one subscription covers`;
  return `${now === 1 ? '1 repository' : `${now} repositories`}; new ones are added automatically`;
}

interface SubscribeWish {
  readonly repositories?: readonly string[] | undefined;
  readonly features?: readonly string[] | undefined;
  readonly filter?: string | undefined;
  readonly preview?: boolean | undefined;
}

const week = 7 * 86_400;

const planSubscribe = async (args: SubscribeWish, context: Context) =>
  (await wantedOf(args, context)).targets.flatMap((target) =>
    target.kind === 'repo' ? [request('repos.get', { owner: target.owner, repo: target.repo })] : [],
  );

async function subscribeChannel(args: SubscribeWish, context: Context) {
  const { targets, words, seconds = week } = await wantedOf(args, context);
  const typed = mergedFilter(undefined, words);
  await refuseReviewers(typed, context);
  const { store } = context;
  await refuseUnlisted(typed, context);
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
  const { found, but } = await seek(targets, context, (each) => showable(each, where, context.policy.exposure));
  const notes = [...but];
  const all: Followed[] = [];
  const wished = [];
  for (const each of found) {
    const old = await before(each.target);
    const filter = mergedFilter(old, words);
    const repositories = each.repositories.filter(({ full_name }) => leftOutBy(filter, full_name) === undefined);
    const one = await nameTarget(await follow({ ...each, repositories }, filter, place, context), store);
    all.push({ ...one, filter, count: repositories.length });
    notes.push(...(await unseenParts(each, filter, context)));
    wished.push({ one, filter, before: old });
  }
  const done = { all, own: await store.channels.defaultRepository(place) };
  const changes = followedChanges(wished, context.forge.web);
  const announced = await announce(changes, context, { facts: factsOf(done, context), buttons: buttonsOf(done) });
  return { kind: 'followed' as const, ...done, but: notes, announced };
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

function subscribedMessage(
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

export const subscribe = command({
  name: 'subscribe',
  title: 'Subscribe this channel',
  summary: 'Subscribe this channel to a repository',
  examples: [
    'subscribe acme/engine',
    'subscribe acme/engine +label:bug base:main',
    'subscribe acme/engine acme/website issues pulls:opened,merged +label:bug -author:*-bot',
    'subscribe acme/* releases runs:failure -acme/noisy',
    'subscribe acme/* reviews:requested reviewer:acme/core',
    'subscribe acme/engine reviews --preview 14d',
  ],
  fields: {
    repositories: optional(
      targets({ hint: 'For all repositories of an owner, search for owner/ and choose owner/*.' }),
    ),
    filter: optional(
      wish({
        label: 'Filters',
        hint: 'Such as +label:bug, -author:*-bot, base:main, or -acme/noisy to leave one out of acme/*.',
      }),
    ),
    features: flag({
      ...choices(everydayFeatures, { label: 'What to post', labels: featureTexts }),
      begins: usualFeatures,
    }),
    preview: toggle({
      label: 'Preview',
      text: 'Only show what it would have posted in the last 7 days',
    }),
  },
  form: { submit: 'Subscribe channel', opens: 'always', previews: 'preview' },
  role: 'everyone',
  risk: 'write',
  riskOf: ({ preview }) => (preview ? 'read' : 'write'),
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [
    'repos.get',
    'repos.search',
    'users.get',
    'users.me',
    'activity.repoFeed',
    'activity.userFeed',
    'runs.list',
    'issues.get',
    'pulls.get',
    'issues.list',
    'pulls.list',
    'repos.listBranches',
    'repos.listReleases',
    'orgs.listTeams',
    'orgs.listTeamMembers',
    'issues.timeline',
  ],
  plan: planSubscribe,
  run: subscribeChannel,
  saidInChannel: (result) => result.kind === 'followed' && result.announced && result.but.length === 0,
  reply: subscribedMessage,
});
