import { covers } from '../feed/covers.js';
import type { SourceAbout } from '../feed/sources/about.js';
import { type Polled, type Source, sourceKey } from '../feed/sources/source.js';
import { plainJson, type Subscription, subscriptionId } from '../store/index.js';
import { count } from '../view/look.js';
import { say } from '../view/message.js';
import { link, md } from '../view/text.js';
import type { FeedDeps } from './feed-deps.js';

/** There was more than one poll reads: tells subscribers how much is not shown. */
export async function tellLeftOut(
  { store }: Pick<FeedDeps, 'store'>,
  source: Source,
  about: SourceAbout,
  { leftOut, mark }: Polled,
): Promise<void> {
  if (source.kind !== 'repo' && source.kind !== 'user') return;
  const name = about.name === undefined ? about.owner : `${about.owner}/${about.name}`;
  const subs =
    source.kind === 'user'
      ? await store.subscriptions.of({ kind: 'user', id: source.id })
      : await store.subscriptions.candidates(source.id, about.ownerId ?? 0);
  const what = leftOut ? count(leftOut, 'older update') : 'Some older updates';
  const message = say(
    md`${what} in ${link(about.url, name)} ${leftOut === 1 ? 'is' : 'are'} not shown: too much happened at once.`,
  );
  const repo = { id: source.id, fullName: name, hidden: about.hidden ?? true };
  const id = `left:${sourceKey(source)}:${mark.total ?? mark.time}`;
  const each = new Map(subs.filter((sub) => fits(sub, about)).map((sub) => [sub.place.channel, sub]));
  for (const sub of each.values()) {
    const of = { repo, subscription: subscriptionId(sub), units: [] };
    const body = { type: 'message', message, ...(source.kind === 'repo' && { of }) };
    await store.outbox.append(sub.place, [{ id, body: plainJson(body) }]);
  }
}

const fits = (sub: Subscription, { owner, name = '' }: SourceAbout): boolean =>
  !sub.paused && covers(sub, `${owner}/${name}`);
