import { formButton, runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { choice, choices, clearable, flag, text, toggle } from '../../chat/fields/index.js';
import { announce, followedChange } from '../../domain/subscriptions/announce.js';
import { changedParts } from '../../domain/subscriptions/changed-parts.js';
import { find } from '../../domain/subscriptions/find.js';
import { plain } from '../../domain/subscriptions/follow.js';
import { placeOf } from '../../domain/subscriptions/here.js';
import { oneOf } from '../../domain/subscriptions/meant.js';
import { filterOf, filterWords } from '../../domain/subscriptions/merge.js';
import { tell } from '../../domain/subscriptions/notice.js';
import { featureWords, filterFrom, partsOf } from '../../domain/subscriptions/parts.js';
import { refuseRuns } from '../../domain/subscriptions/possible-runs.js';
import { previewPast } from '../../domain/subscriptions/preview.js';
import { previewReply } from '../../domain/subscriptions/preview-reply.js';
import { allIn, linked } from '../../domain/subscriptions/shown.js';
import { readTarget } from '../../domain/subscriptions/target.js';
import { watch } from '../../domain/subscriptions/watch.js';
import { followed } from '../../domain/subscriptions/words.js';
import { needs, settings } from '../../feed/filter.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { featureTexts, settingTexts } from './form-words.js';

const [firstFeature = 'issues', ...otherFeatures] = featureWords;
const week = 7 * 86_400;

export const subscribeEdit = command({
  name: 'subscribe edit',
  summary: 'Change what a subscription posts',
  examples: ['subscribe edit acme/engine', 'subscribe edit acme/engine --features issues,pulls:merged --bots on'],
  fields: {
    subscription: followed(),
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
  role: 'everyone',
  risk: 'write',
  riskOf: ({ preview }) => (preview ? 'read' : 'write'),
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search', 'users.get', 'activity.repoFeed', 'runs.list', 'issues.get', 'pulls.get'],
  form: 'edit',
  previews: 'preview',
  plan: () => [],
  async prefill({ subscription }, context) {
    const place = placeOf(context);
    const [only, another] = subscription === undefined ? await allIn(place, context.store) : [];
    const one = subscription === undefined ? only : await oneOf(subscription, place, context);
    if (!one || another) return {};
    const { features, filters, settings: chosen } = partsOf(filterOf(one.sub.filter));
    return { subscription: one.title, features, filters: filters === '' ? null : filters, ...chosen };
  },
  async run({ subscription, preview, ...wanted }, context) {
    const one = await oneOf(subscription, placeOf(context), context);
    const filter = filterFrom(changedParts(partsOf(filterOf(one.sub.filter)), wanted));
    await refuseRuns(filter, context);
    if (preview) {
      const written = readTarget(one.title);
      const repositories = written ? (await find(written, context)).repositories : [];
      const past = [await previewPast(repositories, filter, week, context)];
      return { kind: 'previewed' as const, titles: [one.title], past, but: [], seconds: week };
    }
    await context.store.subscriptions.change(one.sub, { filter: plain(filter) });
    const written = readTarget(one.title);
    if (written && asksMore(needs(filter), needs(filterOf(one.sub.filter))))
      await watch(await find(written, context), filter, context);
    await announce(followedChange(one, filter, filterOf(one.sub.filter), context.forge.web), context);
    await tell(one.sub.owner, one, md`changed`, context);
    return { kind: 'changed' as const, one, filter };
  },
  reply(result, args, context) {
    if (result.kind === 'previewed') {
      const { preview: _, ...wish } = args;
      return previewReply(result, { text: 'Save changes', command: 'subscribe edit', args: wish }, context);
    }
    const { one, filter } = result;
    const again = { repositories: [one.title], preview: true };
    return message({
      blocks: doneCard({
        says: md`Updated ${linked(one, context.forge.web)}: ${code(filterWords(filter))}`,
        facts: one.sub.paused ? ['paused: subscribe again to resume'] : [],
        buttons: [
          formButton({ text: 'Edit', command: 'subscribe edit', args: { subscription: one.title } }),
          runButton({ text: 'Preview', command: 'subscribe', args: again }),
        ],
      }),
    });
  },
});

type Needs = ReturnType<typeof needs>;

/** Whether sources are wanted now that nobody read for this subscription before. */
const asksMore = (now: Needs, before: Needs): boolean =>
  (now.runs && !before.runs) ||
  (now.drafts && !before.drafts) ||
  now.labels.some((label) => !before.labels.includes(label));
