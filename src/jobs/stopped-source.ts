import type { SourceAbout } from '../feed/sources/about.js';
import { type Source, sourceKey } from '../feed/sources/source.js';
import type { Person, Subscription } from '../store/index.js';
import { md } from '../view/text.js';
import type { FeedDeps } from './feed-deps.js';
import { createTellOwner } from './tell-owner.js';

/** If a source is paused for an hour, its owners are notified once a day. */
export function createStoppedSource(deps: FeedDeps) {
  const { store, now } = deps;
  const tell = createTellOwner(deps);

  async function owners(source: Source, { ownerId = 0 }: SourceAbout): Promise<Person[]> {
    if (source.kind === 'inbox') return [{ team: source.team, user: source.user }];
    const subs: readonly Subscription[] =
      source.kind === 'user'
        ? await store.subscriptions.of({ kind: 'user', id: source.id })
        : source.kind === 'repo' || source.kind === 'runs'
          ? await store.subscriptions.candidates(source.id, ownerId)
          : await store.subscriptions.of({ kind: 'owner', id: source.id, pattern: '' });
    const each = subs.filter(({ paused }) => !paused).map(({ place, owner }) => ({ team: place.team, user: owner }));
    return [...new Map(each.map((person) => [`${person.team}/${person.user}`, person])).values()];
  }

  return async (source: Source, about: SourceAbout): Promise<void> => {
    const day = new Date(now()).toISOString().slice(0, 10);
    const what = source.kind === 'inbox' ? 'your notifications' : [about.owner, about.name].filter(Boolean).join('/');
    const words = md`Updates on ${what} are paused for up to an hour: reading them failed several times. Ask an admin to check the logs.`;
    for (const owner of await owners(source, about)) await tell(owner, `stopped:${sourceKey(source)}:${day}`, words);
  };
}
