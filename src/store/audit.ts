import { z } from 'zod';
import { type Ground, script, texts, versionedCodec } from './ground.js';
import type { About } from './seal.js';

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
const entry = versionedCodec(AuditEntry);

interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

export interface AuditRow extends AuditHead {
  readonly entry: AuditEntry;
}

/** A row as stored in Redis, not yet trusted. */
interface RawRow extends AuditHead {
  /** The stream id; ours end in `-0`. */
  readonly id: string;
  readonly text: string;
}

const genesis: AuditHead = { seq: 0, hash: 'genesis' };
const auditAbout = (forge: string): About => ['audit', forge];
/** The input of a row's hash: its number, the previous hash, its text. */
const chainText = (before: AuditHead, text: string): string => `${before.seq + 1}\n${before.hash}\n${text}`;

const mostRepairs = 10;

interface Waiting {
  readonly text: string;
  readonly done: (head: AuditHead) => void;
  readonly failed: (error: unknown) => void;
}

/** Append-only chain: hashed with a key Redis never sees, and appended only to the head it continues. */
function createAuditLog({ redis, forge, keys, seal, now }: Ground, repair: () => Promise<void>) {
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
        chain.push({ seq: before.seq + 1, hash: seal.mac(chainText(before, text), auditAbout(forge)) });
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
function readRow({ id, text, ...row }: RawRow): AuditRow | undefined {
  if (!id.endsWith('-0')) return undefined;
  try {
    return { ...row, entry: entry.decode(text) };
  } catch {
    return undefined;
  }
}

function readRaw([id, [, text = '', , hash = '']]: [id: string, fields: string[]]): RawRow {
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

const chainPageSize = 200;
const batchSize = 1_000;

/** Restores the chain to our last row; what someone else added after it is set aside, not lost. */
function createRepair({ redis, forge, keys, seal, alarm }: Ground, origin: () => Promise<AuditHead>) {
  const all = [keys.auditChain(), keys.auditHead(), keys.auditForeign()];

  const follows = (row: RawRow, before: AuditHead): boolean =>
    row.id === `${before.seq + 1}-0` && seal.checkMac(row.hash, chainText(before, row.text), auditAbout(forge));

  /** The newest row that continues the one before it, however much was added after it. */
  async function lastOfOurs(): Promise<AuditHead> {
    let later: RawRow | undefined;
    for (let from = '+'; ; ) {
      const page = (await redis.xrevrange(keys.auditChain(), from, '-', 'COUNT', chainPageSize)).map(readRaw);
      for (const row of page) {
        from = `(${row.id}`;
        // Bellows uses whole row numbers, so a row in between is never the previous one.
        if (!row.id.endsWith('-0')) continue;
        if (later && follows(later, row)) return { seq: later.seq, hash: later.hash };
        later = row;
      }
      if (page.length < chainPageSize) break;
    }
    const first = await origin();
    return later && follows(later, first) ? { seq: later.seq, hash: later.hash } : first;
  }

  return {
    async repair(): Promise<void> {
      const [seq, hash] = await redis.hmget(keys.auditHead(), 'seq', 'hash');
      const last = await lastOfOurs();
      const reason = `rows after ${last.seq} were not written by Bellows`;
      const args = [seq ?? '', hash ?? '', last.seq, last.hash, batchSize];
      while ((await setAside(redis, all, args)) === 1) {}
      alarm({ kind: 'audit', id: `after row ${last.seq}`, reason });
    },

    /** What was set aside, unchanged. */
    foreign: (): Promise<string[]> => redis.lrange(keys.auditForeign(), 0, -1),
  };
}

/** ARGV: the head as found, our last row, how many at once. 1: there are more. */
const setAside = script(`
if (redis.call('HGET', KEYS[2], 'seq') or '') ~= ARGV[1] or (redis.call('HGET', KEYS[2], 'hash') or '') ~= ARGV[2] then return 0 end
local rows = redis.call('XRANGE', KEYS[1], '(' .. ARGV[3] .. '-0', '+', 'COUNT', ARGV[5])
for _, row in ipairs(rows) do
  redis.call('RPUSH', KEYS[3], string.sub(row[1] .. ' ' .. table.concat(row[2], ' '), 1, 2000))
  redis.call('XDEL', KEYS[1], row[1])
end
redis.call('LTRIM', KEYS[3], -1000, -1)
if #rows == tonumber(ARGV[5]) then return 1 end
if redis.call('EXISTS', KEYS[1]) == 1 then
  local back = redis.pcall('XSETID', KEYS[1], ARGV[3] .. '-0')
  if type(back) == 'table' and back.err then
    -- where Redis does not take a number back the stream is made anew
    local ours = redis.call('XRANGE', KEYS[1], '-', '+')
    redis.call('DEL', KEYS[1])
    for _, row in ipairs(ours) do redis.call('XADD', KEYS[1], row[1], unpack(row[2])) end
  end
end
redis.call('HSET', KEYS[2], 'seq', ARGV[3], 'hash', ARGV[4])
return 0`);

const Checkpoint = z.object({ seq: z.int(), hash: z.string(), at: z.int(), mac: z.string() });
type Checkpoint = z.infer<typeof Checkpoint>;
const checkpoint = versionedCodec(Checkpoint);

interface AuditFilters {
  readonly user?: string;
  readonly command?: string;
  readonly outcome?: string;
  readonly target?: string;
  readonly since?: number;
  readonly until?: number;
}

type Verdict =
  | { readonly ok: true; readonly rows: number; readonly from: number; readonly head: AuditHead }
  | { readonly ok: false; readonly rows: number; readonly brokenAt: number; readonly reason: string };

const pageSize = 200;
// a filter that matches nothing must not read the whole chain for one answer
const mostScanned = 10_000;

/** Reading, checking and trimming the chain. */
export function createAudit(ground: Ground) {
  const { redis, forge, keys, seal, now } = ground;
  const signedText = ({ seq, hash, at }: Omit<Checkpoint, 'mac'>) => `checkpoint\n${seq}\n${hash}\n${at}`;

  const start = async (): Promise<{ from: AuditHead; honest: boolean }> => {
    const text = await redis.lindex(keys.auditCheckpoints(), -1);
    if (text === null) return { from: genesis, honest: true };
    const from = checkpoint.decode(text);
    return { from, honest: seal.checkMac(from.mac, signedText(from), auditAbout(forge)) };
  };

  const { repair, foreign } = createRepair(ground, async () => {
    const { from, honest } = await start();
    return honest ? from : genesis;
  });
  const log = createAuditLog(ground, repair);

  return {
    append: log.append,
    head: log.head,
    /** Rows that someone else added after ours; set aside when the next one was written. */
    foreign,

    /** Newest first; `next` continues after this page. */
    async read(filters: AuditFilters = {}, options: { limit?: number; before?: number } = {}) {
      const { limit = 20 } = options;
      const rows: AuditRow[] = [];
      // anything after the end is not ours
      const end = (await log.head()).seq + 1;
      let before = Math.min(options.before ?? end, end);
      for (let scanned = 0; scanned < mostScanned; ) {
        const page = await log.rowsBefore(before, pageSize);
        for (const raw of page) {
          before = raw.seq;
          const row = readRow(raw);
          if (row && matches(row, filters)) rows.push(row);
          if (rows.length === limit) return { rows, next: before };
        }
        if (page.length < pageSize) return { rows };
        scanned += page.length;
      }
      return { rows, next: before };
    },

    /** The whole chain, oldest first. */
    async *export(): AsyncGenerator<AuditRow> {
      for (let last = 0; ; ) {
        const page = await log.rows(last, pageSize);
        for (const raw of page) {
          last = raw.seq;
          const row = readRow(raw);
          if (row) yield row;
        }
        if (page.length < pageSize) return;
      }
    },

    /** Names the first broken link. `known` is a head from an external log: it shows whether the end is missing. */
    async verify(known?: AuditHead): Promise<Verdict> {
      const { from, honest } = await start();
      const end = await log.head();
      const brokenAtRow = (rows: number, brokenAt: number, reason: string): Verdict => ({
        ok: false,
        rows,
        brokenAt,
        reason,
      });
      if (!honest) return brokenAtRow(0, from.seq, 'the checkpoint before the first row was not made with our keys');
      let last: AuditHead = from;
      for (let rows = 0; ; ) {
        const page = await log.rows(last.seq, pageSize);
        for (const row of page) {
          // appended while we read, or added after our last row by someone else
          if (row.seq > end.seq && row.seq <= (await log.head()).seq) break;
          const at = last.seq + 1;
          if (row.seq > end.seq || !row.id.endsWith('-0'))
            return brokenAtRow(rows, at, `row ${row.id} was not written by Bellows`);
          if (row.seq !== at) return brokenAtRow(rows, at, `row ${at} is missing`);
          if (!seal.checkMac(row.hash, chainText(last, row.text), auditAbout(forge))) {
            return brokenAtRow(rows, at, `row ${at} was changed, or its key is no longer in BELLOWS_KEYS`);
          }
          if (known?.seq === at && known.hash !== row.hash)
            return brokenAtRow(rows, at, `row ${at} is not the one logged`);
          last = { seq: row.seq, hash: row.hash };
          rows += 1;
        }
        if (page.length === pageSize && last.seq < end.seq) continue;
        if (last.seq !== end.seq || last.hash !== end.hash)
          return brokenAtRow(rows, last.seq + 1, 'the end is missing');
        if (known && known.seq > last.seq) return brokenAtRow(rows, last.seq + 1, 'the end is missing');
        return { ok: true, rows, from: from.seq, head: end };
      }
    },

    /** Drops this row and all earlier ones, after a signed checkpoint; returns how many. The newest row stays. */
    async trim(last: number): Promise<number> {
      const { seq } = await log.head();
      const [row] = await log.rows(last - 1, 1);
      if (last < 1 || last >= seq || !row || row.seq !== last) return 0;
      const point = { seq: row.seq, hash: row.hash, at: now() };
      const text = checkpoint.encode({ ...point, mac: seal.mac(signedText(point), auditAbout(forge)) });
      const both = [keys.auditChain(), keys.auditCheckpoints()];
      return z.number().parse(await trim(redis, both, [text, `${row.seq + 1}-0`]));
    },
  };
}

function matches({ entry }: AuditRow, { user, command, outcome, target, since, until }: AuditFilters): boolean {
  return (
    (user === undefined || entry.who.user === user || (entry.approvedBy ?? []).some((who) => who.user === user)) &&
    (command === undefined || `${entry.command} `.startsWith(`${command} `)) &&
    (outcome === undefined || entry.outcome === outcome) &&
    (target === undefined || (entry.target ?? '').startsWith(target)) &&
    (since === undefined || entry.at >= since) &&
    (until === undefined || entry.at < until)
  );
}

const trim = script(`
redis.call('RPUSH', KEYS[2], ARGV[1])
return redis.call('XTRIM', KEYS[1], 'MINID', ARGV[2])`);
