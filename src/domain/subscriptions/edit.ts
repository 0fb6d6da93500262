import { formButton, runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { defaultFeatures, needs, type Setting } from '../../feed/filter.js';
import { plainJson } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { announce, featureNames, followedChange } from './announce.js';
import { filterOf } from './filters.js';
import { find } from './find-target.js';
import { filterFrom, type Parts, partsOf } from './form-parts.js';
import { oneOf } from './matching.js';
import { previewPast } from './preview.js';
import { previewReply } from './preview-reply.js';
import { refuseRuns } from './refuse-runs.js';
import { readTarget } from './target.js';
import { tell } from './tell-owner.js';
import { placeOf } from './this-channel.js';
import { allIn, linked } from './titles.js';
import { watch } from './watch.js';

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
  now.labels.some((label) => !before.labels.includes(label));

export async function presentParts({ subscription }: Partial<SubscriptionEdit>, context: Context) {
  const place = placeOf(context);
  const [only, another] = subscription === undefined ? await allIn(place, context.store) : [];
  const one = subscription === undefined ? only : await oneOf(subscription, place, context);
  if (!one || another) return {};
  const { features, filters, settings: chosen } = partsOf(filterOf(one.sub.filter));
  return { subscription: one.title, features, filters: filters === '' ? null : filters, ...chosen };
}

export async function editSubscription({ subscription, preview, ...wanted }: SubscriptionEdit, context: Context) {
  const one = await oneOf(subscription, placeOf(context), context);
  const filter = filterFrom(changedParts(partsOf(filterOf(one.sub.filter)), wanted));
  await refuseRuns(filter, context);
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
  await announce(followedChange(one, filter, filterOf(one.sub.filter), context.forge.web), context);
  await tell(one.sub.owner, one, md`changed`, context);
  return { kind: 'changed' as const, one, filter };
}

export function editedMessage(
  result: Awaited<ReturnType<typeof editSubscription>>,
  args: SubscriptionEdit,
  context: Context,
) {
  if (result.kind === 'previewed') {
    const { preview: _, ...wish } = args;
    return previewReply(result, { text: 'Save changes', command: 'subscribe edit', args: wish }, context);
  }
  const { one, filter } = result;
  const again = { repositories: [one.title], preview: true };
  return message({
    blocks: doneCard({
      says: md`Updated ${linked(one, context.forge.web)}: ${featureNames(filter)}`,
      facts: one.sub.paused ? ['paused: subscribe again to resume'] : [],
      buttons: [
        formButton({ text: 'Edit', command: 'subscribe edit', args: { subscription: one.title } }),
        runButton({ text: 'Preview', command: 'subscribe', args: again }),
      ],
    }),
  });
}
