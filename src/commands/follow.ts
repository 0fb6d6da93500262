import { runButton } from '../chat/actions.js';
import { command } from '../chat/command.js';
import type { Context } from '../chat/context.js';
import { issue, toggle } from '../chat/fields/index.js';
import { fullName, type ItemRef, refOf, webAddress } from '../chat/references.js';
import { request } from '../chat/request.js';
import { announce } from '../domain/subscriptions/announce.js';
import { find } from '../domain/subscriptions/find.js';
import { follow as subscribeTo } from '../domain/subscriptions/follow.js';
import { here, showable } from '../domain/subscriptions/here.js';
import { filterOf, mergedFilter } from '../domain/subscriptions/merge.js';
import { named } from '../domain/subscriptions/shown.js';
import { UserError } from '../errors.js';
import { doneCard } from '../view/cards/outcome.js';
import { message } from '../view/message.js';
import { code, link, md } from '../view/text.js';

export const followFields = {
  item: issue({ label: 'Issue or pull request' }),
  me: toggle({ label: 'Only for me', text: 'In my direct messages, not in this channel' }),
};

/** Where the updates go: this channel, or the person's own direct messages. */
export async function followingIn(me: boolean | undefined, context: Context): Promise<Context> {
  return me ? { ...context, channel: await context.slack.directMessage(context.person.user) } : context;
}

export const itemLink = (ref: ItemRef, title: string, { forge }: Pick<Context, 'forge'>) =>
  link(webAddress(forge.web, { kind: 'issue', of: ref }), `${refOf(ref)} ${title}`.trim());

export const follow = command({
  name: 'follow',
  title: 'Follow an item',
  submit: 'Follow item',
  summary: 'Get all updates on one issue or pull request',
  examples: ['follow #12', 'follow acme/engine#12 --me'],
  fields: followFields,
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['issues.get', 'repos.get', 'repos.search', 'users.me', 'activity.repoFeed', 'pulls.get'],
  needs: ['issues.get'],
  plan: ({ item }) => [request('issues.get', item)],
  async run({ item: ref, me }, context) {
    const { title } = await context.api.issues.get(ref);
    const at = await followingIn(me, context);
    const where = await here(at);
    const shown = showable(await find({ kind: 'repo', ...ref }, at), where, context.exposure);
    if ('refusal' in shown) throw new UserError(shown.refusal);
    const old = await context.store.subscriptions.get({ place: where.place, target: shown.found.target });
    const before = old && filterOf(old.filter);
    if (before?.items?.includes(ref.index) && !old?.paused) return { title, already: true };
    const filter = mergedFilter(before, [`#${ref.index}`, ...(me ? ['self:off'] : [])]);
    const sub = await subscribeTo(shown.found, filter, where.place, at);
    const one = await named(sub, context.store);
    const says = md`follows ${itemLink(ref, title, context)} in this channel.`;
    await announce([{ one, says, what: `follow ${ref.index}` }], at);
    return { title, already: false };
  },
  reply({ title, already }, { item: ref, me }, context) {
    const name = itemLink(ref, title, context);
    const place = me ? 'your direct messages' : 'this channel';
    const says = already
      ? md`Already following ${name} in ${place}.`
      : md`Following ${name}. Updates come to ${place}.`;
    const undo = runButton({ text: 'Unfollow', command: 'unfollow', args: { item: ref, ...(me && { me }) } });
    const all = md`For all of ${fullName(ref)}, use ${code(`/forge subscribe ${fullName(ref)}`)}.`;
    return message({ blocks: doneCard({ says, facts: [me ? undefined : all], buttons: [undo] }) });
  },
});
