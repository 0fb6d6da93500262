import { formButton, formButtonIfFits } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { optional } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import type { Filter } from '../../feed/filter.js';
import { plainJson } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { join, md } from '../../view/text.js';
import { announce, type Change, featureNames, followedChanges, notifyOwner, onlyYouKnow, restFor } from './announce.js';
import { filterOf, filterWords, narrowedFilter, targets, wish } from './fields.js';
import { meantBy, nothingLike } from './preview.js';
import { wantedOf } from './save.js';
import { allIn, linkTarget, type Named, placeOf, showTarget } from './target.js';

interface UnsubscribeWish {
  readonly repositories?: readonly string[] | undefined;
  readonly filter?: string | undefined;
}

interface Ended {
  readonly each: Named;
  /** What is still posted; undefined if the whole subscription ended. */
  readonly left?: Filter;
}

async function end(each: Named, words: readonly string[], context: Context): Promise<Ended> {
  const { subscriptions } = context.store;
  const left = words.length === 0 ? undefined : narrowedFilter(filterOf(each.sub.filter), words);
  if (left === undefined) {
    await subscriptions.remove(each.sub);
    await notifyOwner(each.sub.owner, each, md`ended`, context);
    return { each };
  }
  await subscriptions.change(each.sub, { filter: plainJson(left) });
  await notifyOwner(each.sub.owner, each, md`narrowed`, context);
  return { each, left };
}

function endedChanges(ended: readonly Ended[], web: string): Change[] {
  const whole = ended.filter(({ left }) => left === undefined).map(({ each }) => each);
  const titles = join(
    whole.map((each) => linkTarget(each, web)),
    ', ',
  );
  return [
    ...whole.slice(0, 1).map((one) => ({ one, says: md`unsubscribed this channel from ${titles}.` })),
    ...followedChanges(
      ended.flatMap(({ each, left }) => (left ? [{ one: each, filter: left, before: filterOf(each.sub.filter) }] : [])),
      web,
    ),
  ];
}

async function unsubscribeChannel(args: UnsubscribeWish, context: Context) {
  const { targets, words } = await wantedOf(args, context);
  const all = await allIn(placeOf(context), context.store);
  const ended: Ended[] = [];
  const but: string[] = [];
  for (const target of targets) {
    const text = showTarget(target);
    const meant = await meantBy(text, all, context);
    if (meant.length === 0) but.push(nothingLike(text, all).message);
    for (const each of meant) ended.push(await end(each, words, context));
  }
  if (ended.length === 0) throw new UserError(but.join('\n'));
  const changes = endedChanges(ended, context.forge.web);
  const announced = await announce(changes, context, { buttons: buttonsOf(ended) });
  return { ended, but, announced, told: announced || changes.length === 0 };
}

function buttonsOf(ended: readonly Ended[]) {
  const [whole, partly] = [ended.find(({ left }) => !left)?.each, ended.find(({ left }) => left)?.each];
  if (partly) return [formButton({ text: 'Edit', command: 'subscribe edit', args: { subscription: partly.title } })];
  if (!whole) return [];
  const args = { repositories: [whole.title], filter: filterWords(filterOf(whole.sub.filter)) };
  return [formButtonIfFits({ text: 'Subscribe again', command: 'subscribe', args })];
}

function unsubscribedMessage(
  { ended, but, announced, told }: Awaited<ReturnType<typeof unsubscribeChannel>>,
  _args: unknown,
  context: Context,
) {
  if (announced && but.length > 0) return restFor(but);
  const names = (some: readonly Ended[]) =>
    join(
      some.map(({ each }) => linkTarget(each, context.forge.web)),
      ', ',
    );
  const whole = ended.filter(({ left }) => left === undefined);
  const partly = ended.filter(({ left }) => left !== undefined);
  const [only] = partly;
  return message({
    blocks: doneCard({
      says: join(
        [
          whole.length > 0 ? md`Unsubscribed this channel from ${names(whole)}.` : undefined,
          only?.left ? md`Still subscribed to ${names(partly)}: ${featureNames(only.left)}` : undefined,
        ],
        ' ',
      ),
      but,
      facts: [told ? undefined : onlyYouKnow(context)],
      buttons: buttonsOf(ended),
    }),
  });
}

export const unsubscribe = command({
  name: 'unsubscribe',
  title: 'Unsubscribe channel',
  summary: 'Unsubscribe this channel, or only from some features',
  examples: ['unsubscribe acme/engine', 'unsubscribe acme/engine commits', 'unsubscribe acme/*'],
  fields: {
    repositories: optional(targets()),
    filter: optional(
      wish({
        label: 'Only these features or filters',
        hint: 'Such as commits. Leave empty to unsubscribe completely.',
      }),
    ),
  },
  form: { opens: 'always' },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  account: 'none',
  plan: () => [],
  run: unsubscribeChannel,
  saidInChannel: ({ announced, but }) => announced && but.length === 0,
  reply: unsubscribedMessage,
});
