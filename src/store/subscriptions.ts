import { z } from 'zod';
import { splitFullName } from '../full-name.js';
import { createSignatures } from './authentic.js';
import type { Repository } from './channels.js';
import { type Ground, type Json, json, type Person, type Place, script, texts, versionedCodec } from './ground.js';
import { resignRows } from './resign.js';

/** What is followed, by its numeric id at the forge; `pattern` is a glob over the owner's repository names. */
export type Target =
  | { readonly kind: 'repo'; readonly id: number }
  | { readonly kind: 'owner'; readonly id: number; readonly pattern: string }
  | { readonly kind: 'user'; readonly id: number };

export interface Subscription {
  readonly place: Place;
  readonly target: Target;
  /** The Slack user who owns it. */
  readonly owner: string;
  readonly createdAt: number;
  /** As parsed by the feed, which validates it. */
  readonly filter: Json;
  /** A repository's last known name: signed with the row, so that commands can rely on it. */
  readonly name?: string;
  /** When the owner's access was last checked. */
  readonly checkedAt?: number;
  /** `withheld`: it may not be shown there now, and resumes when it may. */
  readonly paused?: { readonly reason: string; readonly at: number; readonly cause?: 'withheld' };
}

const seconds = z.int();

// short names and seconds: there may be a hundred thousand of these
const Row = z.object({
  o: z.string(),
  b: seconds,
  f: json,
  n: z.string().optional(),
  c: seconds.optional(),
  p: z.tuple([z.string(), seconds], z.literal('withheld')).optional(),
});
const row = versionedCodec(Row);

const letters = { repo: 'r', owner: 'o', user: 'u' } as const;
const kinds = { r: 'repo', o: 'owner', u: 'user' } as const;

/** `r12`, `o5`, `u7`: where a target's rows are stored. */
const shelf = ({ kind, id }: Target): string => `${letters[kind]}${id}`;
/** The full target: `r12`, `o5 lib-*`. */
const targetText = (target: Target): string =>
  target.kind === 'owner' ? `${shelf(target)} ${target.pattern}` : shelf(target);
/** A row's field on its shelf: the follower. */
const follower = ({ team, channel }: Place, target: Target): string =>
  target.kind === 'owner' ? `${team}/${channel} ${target.pattern}` : `${team}/${channel}`;

function readTarget(text: string): Target {
  const [, letter, id, pattern = ''] = /^([rou])(\d+)(?: (.*))?$/.exec(text) ?? [];
  const kind = letter === 'r' || letter === 'o' || letter === 'u' ? kinds[letter] : undefined;
  if (!kind) throw new Error(`"${text}" is not the target of a subscription.`);
  return kind === 'owner' ? { kind, id: Number(id), pattern } : { kind, id: Number(id) };
}

/** Stable and readable: workspace/channel and target. */
export const subscriptionId = ({ place, target }: Pick<Subscription, 'place' | 'target'>): string =>
  `${place.team}/${place.channel} ${targetText(target)}`;

/** The place and target of such an id. */
export function readSubscriptionId(id: string): Pick<Subscription, 'place' | 'target'> {
  const [, team = '', channel = '', target = ''] = /^([^/]+)\/(\S+) (.*)$/s.exec(id) ?? [];
  return { place: { team, channel }, target: readTarget(target) };
}

function encodeRow({ owner, createdAt, filter, name, checkedAt, paused }: Subscription): string {
  return row.encode({
    o: owner,
    b: toSeconds(createdAt),
    f: filter,
    ...(name === undefined ? {} : { n: name }),
    ...(checkedAt === undefined ? {} : { c: toSeconds(checkedAt) }),
    ...(paused ? { p: [paused.reason, toSeconds(paused.at), ...(paused.cause ? [paused.cause] : [])] } : {}),
  });
}

function decodeRow(onShelf: string, field: string, text: string): Subscription {
  const [, team = '', channel = '', pattern] = /^([^/]+)\/(\S+)(?: (.*))?$/.exec(field) ?? [];
  const { o, b, f, n, c, p } = row.decode(text);
  return {
    place: { team, channel },
    target: readTarget(pattern === undefined ? onShelf : `${onShelf} ${pattern}`),
    owner: o,
    createdAt: b * 1000,
    filter: f,
    ...(n === undefined ? {} : { name: n }),
    ...(c === undefined ? {} : { checkedAt: c * 1000 }),
    ...(p ? { paused: { reason: p[0], at: p[1] * 1000, ...(p[2] && { cause: p[2] }) } } : {}),
  };
}

const toSeconds = (ms: number) => Math.floor(ms / 1000);

// The two indexes are hashes without values: small ones take less space than small sets.
// KEYS: rows, the channel's, the old owner's, the new owner's, names, changes.
// ARGV: field, old row or '', new row or '', target, the owner's entry, shelf, name.
const swapRow = script(`
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[3], ARGV[5])
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[4])
  if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HDEL', KEYS[5], ARGV[6]) end
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call('HSET', KEYS[2], ARGV[4], '')
  redis.call('HSET', KEYS[4], ARGV[5], '')
  if ARGV[7] ~= '' then redis.call('HSET', KEYS[5], ARGV[6], ARGV[7]) end
end
local last = redis.call('ZRANGE', KEYS[6], -1, -1, 'WITHSCORES')[2] or 0
redis.call('ZADD', KEYS[6], last + 1, ARGV[6])
redis.call('ZREMRANGEBYRANK', KEYS[6], 0, -1001)
return 1`);

const readShelves = script(`
local out = {}
for at, key in ipairs(KEYS) do out[at] = redis.call('HGETALL', key) end
return out`);

const renameRow = script(`
local old = redis.call('HGET', KEYS[1], ARGV[1])
if not old or old == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], string.lower(old), ARGV[1])
return 1`);

type Where = Pick<Subscription, 'place' | 'target'>;
type Change = Partial<Pick<Subscription, 'filter' | 'owner' | 'name' | 'checkedAt'>>;

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
  /** Fields and rows alternate. */
  const readRows = (onShelf: string, rows: readonly string[]): Subscription[] =>
    rows.flatMap((field, at) => (at % 2 === 0 ? (read(onShelf, field, rows[at + 1] ?? '') ?? []) : []));
  const on = async (onShelf: string): Promise<Subscription[]> =>
    readRows(onShelf, Object.entries(await redis.hgetall(rowsOn(onShelf))).flat());
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
    const ownerKey = (sub: Subscription | undefined) =>
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
        ownerKey(old),
        ownerKey(next),
        keys.subscriptionNames(),
        keys.subscriptionChanges(),
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
    change: (where: Where, change: Change): Promise<Subscription | undefined> =>
      swap(where, (old) => old && { ...old, ...change }),

    /** The first reason counts, unless it would end on its own. */
    pause: (where: Where, paused: NonNullable<Subscription['paused']>): Promise<Subscription | undefined> =>
      swap(where, (old) => old && { ...old, paused: old.paused && !old.paused.cause ? old.paused : paused }),

    /** What is paused for another reason stays so until someone subscribes again. */
    resumeWithheld: (where: Where): Promise<Subscription | undefined> =>
      swap(where, (old) => {
        if (old?.paused?.cause !== 'withheld') return old;
        const { paused: _, ...rest } = old;
        return rest;
      }),

    /** The removed row, or undefined if there was none. */
    remove: (where: Where): Promise<Subscription | undefined> => swap(where, () => undefined),

    /** Everyone who may want an event of this repository: its followers, and its owner's, whose patterns the feed matches. */
    async candidates(repoId: number, ownerId: number): Promise<Subscription[]> {
      const shelves = [`r${repoId}`, `o${ownerId}`];
      const rows = z.array(texts).parse(await readShelves(redis, shelves.map(rowsOn), []));
      return shelves.flatMap((onShelf, at) => readRows(onShelf, rows[at] ?? []));
    },
    of: (target: Target): Promise<Subscription[]> => on(shelf(target)),

    async inChannel(place: Place): Promise<Subscription[]> {
      const targets = await redis.hkeys(keys.subscriptionsIn(place));
      return all(targets.map((text) => ({ place, target: readTarget(text) })));
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
      const entries = await redis.hkeys(keys.subscriptionsBy({ team, user }));
      const found = await all(
        entries.map((text) => {
          const space = text.indexOf(' ');
          return { place: { team, channel: text.slice(0, space) }, target: readTarget(text.slice(space + 1)) };
        }),
      );
      return found.filter(({ owner }) => owner === user);
    },

    /** Every target anyone follows, with its last name. An owner appears once, whatever its patterns. */
    async listFollowed(): Promise<{ kind: Target['kind']; id: number; name: string }[]> {
      const names = Object.entries(await redis.hgetall(keys.subscriptionNames()));
      return names.map(([text, name]) => {
        const { kind, id } = readTarget(text);
        return { kind, id, name };
      });
    },
    /** What changed after an earlier answer's `until`; undefined if nobody knows any more, so that everything may have. */
    async changes(
      since: number | undefined,
    ): Promise<{ until: number; changed: Pick<Target, 'kind' | 'id'>[] | undefined }> {
      const found = await redis.zrange(keys.subscriptionChanges(), '0', '-1', 'WITHSCORES');
      const numbers = found.flatMap((each, at) => (at % 2 === 1 ? Number(each) : []));
      const [first = 1, until = 0] = [numbers[0], numbers.at(-1)];
      if (since === undefined || since < first - 1 || since > until) return { until, changed: undefined };
      return { until, changed: numbers.flatMap((n, at) => (n > since ? readTarget(found[2 * at] ?? '') : [])) };
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
