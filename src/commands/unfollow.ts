import { runButton } from '../chat/actions.js';
import { command } from '../chat/command.js';
import { fullName, refOf } from '../chat/references.js';
import { announce } from '../domain/subscriptions/announce.js';
import { plain } from '../domain/subscriptions/follow.js';
import { placeOf } from '../domain/subscriptions/here.js';
import { meantBy } from '../domain/subscriptions/meant.js';
import { filterOf, narrowedFilter } from '../domain/subscriptions/merge.js';
import { tell } from '../domain/subscriptions/notice.js';
import { allIn } from '../domain/subscriptions/shown.js';
import { UserError } from '../errors.js';
import { doneCard } from '../view/cards/outcome.js';
import { message } from '../view/message.js';
import { md } from '../view/text.js';
import { followFields, followingIn, itemLink } from './follow.js';

export const unfollow = command({
  name: 'unfollow',
  title: 'Stop following',
  submit: 'Stop following',
  summary: 'Stop following an issue or pull request',
  examples: ['unfollow #12', 'unfollow acme/engine#12 --me'],
  fields: followFields,
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: [],
  account: 'none',
  plan: () => [],
  async run({ item: ref, me }, context) {
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
    else await subscriptions.change(one.sub, { filter: plain(left) });
    const says = md`stopped following ${itemLink(ref, '', context)} in this channel.`;
    await announce([{ one, says, what: `unfollow ${ref.index}` }], at);
    await tell(one.sub.owner, one, md`stopped following #${String(ref.index)} of`, at);
    return undefined;
  },
  reply(_done, { item: ref, me }, context) {
    const again = runButton({ text: 'Follow again', command: 'follow', args: { item: ref, ...(me && { me }) } });
    return message({
      blocks: doneCard({ says: md`Stopped following ${itemLink(ref, '', context)}.`, buttons: [again] }),
    });
  },
});
