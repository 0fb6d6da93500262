import { matches } from '../feed/glob.js';
import { type Polled, type Source, sourceKey } from '../feed/sources/source.js';
import type { Place, Subscription } from '../store/index.js';
import { count } from '../view/look.js';
import { say } from '../view/message.js';
import { link, md } from '../view/text.js';
import type { FeedDeps } from './feed-deps.js';
import type { SourceAbout } from './sources.js';

/** More happened than one poll reads: whoever follows this is told how much is not shown. */
export async function tellLeftOut(
  { store }: FeedDeps,
  source: Source,
  about: SourceAbout,
  { leftOut, mark }: Polled,
  wake: (place: Place) => Promise<void>,
): Promise<void> {
  if (source.kind !== 'repo' && source.kind !== 'user') return;
  const name = about.name === undefined ? about.owner : `${about.owner}/${about.name}`;
  const subs =
    source.kind === 'user'
      ? await store.subscriptions.of({ kind: 'user', id: source.id })
      : await store.subscriptions.candidates(source.id, about.ownerId ?? 0);
  const what = leftOut ? count(leftOut, 'older update') : 'Some older updates';
  const message = say(md`${what} in ${link(about.url, name)} not shown: too much happened at once.`);
  const repo = { id: source.id, fullName: name, private: about.private ?? true };
  const entry = {
    id: `left:${sourceKey(source)}:${mark.total ?? mark.time}`,
    body: { type: 'message', message, ...(source.kind === 'repo' && { repo }) },
  };
  const places = new Map(subs.filter((sub) => fits(sub, about)).map(({ place }) => [place.channel, place]));
  for (const place of places.values()) {
    await store.outbox.append(place, [entry]);
    await wake(place);
  }
}

const fits = ({ paused, target }: Subscription, { name = '' }: SourceAbout): boolean =>
  !paused && (target.kind !== 'owner' || matches(target.pattern, name));
