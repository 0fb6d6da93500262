import { command } from '../chat/command.js';
import { choices, flag, optional, toggle } from '../chat/fields/index.js';
import { request } from '../chat/request.js';
import { announce, type Change, followedChange } from '../domain/subscriptions/announce.js';
import { follow } from '../domain/subscriptions/follow.js';
import { type Followed, followedReply } from '../domain/subscriptions/followed-reply.js';
import { here, placeOf, showable, showableIfKnown } from '../domain/subscriptions/here.js';
import { filterOf, mergedFilter } from '../domain/subscriptions/merge.js';
import { refuseRuns } from '../domain/subscriptions/possible-runs.js';
import { previewPast } from '../domain/subscriptions/preview.js';
import { previewReply } from '../domain/subscriptions/preview-reply.js';
import { named, titleOf } from '../domain/subscriptions/shown.js';
import { seek, wantedOf } from '../domain/subscriptions/wanted.js';
import { readWish, targets, wish } from '../domain/subscriptions/words.js';
import { leftOutBy } from '../feed/covers.js';
import { everydayFeatures, featureTexts, usualFeatures } from './subscribe/form-words.js';

const week = 7 * 86_400;

export const subscribe = command({
  name: 'subscribe',
  title: 'Subscribe this channel',
  submit: 'Subscribe channel',
  summary: 'Subscribe this channel to a repository',
  examples: [
    'subscribe acme/engine',
    'subscribe acme/engine acme/website issues pulls:opened,merged +label:bug -author:*-bot',
    'subscribe acme/* releases runs:failure -acme/noisy',
    'subscribe acme/engine reviews --preview 14d',
  ],
  fields: {
    repositories: optional(targets({ hint: 'For all repositories of an owner, write owner/* under Filters.' })),
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
    'runs.list',
    'issues.get',
    'pulls.get',
  ],
  form: 'always',
  previews: 'preview',
  plan: async (args, context) =>
    (await wantedOf(args, context)).targets.flatMap((target) =>
      target.kind === 'repo' ? [request('repos.get', { owner: target.owner, repo: target.repo })] : [],
    ),
  async run(args, context) {
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
        past.push(
          await previewPast(each.repositories, mergedFilter(await before(each.target), words), seconds, context),
        );
      const titles = found.map(({ target, name }) => titleOf(target, name));
      return { kind: 'previewed' as const, titles, past, but, seconds };
    }
    const where = await here(context);
    const { found, but } = await seek(targets, context, (each) => showable(each, where, context.exposure));
    const all: Followed[] = [];
    const changes: Change[] = [];
    for (const each of found) {
      const old = await before(each.target);
      const filter = mergedFilter(old, words);
      const repositories = each.repositories.filter(({ full_name }) => leftOutBy(filter, full_name) === undefined);
      const one = await named(await follow({ ...each, repositories }, filter, place, context), store);
      all.push({ ...one, filter, count: repositories.length });
      changes.push(...followedChange(one, filter, old, context.forge.web));
    }
    await announce(changes, context);
    return { kind: 'followed' as const, all, but, own: await store.channels.defaultRepository(place) };
  },
  reply(result, { repositories, features, filter = '' }, context) {
    if (result.kind === 'followed') return followedReply(result, context);
    // how far the preview looked back is no part of what is subscribed
    const { targets: more, words } = readWish(filter, context.forge.web);
    const said = [...more, ...words].join(' ');
    const args = {
      ...(repositories && { repositories }),
      ...(features && { features }),
      ...(said !== '' && { filter: said }),
    };
    return previewReply(result, { text: 'Subscribe', command: 'subscribe', args }, context);
  },
});
