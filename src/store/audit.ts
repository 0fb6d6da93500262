import { z } from 'zod';
import type { Ground } from './ground.js';
import { script } from './script.js';
import type { About } from './seal.js';
import { texts, versioned } from './value.js';

const Who = z.object({ team: z.string(), user: z.string(), login: z.string().optional() });

const AuditEntry = z.object({
  at: z.int(),
  who: Who,
  /** The person's agent, if it made the request. */
  agent: z.object({ id: z.string(), name: z.string() }).optional(),
  approvedBy: z.array(Who).optional(),
  command: z.string(),
  /** Redacted by the caller: never contains a secret. */
  args: z.record(z.string(), z.json()),
  operation: z.string().optional(),
  target: z.string().optional(),
  status: z.int().optional(),
  durationMs: z.number().optional(),
  outcome: z.string(),
  note: z.string().optional(),
  job: z.string().optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
const entry = versioned(AuditEntry);

export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

export interface AuditRow extends AuditHead {
  readonly entry: AuditEntry;
}

/** A row as stored in Redis, not yet trusted. */
export interface RawRow extends AuditHead {
  /** The stream id; ours end in `-0`. */
  readonly id: string;
  readonly text: string;
}

export const genesis: AuditHead = { seq: 0, hash: 'genesis' };
export const auditAbout = (forge: string): About => ['audit', forge];
/** The input of a row's hash: its number, the previous hash, its text. */
export const chained = (before: AuditHead, text: string): string => `${before.seq + 1}\n${before.hash}\n${text}`;

const mostRepairs = 10;

interface Waiting {
  readonly text: string;
  readonly done: (head: AuditHead) => void;
  readonly failed: (error: unknown) => void;
}

/** Append-only chain: hashed with a key Redis never sees, and appended only to the head it continues. */
export function createAuditLog({ redis, forge, keys, seal, now }: Ground, repair: () => Promise<void>) {
  const both = [keys.auditChain(), keys.auditHead()];
  const waiting: Waiting[] = [];
  let writing = false;

  const head = async (): Promise<AuditHead> => {
    const [seq, hash] = await redis.hmget(keys.auditHead(), 'seq', 'hash');
    if (!seq || !hash) return genesis;
    return { seq: /^\d{1,15}$/.test(seq) ? Number(seq) : -1, hash };
  };
  const isHead = ({ seq }: AuditHead) => Number.isSafeInteger(seq) && seq >= 0;

  const write = async (rows: readonly string[]): Promise<AuditHead[]> => {
    for (let from = await head(), repairs = 0; ; ) {
      const chain: AuditHead[] = [];
      for (const text of rows) {
        const before = chain.at(-1) ?? from;
        chain.push({ seq: before.seq + 1, hash: seal.mac(chained(before, text), auditAbout(forge)) });
      }
      const pairs = rows.flatMap((text, index) => [text, chain[index]?.hash ?? '']);
      const [how, seq = '', hash = ''] = texts.parse(await append(redis, both, [from.seq, from.hash, ...pairs]));
      if (how === '1') return chain;
      if (how === 'refused' && !/equal or smaller|exhausted/.test(seq)) throw new Error(seq);
      // another process was faster: continue from its head
      from = { seq: Number(seq), hash };
      if (how !== 'refused' && isHead(from)) continue;
      // someone else wrote into the chain or changed its head: that must not stop our own rows
      if (repairs === mostRepairs) throw new Error('someone keeps changing the audit chain');
      repairs += 1;
      await repair();
      from = await head();
    }
  };

  // rows of one moment are written in one step, so that processes do not compete for the head row by row
  const drain = async (): Promise<void> => {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, 100);
      try {
        const heads = await write(batch.map(({ text }) => text));
        for (const [index, { done }] of batch.entries()) done(heads[index] ?? genesis);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    writing = false;
  };

  return {
    head,

    /** Resolves with the new head, worth logging: an external log reveals if the end was cut off. */
    append(value: Omit<AuditEntry, 'at'>): Promise<AuditHead> {
      const text = entry.encode({ ...value, at: now() });
      return new Promise((done, failed) => {
        waiting.push({ text, done, failed });
        if (!writing) void drain();
      });
    },

    /** Rows after `seq`, oldest first. */
    async rows(seq: number, limit: number): Promise<RawRow[]> {
      return (await redis.xrange(keys.auditChain(), `(${seq}-0`, '+', 'COUNT', limit)).map(readRaw);
    },
    /** Rows before `seq`, newest first. */
    async rowsBefore(seq: number, limit: number): Promise<RawRow[]> {
      return (await redis.xrevrange(keys.auditChain(), `(${seq}-0`, '-', 'COUNT', limit)).map(readRaw);
    },
  };
}

/** As an entry; undefined if it cannot be ours. */
export function readRow({ id, text, ...row }: RawRow): AuditRow | undefined {
  if (!id.endsWith('-0')) return undefined;
  try {
    return { ...row, entry: entry.decode(text) };
  } catch {
    return undefined;
  }
}

export function readRaw([id, [, text = '', , hash = '']]: [id: string, fields: string[]]): RawRow {
  return { id, seq: Number(id.split('-')[0]), text, hash };
}

const append = script(`
local seq = redis.call('HGET', KEYS[2], 'seq') or '0'
local hash = redis.call('HGET', KEYS[2], 'hash') or 'genesis'
if seq ~= ARGV[1] or hash ~= ARGV[2] then return {'0', seq, hash} end
local n = tonumber(seq)
for i = 3, #ARGV, 2 do
  n = n + 1
  local added = redis.pcall('XADD', KEYS[1], string.format('%.0f-0', n), 'e', ARGV[i], 'h', ARGV[i + 1])
  if type(added) == 'table' and added.err then return {'refused', added.err} end
end
redis.call('HSET', KEYS[2], 'seq', string.format('%.0f', n), 'hash', ARGV[#ARGV])
return {'1'}`);
