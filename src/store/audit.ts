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

const Checkpoint = z.object({ seq: z.int(), hash: z.string(), at: z.int(), mac: z.string() });
type Checkpoint = z.infer<typeof Checkpoint>;
const checkpoint = versionedCodec(Checkpoint);

const genesis: AuditHead = { seq: 0, hash: 'genesis' };
const auditAbout = (forge: string): About => ['audit', forge];
/** Bellows uses whole row numbers. */
const isWhole = ({ id }: RawRow): boolean => id.endsWith('-0');
/** The input of a row's hash: its number, the previous hash, its text. */
const chainText = (before: AuditHead, text: string): string => `${before.seq + 1}\n${before.hash}\n${text}`;

function readHead(seq: string | null | undefined, hash: string | null | undefined): AuditHead {
  if (!seq || !hash) return genesis;
  return { seq: /^\d{1,15}$/.test(seq) ? Number(seq) : -1, hash };
}

const mostRepairs = 10;

interface Waiting {
  readonly text: string;
  readonly done: (head: AuditHead) => void;
  readonly failed: (error: unknown) => void;
}

/** Append-only chain: hashed with a key Redis never sees, and appended only to the head it continues. */
function createAuditLog(
  { redis, forge, keys, seal, now }: Ground,
  { isOurEnd }: Pick<Chain, 'isOurEnd'>,
  repair: () => Promise<void>,
) {
  const both = [keys.auditChain(), keys.auditHead()];
  const waiting: Waiting[] = [];
  let writing = false;
  /** The end as this process left it, which needs no check. */
  let own: AuditHead = genesis;

  const head = async (): Promise<AuditHead> => {
    const [seq, hash] = await redis.hmget(keys.auditHead(), 'seq', 'hash');
    return readHead(seq, hash);
  };
  const mayFollow = async (from: AuditHead): Promise<boolean> =>
    (from.seq === own.seq && from.hash === own.hash) || isOurEnd(from);

  const write = async (rows: readonly string[]): Promise<AuditHead[]> => {
    for (let from = await head(), repairs = 0; ; ) {
      // someone else wrote into the chain or changed its head: that must not stop our own rows
      const mend = async () => {
        if (repairs === mostRepairs) throw new Error('someone keeps changing the audit chain');
        repairs += 1;
        await repair();
        from = await head();
      };
      if (!(await mayFollow(from))) {
        await mend();
        continue;
      }
      const chain: AuditHead[] = [];
      for (const text of rows) {
        const before = chain.at(-1) ?? from;
        chain.push({ seq: before.seq + 1, hash: seal.mac(chainText(before, text), auditAbout(forge)) });
      }
      const pairs = rows.flatMap((text, index) => [text, chain[index]?.hash ?? '']);
      const [how, seq = '', hash = ''] = texts.parse(await append(redis, both, [from.seq, from.hash, ...pairs]));
      if (how === '1') {
        own = chain.at(-1) ?? from;
        return chain;
      }
      if (how === 'refused' && !/equal or smaller|exhausted/.test(seq)) throw new Error(seq);
      if (how === 'refused') await mend();
      // another process was faster: continue from its head
      else from = readHead(seq, hash);
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
  };
}

/** As an entry; undefined if it cannot be ours. */
function readRow({ id: _, text, ...row }: RawRow): AuditRow | undefined {
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

const pageSize = 200;
const noneSignedMs = 60_000;
const batchSize = 1_000;

/** What is in Redis, and which of it Bellows wrote. */
function createChain({ redis, forge, keys, seal, now }: Ground) {
  const signedText = ({ seq, hash, at }: Omit<Checkpoint, 'mac'>) => `checkpoint\n${seq}\n${hash}\n${at}`;
  const follows = (row: RawRow, before: AuditHead): boolean =>
    row.id === `${before.seq + 1}-0` && seal.checkMac(row.hash, chainText(before, row.text), auditAbout(forge));
  const rowAt = async (seq: number): Promise<RawRow | undefined> =>
    (await redis.xrange(keys.auditChain(), `${seq}-0`, `${seq}-0`)).map(readRaw)[0];

  /** Where the chain starts. */
  const start = async (): Promise<{ from: AuditHead; honest: boolean }> => {
    const text = await redis.lindex(keys.auditCheckpoints(), -1);
    if (text === null) return { from: genesis, honest: true };
    const from = checkpoint.decode(text);
    return { from, honest: seal.checkMac(from.mac, signedText(from), auditAbout(forge)) };
  };

  /** Newest first, each with the one before it; `read` counts others' rows too. */
  async function* backwards(from: string): AsyncGenerator<{ row: RawRow; before: AuditHead; read: number }> {
    const first = (await start()).from;
    let later: RawRow | undefined;
    for (let next = from, read = 0; ; ) {
      const page = (await redis.xrevrange(keys.auditChain(), next, '-', 'COUNT', pageSize)).map(readRaw);
      for (const row of page) {
        // rows in between are never the previous one, and there may be any number of them
        next = isWhole(row) ? `(${row.id}` : `${row.seq}-0`;
        read += 1;
        if (!isWhole(row)) continue;
        if (later) yield { row: later, before: row, read };
        later = row;
      }
      if (page.length < pageSize) break;
    }
    if (later) yield { row: later, before: first, read: 0 };
  }

  /** Oldest first, each with the one before it. */
  async function* forwards(): AsyncGenerator<{ row: RawRow; before: AuditHead }> {
    let before = (await start()).from;
    for (let next = '-'; ; ) {
      const page = (await redis.xrange(keys.auditChain(), next, '+', 'COUNT', pageSize)).map(readRaw);
      for (const row of page) {
        next = `(${row.id}`;
        if (!isWhole(row)) continue;
        yield { row, before };
        before = row;
      }
      if (page.length < pageSize) return;
    }
  }

  let firstSigned: { readonly seq: number; readonly until: number } | undefined;
  /** The first row that our keys verify: earlier ones may be of a key that was removed, later ones are not. */
  async function readFirstSigned(): Promise<number> {
    if (firstSigned && now() < firstSigned.until) return firstSigned.seq;
    for await (const { row, before } of forwards()) {
      if (!follows(row, before)) continue;
      firstSigned = { seq: row.seq, until: Number.POSITIVE_INFINITY };
      return row.seq;
    }
    // all of a long chain must not be read again for each of its rows
    firstSigned = { seq: Number.POSITIVE_INFINITY, until: now() + noneSignedMs };
    return firstSigned.seq;
  }

  const isOurs = async (row: RawRow, before: AuditHead): Promise<boolean> =>
    follows(row, before) || (!seal.hasKeyOf(row.hash) && row.seq < (await readFirstSigned()));

  return {
    signedText,
    start,
    backwards,
    forwards,
    follows,
    isOurs,

    /** Whether the head names the last row as Bellows wrote it. */
    async isOurEnd({ seq, hash }: AuditHead): Promise<boolean> {
      if (seq < 1) return seq === genesis.seq && hash === genesis.hash;
      const [row, previous] = await Promise.all([rowAt(seq), rowAt(seq - 1)]);
      if (row && row.hash !== hash) return false;
      if (row && previous && (await isOurs(row, previous))) return true;
      const { from, honest } = await start();
      if (!row) return honest && from.seq === seq && from.hash === hash;
      if (!previous && from.seq === seq - 1 && (await isOurs(row, from))) return true;
      // where nothing at all can be verified, the key was lost: that history stays
      return (from.seq === genesis.seq || !honest) && (await readFirstSigned()) === Number.POSITIVE_INFINITY;
    },
  };
}
type Chain = ReturnType<typeof createChain>;

/** Restores the chain to our last row; what someone else added after it is set aside, not lost. */
function createRepair({ redis, keys, alarm }: Ground, { backwards, follows, start }: Chain) {
  const all = [keys.auditChain(), keys.auditHead(), keys.auditForeign()];

  /** The newest row that continues the one before it, however much was added after it. */
  async function lastOfOurs(): Promise<AuditHead> {
    for await (const { row, before } of backwards('+'))
      if (follows(row, before)) return { seq: row.seq, hash: row.hash };
    const { from, honest } = await start();
    return honest ? from : genesis;
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

// a filter that matches nothing must not read the whole chain for one answer
const mostScanned = 10_000;

/** Reading, checking and trimming the chain. */
export function createAudit(ground: Ground) {
  const { redis, forge, keys, seal, now, alarm } = ground;
  const chain = createChain(ground);
  const { signedText, start } = chain;
  const { repair, foreign } = createRepair(ground, chain);
  const log = createAuditLog(ground, chain, repair);

  /** As an entry; what someone else wrote is reported and left out. */
  const readOurs = async (raw: RawRow, before: AuditHead): Promise<AuditRow | undefined> => {
    if (await chain.isOurs(raw, before)) return readRow(raw);
    const reason = `row ${raw.seq} was changed or written by someone else, or its key is missing`;
    // one report for all rows: each report adds a row itself
    alarm({ kind: 'audit', id: 'rows', reason });
    return undefined;
  };

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
      const from = Math.min(options.before ?? end, end);
      for await (const { row: raw, before, read } of chain.backwards(`(${from}-0`)) {
        const row = await readOurs(raw, before);
        if (row && matches(row, filters)) rows.push(row);
        if (rows.length === limit || read > mostScanned) return { rows, next: raw.seq };
      }
      return { rows };
    },

    /** The whole chain, oldest first. */
    async *export(): AsyncGenerator<AuditRow> {
      for await (const { row: raw, before } of chain.forwards()) {
        const row = await readOurs(raw, before);
        if (row) yield row;
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
          if (row.seq > end.seq || !isWhole(row))
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
