import { splitFullName } from '../full-name.js';
import { createSignatures } from './authentic.js';
import type { Repository } from './channels.js';
import type { Ground, Person, Place } from './ground.js';
import { resignRows } from './resign.js';
import {
  decodeRow,
  encodeRow,
  follower,
  readTarget,
  type Subscription,
  shelf,
  type Target,
  targetText,
} from './subscription.js';
import { renameRow, swapRow } from './subscription-scripts.js';

type Where = Pick<Subscription, 'place' | 'target'>;
type Change = Partial<Pick<Subscription, 'filter' | 'owner' | 'name' | 'checkedAt' | 'paused'>> & {
  readonly resumed?: true;
};

/** Which channel follows what. Rows are stored by target, so that routing reads only the rows that matter. */
export function createSubscriptions(ground: Ground) {
  const { redis, keys, now } = ground;
  const signatures = createSignatures(ground, 'subscription');
  const rowsOn = (onShelf: string) => keys.subscriptionsOf({ target: onShelf });
  const textOf = ({ place, target }: Where) => redis.hget(rowsOn(shelf(target)), follower(place, target));
  /** Undefined if someone else wrote it: a channel sees with its owner's access. */
  const read = (onShelf: string, field: string, stored: string): Subscription | undefined => {
    const text = signatures.read(stored, onShelf, field);
    return text === undefined ? undefined : decodeRow(onShelf, field, text);
  };
  const on = async (onShelf: string): Promise<Subscription[]> =>
    Object.entries(await redis.hgetall(rowsOn(onShelf))).flatMap(([field, text]) => read(onShelf, field, text) ?? []);
  const get = async (where: Where): Promise<Subscription | undefined> => {
    const text = await textOf(where);
    return text === null ? undefined : read(shelf(where.target), follower(where.place, where.target), text);
  };
  const all = async (wheres: readonly Where[]) =>
    (await Promise.all(wheres.map(get))).filter((each) => each !== undefined);

  /** Compare and set: `make` gets the row that is replaced; undefined removes it. */
  const swap = async (
    where: Where,
    make: (old: Subscription | undefined) => Subscription | undefined,
    name = '',
  ): Promise<Subscription | undefined> => {
    const { place, target } = where;
    const owned = (sub: Subscription | undefined) =>
      keys.subscriptionsBy({ team: place.team, user: sub?.owner ?? '-' });
    for (;;) {
      const text = await textOf(where);
      const old = text === null ? undefined : read(shelf(target), follower(place, target), text);
      const next = make(old);
      // a refused row stays unchanged, for later inspection
      if (text !== null && !old && !next) return undefined;
      const names = [
        rowsOn(shelf(target)),
        keys.subscriptionsIn(place),
        owned(old),
        owned(next),
        keys.subscriptionNames(),
      ];
      const mine = `${place.channel} ${targetText(target)}`;
      const row = next ? signatures.sign(encodeRow(next), shelf(target), follower(place, target)) : '';
      const args = [follower(place, target), text ?? '', row, targetText(target), mine, shelf(target), name];
      if ((await swapRow(redis, names, args)) === 1) return next ?? old;
    }
  };

  return {
    get,

    /** One row per channel and target; following again keeps its age and owner, and ends a pause. */
    async put(sub: Omit<Subscription, 'createdAt'>, name: string): Promise<Subscription> {
      const next = (old?: Subscription) => ({
        ...sub,
        ...(sub.target.kind === 'repo' ? { name } : {}),
        createdAt: old?.createdAt ?? now(),
        owner: old?.owner ?? sub.owner,
      });
      return (await swap(sub, next, name)) ?? next();
    },

    /** Undefined if there is none. Only the given fields change. */
    change: (where: Where, { resumed, ...change }: Change): Promise<Subscription | undefined> =>
      swap(where, (old) => {
        if (!old) return undefined;
        const { paused, ...rest } = old;
        return { ...rest, ...(paused && !resumed ? { paused } : {}), ...change };
      }),

    /** The removed row, or undefined if there was none. */
    remove: (where: Where): Promise<Subscription | undefined> => swap(where, () => undefined),

    /** Everyone who may want an event of this repository: its followers, and its owner's, whose patterns the feed matches. */
    async candidates(repoId: number, ownerId: number): Promise<Subscription[]> {
      return (await Promise.all([on(`r${repoId}`), on(`o${ownerId}`)])).flat();
    },
    of: (target: Target): Promise<Subscription[]> => on(shelf(target)),

    async inChannel(place: Place): Promise<Subscription[]> {
      const texts = await redis.hkeys(keys.subscriptionsIn(place));
      return all(texts.map((text) => ({ place, target: readTarget(text) })));
    },

    /** The only repository a channel follows; undefined if its name is not signed. */
    async onlyRepository(place: Place): Promise<Repository | undefined> {
      const [text, another] = await redis.hkeys(keys.subscriptionsIn(place));
      if (text === undefined || another !== undefined) return undefined;
      const target = readTarget(text);
      const sub = target.kind === 'repo' ? await get({ place, target }) : undefined;
      const { owner, repo } = splitFullName(sub?.name ?? '');
      return owner && repo ? { id: target.id, owner, name: repo } : undefined;
    },

    async ownedBy({ team, user }: Person): Promise<Subscription[]> {
      const texts = await redis.hkeys(keys.subscriptionsBy({ team, user }));
      const found = await all(
        texts.map((text) => {
          const space = text.indexOf(' ');
          return { place: { team, channel: text.slice(0, space) }, target: readTarget(text.slice(space + 1)) };
        }),
      );
      return found.filter(({ owner }) => owner === user);
    },

    /** Every target anyone follows, with its last name. An owner appears once, whatever its patterns. */
    async followed(): Promise<{ kind: Target['kind']; id: number; name: string }[]> {
      const names = Object.entries(await redis.hgetall(keys.subscriptionNames()));
      return names.map(([text, name]) => {
        const { kind, id } = readTarget(text);
        return { kind, id, name };
      });
    },
    async nameOf(target: Target): Promise<string | undefined> {
      return (await redis.hget(keys.subscriptionNames(), shelf(target))) ?? undefined;
    },
    /** The forge renamed it; ids stay. */
    async rename(target: Target, name: string): Promise<void> {
      if (target.kind === 'repo')
        for (const where of await on(shelf(target))) await swap(where, (old) => old && { ...old, name });
      await renameRow(redis, [keys.subscriptionNames(), keys.formerNames()], [shelf(target), name]);
    },
    /** What formerly had this name; a current bearer of the name takes precedence. */
    async formerly(name: string): Promise<Pick<Target, 'kind' | 'id'> | undefined> {
      const text = await redis.hget(keys.formerNames(), name.toLowerCase());
      return text === null ? undefined : readTarget(text);
    },

    /** Signs all rows with the current key; returns how many changed. */
    async resign(): Promise<number> {
      let count = 0;
      for (const onShelf of await redis.hkeys(keys.subscriptionNames()))
        count += await resignRows(redis, signatures, { key: rowsOn(onShelf), idOf: (field) => [onShelf, field] });
      return count;
    },

    /** Every subscription, for export. */
    async *each(): AsyncGenerator<{ subscription: Subscription; name: string }> {
      for (const [onShelf, name] of Object.entries(await redis.hgetall(keys.subscriptionNames()))) {
        for (const subscription of await on(onShelf)) yield { subscription, name };
      }
    },
  };
}
