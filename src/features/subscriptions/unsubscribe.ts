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
import { announce, type Change, featureNames, followedChange, tell } from './announce.js';
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
    await tell(each.sub.owner, each, md`ended`, context);
    return { each };
  }
  await subscriptions.change(each.sub, { filter: plainJson(left) });
  await tell(each.sub.owner, each, md`narrowed`, context);
  return { each, left };
}

function endedChange({ each, left }: Ended, web: string): Change[] {
  if (left) return followedChange(each, left, filterOf(each.sub.filter), web);
  return [{ one: each, says: md`unsubscribed this channel from ${linkTarget(each, web)}.` }];
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
  await announce(
    ended.flatMap((each) => endedChange(each, context.forge.web)),
    context,
  );
  return { ended, but };
}

function unsubscribedMessage(
  { ended, but }: { readonly ended: readonly Ended[]; readonly but: readonly string[] },
  _args: unknown,
  { forge }: Context,
) {
  const names = (some: readonly Ended[]) =>
    join(
      some.map(({ each }) => linkTarget(each, forge.web)),
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
      buttons: only
        ? [formButton({ text: 'Edit', command: 'subscribe edit', args: { subscription: only.each.title } })]
        : whole.slice(0, 1).map(({ each }) =>
            formButtonIfFits({
              text: 'Subscribe again',
              command: 'subscribe',
              args: { repositories: [each.title], filter: filterWords(filterOf(each.sub.filter)) },
            }),
          ),
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
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  account: 'none',
  form: 'always',
  plan: () => [],
  run: unsubscribeChannel,
  reply: unsubscribedMessage,
});
