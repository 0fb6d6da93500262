import type { Context } from '../../chat/context.js';
import type { ItemRef } from '../../chat/references.js';
import { groupOf, teamPath } from '../../config/teams.js';
import type { MessageDelivery } from '../../feed/delivery.js';
import { itemThread, pullState } from '../../feed/item.js';
import { followItem } from '../../feed/own-card.js';
import { isHidden } from '../../forge/index.js';
import { soon } from '../../forge/possible.js';
import { type Place, plainJson, subscriptionId } from '../../store/index.js';
import { some } from '../../view/look.js';
import { say } from '../../view/message.js';
import { md, mention, userGroup } from '../../view/text.js';
import type { Reviewer } from './ask-each.js';
import { asItIs } from './reviewers.js';

/** The Slack user groups of this owner's teams. */
export const groupsOf = (owner: string, asked: readonly Reviewer[], { teams }: Pick<Context, 'teams'>) =>
  asked.flatMap(({ kind, name }) => {
    const group = kind === 'team' ? groupOf(teams, teamPath({ name }, owner)) : undefined;
    return group === undefined ? [] : [{ name, group }];
  });

/** The forge's feed has no review requests, so the threads of the pull request's cards get them from here. */
export async function callTeams(ref: ItemRef, newly: readonly Reviewer[], context: Context): Promise<boolean> {
  const { store, api, person, login, job = '' } = context;
  const groups = groupsOf(ref.owner, newly, context);
  if (groups.length === 0) return false;
  const repository = await soon(api.repos.get(ref));
  if (!repository) return false;
  const thread = itemThread(repository.id, ref.index);
  const places = new Map<string, { readonly place: Place; readonly subscription: string }>();
  for (const sub of await store.subscriptions.candidates(repository.id, repository.owner?.id ?? 0)) {
    if (sub.paused || !(await store.threads.get(sub.place, thread))) continue;
    places.set(sub.place.channel, { place: sub.place, subscription: subscriptionId(sub) });
  }
  const names = some(groups.map(({ name, group }) => userGroup(group, name)));
  const message = say(md`${mention(person.user, login || undefined)} requested a review from ${names}`);
  const repo = { id: repository.id, fullName: repository.full_name, hidden: isHidden(repository) };
  const pull = places.size > 0 ? await soon(asItIs(ref, context)) : undefined;
  for (const { place, subscription } of places.values()) {
    const of = { repo, subscription, units: ['pulls'] } as const;
    const body: MessageDelivery = { type: 'message', message, under: thread, of };
    await store.outbox.append(place, [{ id: `review:${thread}:${job}`, body: plainJson(body) }]);
    if (pull) await followItem(store, place, thread, pullState(pull), of);
  }
  return places.size > 0;
}
