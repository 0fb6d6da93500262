import { type MenuEntry, runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { issueOrPull, toggle } from '../../chat/fields.js';
import { fullName, type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { plainJson } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, link, md } from '../../view/text.js';
import { announce, notifyOwner, onlyYouKnow } from './announce.js';
import { filterOf, mergedFilter, narrowedFilter } from './fields.js';
import { meantBy } from './preview.js';
import { follow as subscribeTo } from './save.js';
import { allIn, find, here, nameTarget, placeOf, showable } from './target.js';

interface FollowWish {
  readonly item: ItemRef;
  readonly me?: boolean | undefined;
}

/** Where the updates go: this channel, or the person's direct messages. */
async function followingIn(me: boolean | undefined, context: Context): Promise<Context> {
  return me ? { ...context, channel: await context.slack.directMessage(context.person.user) } : context;
}

const itemLink = (ref: ItemRef, title: string, { forge }: Pick<Context, 'forge'>) =>
  link(webAddress(forge.web, { kind: 'issue', of: ref }), `${refOf(ref)} ${title}`.trim());

async function followItem({ item: ref, me }: FollowWish, context: Context) {
  const { title } = await context.api.issues.get(ref);
  const at = await followingIn(me, context);
  const where = await here(at);
  const shown = showable(await find({ kind: 'repo', ...ref }, at), where, context.policy.exposure);
  if ('refusal' in shown) throw new UserError(shown.refusal);
  const old = await context.store.subscriptions.get({ place: where.place, target: shown.found.target });
  const before = old && filterOf(old.filter);
  if (before?.items?.includes(ref.index) && !old?.paused) return { title, already: true, announced: false };
  const filter = mergedFilter(before, [`#${ref.index}`, ...(me ? ['self:off'] : [])]);
  const sub = await subscribeTo(shown.found, filter, where.place, at);
  const one = await nameTarget(sub, context.store);
  const says = md`follows ${itemLink(ref, title, context)} in this channel.`;
  const announced = await announce([{ one, says }], at, followedWith(ref, me, context));
  return { title, already: false, announced };
}

function followedWith(ref: ItemRef, me: boolean | undefined, { slash }: Context) {
  const all = md`For all of ${fullName(ref)}, use ${code(`${slash} subscribe ${fullName(ref)}`)}.`;
  const undo = runButton({ text: 'Unfollow', command: 'unfollow', args: { item: ref, ...(me && { me }) } });
  return { facts: me ? [] : [all], buttons: [undo] };
}

function followedItemMessage(
  { title, already }: Awaited<ReturnType<typeof followItem>>,
  { item: ref, me }: FollowWish,
  context: Context,
) {
  const name = itemLink(ref, title, context);
  const place = me ? 'your direct messages' : 'this channel';
  const says = already ? md`Already following ${name} in ${place}.` : md`Following ${name}. Updates come to ${place}.`;
  return message({ blocks: doneCard({ says, ...followedWith(ref, me, context) }) });
}

export async function unfollowItem({ item: ref, me }: FollowWish, context: Context) {
  const at = await followingIn(me, context);
  const { subscriptions } = context.store;
  const all = await allIn(placeOf(at), context.store);
  const meant = await meantBy(fullName(ref), all, at);
  const one = meant.find(({ sub }) => filterOf(sub.filter).items?.includes(ref.index));
  if (!one) {
    const place = me ? 'You are not following' : 'This channel is not following';
    throw new UserError(`${place} ${refOf(ref)}. See /forge subscribe list.`);
  }
  const left = narrowedFilter(filterOf(one.sub.filter), [`#${ref.index}`]);
  if (left === undefined) await subscriptions.remove(one.sub);
  else await subscriptions.change(one.sub, { filter: plainJson(left) });
  const says = md`stopped following ${itemLink(ref, '', context)} in this channel.`;
  const announced = await announce([{ one, says }], at, { buttons: [again(ref, me)] });
  await notifyOwner(one.sub.owner, one, md`stopped following #${String(ref.index)} of`, at);
  return { announced };
}

const again = (item: ItemRef, me: boolean | undefined) =>
  runButton({ text: 'Follow again', command: 'follow', args: { item, ...(me && { me }) } });

export function unfollowedItemMessage(_done: unknown, { item: ref, me }: FollowWish, context: Context) {
  return message({
    blocks: doneCard({
      says: md`Stopped following ${itemLink(ref, '', context)}.`,
      facts: [me ? undefined : onlyYouKnow(context)],
      buttons: [again(ref, me)],
    }),
  });
}

export const followFields = {
  item: issueOrPull(),
  me: toggle({ label: 'Only for me', text: 'In my direct messages, not in this channel' }),
};

export const follow = command({
  name: 'follow',
  title: 'Follow an item',
  summary: 'Get all updates on one issue or pull request',
  examples: ['follow acme/engine#12', 'follow #12 --me'],
  fields: followFields,
  form: { submit: 'Follow item' },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['issues.get', 'repos.get', 'repos.search', 'users.me', 'activity.repoFeed', 'pulls.get'],
  needs: ['issues.get'],
  plan: ({ item }) => [request('issues.get', item)],
  run: followItem,
  saidInChannel: ({ announced }) => announced,
  reply: followedItemMessage,
});

/** Follow an item in this conversation, or stop following it; nothing outside a conversation. */
export async function followEntry(
  item: ItemRef,
  repo: number | undefined,
  { channel, person, store }: Context,
): Promise<MenuEntry | undefined> {
  if (channel === undefined) return undefined;
  const place = { team: person.team, channel };
  const sub =
    repo === undefined ? undefined : await store.subscriptions.get({ place, target: { kind: 'repo', id: repo } });
  const isFollowed = sub && !sub.paused && filterOf(sub.filter).items?.includes(item.index);
  return isFollowed
    ? { text: 'Stop following', command: 'unfollow', args: { item } }
    : { text: 'Follow', command: 'follow', args: { item } };
}
