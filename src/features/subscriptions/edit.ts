import { formButton, runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choice, choices, clearable, flag, text, toggle } from '../../chat/fields.js';
import { defaultFeatures, needs, type Setting, settings } from '../../feed/filter.js';
import { plainJson } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { announce, featureNames, followedChanges, notifyOwner, onlyYouKnow } from './announce.js';
import {
  featureWords,
  filterFrom,
  filterOf,
  followedField,
  type Parts,
  partsOf,
  refuseReviewers,
  refuseUnlisted,
} from './fields.js';
import { featureTexts, settingTexts } from './form-words.js';
import { oneOf, previewPast, previewReply } from './preview.js';
import { watch } from './save.js';
import { allIn, find, linkTarget, type Named, placeOf, readTarget } from './target.js';

/** As requested; null clears, missing fields stay. */
type PartsWanted = { readonly features?: readonly string[] | null; readonly filters?: string | null } & {
  readonly [S in Setting]?: string;
};

function changedParts(old: Parts, { features, filters, ...chosen }: PartsWanted): Parts {
  const wanted = features === null ? defaultFeatures : (features ?? old.features);
  // `--runs failure` on its own also means that runs are wanted
  const runs = features === undefined && chosen.runs !== undefined && !wanted.includes('runs') ? ['runs'] : [];
  return {
    features: [...wanted, ...runs],
    filters: filters === null ? '' : (filters ?? old.filters),
    settings: { ...old.settings, ...chosen },
  };
}

type SubscriptionEdit = PartsWanted & {
  readonly subscription: string;
  readonly preview?: boolean | undefined;
};

const week = 7 * 86_400;

type Needs = ReturnType<typeof needs>;

/** Whether it now needs sources that this subscription did not use before. */
const asksMore = (now: Needs, before: Needs): boolean =>
  (now.runs && !before.runs) ||
  (now.drafts && !before.drafts) ||
  (now.requests && !before.requests) ||
  now.labels.some((label) => !before.labels.includes(label));

async function presentParts({ subscription }: Partial<SubscriptionEdit>, context: Context) {
  const place = placeOf(context);
  const [only, another] = subscription === undefined ? await allIn(place, context.store) : [];
  const one = subscription === undefined ? only : await oneOf(subscription, place, context);
  if (!one || another) return {};
  const { features, filters, settings: chosen } = partsOf(filterOf(one.sub.filter));
  return { subscription: one.title, features, filters: filters === '' ? null : filters, ...chosen };
}

async function editSubscription({ subscription, preview, ...wanted }: SubscriptionEdit, context: Context) {
  const one = await oneOf(subscription, placeOf(context), context);
  const filter = filterFrom(changedParts(partsOf(filterOf(one.sub.filter)), wanted));
  await refuseUnlisted(filter, context);
  await refuseReviewers(filter, context);
  const written = readTarget(one.title);
  if (preview) {
    const past = written ? [await previewPast(await find(written, context), filter, week, context)] : [];
    return { kind: 'previewed' as const, titles: [one.title], past, but: [], seconds: week };
  }
  const more = written && asksMore(needs(filter), needs(filterOf(one.sub.filter)));
  // before the change: a refusal must leave the old filter
  const found = more ? await find(written, context) : undefined;
  await context.store.subscriptions.change(one.sub, { filter: plainJson(filter) });
  if (found) await watch(found, filter, context);
  const changes = followedChanges([{ one, filter, before: filterOf(one.sub.filter) }], context.forge.web);
  const announced = await announce(changes, context, shownWith(one));
  await notifyOwner(one.sub.owner, one, md`changed`, context);
  return { kind: 'changed' as const, one, filter, told: announced || changes.length === 0, announced };
}

const shownWith = ({ title, sub }: Named) => ({
  facts: sub.paused ? ['paused: subscribe again to resume'] : [],
  buttons: [
    formButton({ text: 'Edit', command: 'subscribe edit', args: { subscription: title } }),
    runButton({ text: 'Preview', command: 'subscribe', args: { repositories: [title], preview: true } }),
  ],
});

function editedMessage(result: Awaited<ReturnType<typeof editSubscription>>, args: SubscriptionEdit, context: Context) {
  if (result.kind === 'previewed') {
    const { preview: _, ...wish } = args;
    return previewReply(result, { text: 'Save changes', command: 'subscribe edit', args: wish }, context);
  }
  const { one, filter, told } = result;
  const { facts, buttons } = shownWith(one);
  return message({
    blocks: doneCard({
      says: md`Updated ${linkTarget(one, context.forge.web)}: ${featureNames(filter)}`,
      facts: [...facts, told ? undefined : onlyYouKnow(context)],
      buttons,
    }),
  });
}

const [firstFeature = 'issues', ...otherFeatures] = featureWords;

export const subscribeEdit = command({
  name: 'subscribe edit',
  summary: 'Change what a subscription posts',
  examples: ['subscribe edit acme/engine', 'subscribe edit acme/engine --features issues,pulls:merged --bots on'],
  fields: {
    subscription: followedField(),
    features: flag(
      clearable(
        choices([firstFeature, ...otherFeatures], {
          label: 'What to post',
          labels: featureTexts,
          hint: 'Choose none for the defaults.',
        }),
      ),
    ),
    filters: flag(
      clearable(
        text({
          label: 'Filters',
          hint: 'Such as +label:bug -author:*-bot base:main branch:release/*',
          max: 1000,
        }),
      ),
    ),
    bots: flag(choice(settings.bots, settingTexts.bots)),
    drafts: flag(choice(settings.drafts, settingTexts.drafts)),
    runs: flag(choice(settings.runs, settingTexts.runs)),
    thread: flag(choice(settings.thread, settingTexts.thread)),
    style: flag(choice(settings.style, settingTexts.style)),
    self: flag(choice(settings.self, settingTexts.self)),
    preview: toggle({ label: 'Preview', text: 'Only show what it would have posted in the last 7 days' }),
  },
  form: { opens: 'edit', previews: 'preview', prefill: presentParts },
  role: 'everyone',
  risk: 'write',
  riskOf: ({ preview }) => (preview ? 'read' : 'write'),
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [
    'repos.get',
    'repos.search',
    'users.get',
    'activity.repoFeed',
    'activity.userFeed',
    'runs.list',
    'issues.get',
    'pulls.get',
    'issues.list',
    'issues.timeline',
    'orgs.listTeams',
    'orgs.listTeamMembers',
  ],
  plan: () => [],
  run: editSubscription,
  saidInChannel: (result) => result.kind === 'changed' && result.announced,
  reply: editedMessage,
});
