import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Keys } from './keys.js';
import type { Connection } from './redis.js';
import type { Seal } from './seal.js';

/** The store's shared dependencies. */
export interface Ground {
  readonly redis: Connection;
  readonly forge: string;
  readonly keys: Keys;
  readonly seal: Seal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** For records in Redis that Bellows did not write. */
  readonly alarm: Alarm;
}

/** A person is a workspace and a user in it; names are for display. */
export interface Person {
  readonly team: string;
  readonly user: string;
}

/** A channel or conversation in Slack; a person's id stands for their direct messages, like in Slack's own calls. */
export interface Place {
  readonly team: string;
  readonly channel: string;
}

export const isUserId = (channel: string): boolean => /^[UW]/.test(channel);

/** A muted repository, by its id, holds up no others; notices wait for no backlog and no mute. */
export type Lane = number | 'notices';

/** One outbox of a place; its own messages are in none of the lanes. */
export interface OutboxPlace extends Place {
  readonly lane?: Lane | undefined;
}

/** As a member of a set or a field of a hash. */
export const placeName = ({ team, channel }: Place): string => `${team}/${channel}`;

export function readPlaceName(name: string): Place {
  const [team = '', channel = ''] = name.split('/');
  return { team, channel };
}

export const outboxName = ({ lane, ...place }: OutboxPlace): string =>
  lane === undefined ? placeName(place) : `${placeName(place)}/${lane}`;

export function readOutboxName(name: string): OutboxPlace {
  const [, , lane] = name.split('/');
  return { ...readPlaceName(name), ...(lane !== undefined && { lane: lane === 'notices' ? lane : Number(lane) }) };
}

/** A record in Redis that Bellows did not write, or that was changed, copied or restored since. */
export interface Forged {
  readonly kind:
    | 'job'
    | 'approval'
    | 'vote'
    | 'account'
    | 'pending'
    | 'link offer'
    | 'undo'
    | 'audit'
    | 'deployment'
    | 'subscription'
    | 'handover'
    | 'reminder'
    | 'link'
    | 'settings'
    | 'follow'
    | 'drain'
    | 'review'
    | 'queue'
    | 'channel'
    | 'reply'
    | 'answer'
    | 'agent';
  readonly id: string;
  readonly reason: string;
  /** Whose it claims to be. */
  readonly person?: Person;
}

/** True only for the first report of a record. */
export type Alarm = (forged: Forged) => boolean;

export type Argument = string | number | Buffer;
export type Script = (redis: Connection, keys: readonly string[], args: readonly Argument[]) => Promise<unknown>;

/** One atomic step in Redis: sent by its hash, or in full if the server does not know it yet. */
export function script(lua: string): Script {
  const sha = createHash('sha1').update(lua).digest('hex');
  return async (redis, keys, args) => {
    oneSlot(keys);
    try {
      return await redis.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(lua, keys.length, ...keys, ...args);
    }
  };
}

// plain Redis accepts what a cluster refuses, so it is refused everywhere
function oneSlot(keys: readonly string[]): void {
  const [first = '', ...others] = keys;
  const tag = tagOf(first);
  if (others.some((key) => tagOf(key) !== tag))
    throw new Error(`A script's keys must share one hash tag: ${keys.join(' ')}`);
}

function tagOf(key: string): string {
  const open = key.indexOf('{');
  const close = open === -1 ? -1 : key.indexOf('}', open);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

interface Codec<T> {
  encode(value: T): string;
  decode(text: string): T;
}

/** Turns a value of version n into one of version n + 1. */
type Upgrade = (old: Record<string, unknown>) => Record<string, unknown>;

const Stored = z.looseObject({ v: z.int().positive() });

/** JSON with a version inside; older values are upgraded when read. The nth upgrade reads version n. */
export function versionedCodec<const T extends object>(
  schema: z.ZodType<T>,
  upgrades: readonly Upgrade[] = [],
): Codec<T> {
  const current = upgrades.length + 1;
  return {
    encode: (value) => JSON.stringify({ v: current, ...value }),
    decode(text) {
      const { v, ...stored } = Stored.parse(JSON.parse(text));
      if (v > current)
        throw new Error(`A stored value has version ${v}; this Bellows reads up to ${current}. Upgrade it.`);
      const value = upgrades.slice(v - 1).reduce<Record<string, unknown>>((old, upgrade) => upgrade(old), stored);
      return schema.parse(value);
    },
  };
}

export const texts = z.array(z.string());

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
/** JSON.parse only returns JSON; validating it again would cost more than parsing it. */
export const json = z.custom<Json>((value) => value !== undefined);

/** A copy as stored: undefined values are left out. */
export const plainJson = <const T extends object>(value: T): T & { [name: string]: Json } =>
  JSON.parse(JSON.stringify(value));
