import { z } from 'zod';
import type { Place } from './ground.js';
import { type Json, json, versioned } from './value.js';

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
const row = versioned(Row);

const letters = { repo: 'r', owner: 'o', user: 'u' } as const;
const kinds = { r: 'repo', o: 'owner', u: 'user' } as const;

/** `r12`, `o5`, `u7`: where a target's rows are stored. */
export const shelf = ({ kind, id }: Target): string => `${letters[kind]}${id}`;
/** The full target: `r12`, `o5 lib-*`. */
export const targetText = (target: Target): string =>
  target.kind === 'owner' ? `${shelf(target)} ${target.pattern}` : shelf(target);
/** A row's field on its shelf: the follower. */
export const follower = ({ team, channel }: Place, target: Target): string =>
  target.kind === 'owner' ? `${team}/${channel} ${target.pattern}` : `${team}/${channel}`;

export function readTarget(text: string): Target {
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

export function encodeRow({ owner, createdAt, filter, name, checkedAt, paused }: Subscription): string {
  return row.encode({
    o: owner,
    b: toSeconds(createdAt),
    f: filter,
    ...(name === undefined ? {} : { n: name }),
    ...(checkedAt === undefined ? {} : { c: toSeconds(checkedAt) }),
    ...(paused ? { p: [paused.reason, toSeconds(paused.at), ...(paused.cause ? [paused.cause] : [])] } : {}),
  });
}

export function decodeRow(onShelf: string, field: string, text: string): Subscription {
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
