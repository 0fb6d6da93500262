import { z } from 'zod';
import { type AuditHead, type AuditRow, auditAbout, chained, createAuditLog, genesis, readRow } from './audit.js';
import { createRepair } from './audit-repair.js';
import type { Ground } from './ground.js';
import { script } from './script.js';
import { versioned } from './value.js';

const Checkpoint = z.object({ seq: z.int(), hash: z.string(), at: z.int(), mac: z.string() });
type Checkpoint = z.infer<typeof Checkpoint>;
const checkpoint = versioned(Checkpoint);

export interface AuditFilters {
  readonly user?: string;
  readonly command?: string;
  readonly outcome?: string;
  readonly target?: string;
  readonly since?: number;
  readonly until?: number;
}

export type Verdict =
  | { readonly ok: true; readonly rows: number; readonly from: number; readonly head: AuditHead }
  | { readonly ok: false; readonly rows: number; readonly brokenAt: number; readonly reason: string };

const pageSize = 200;
// a filter that matches nothing must not read the whole chain for one answer
const mostScanned = 10_000;

/** Reading, checking and trimming the chain. */
export function createAudit(ground: Ground) {
  const { redis, forge, keys, seal, now } = ground;
  const signed = ({ seq, hash, at }: Omit<Checkpoint, 'mac'>) => `checkpoint\n${seq}\n${hash}\n${at}`;

  const start = async (): Promise<{ from: AuditHead; honest: boolean }> => {
    const text = await redis.lindex(keys.auditCheckpoints(), -1);
    if (text === null) return { from: genesis, honest: true };
    const from = checkpoint.decode(text);
    return { from, honest: seal.checkMac(from.mac, signed(from), auditAbout(forge)) };
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
      const broken = (rows: number, brokenAt: number, reason: string): Verdict => ({
        ok: false,
        rows,
        brokenAt,
        reason,
      });
      if (!honest) return broken(0, from.seq, 'the checkpoint before the first row was not made with our keys');
      let last: AuditHead = from;
      for (let rows = 0; ; ) {
        const page = await log.rows(last.seq, pageSize);
        for (const row of page) {
          // appended while we read, or added after our last row by someone else
          if (row.seq > end.seq && row.seq <= (await log.head()).seq) break;
          const at = last.seq + 1;
          if (row.seq > end.seq || !row.id.endsWith('-0'))
            return broken(rows, at, `row ${row.id} was not written by Bellows`);
          if (row.seq !== at) return broken(rows, at, `row ${at} is missing`);
          if (!seal.checkMac(row.hash, chained(last, row.text), auditAbout(forge))) {
            return broken(rows, at, `row ${at} was changed, or its key is no longer in BELLOWS_KEYS`);
          }
          if (known?.seq === at && known.hash !== row.hash) return broken(rows, at, `row ${at} is not the one logged`);
          last = { seq: row.seq, hash: row.hash };
          rows += 1;
        }
        if (page.length === pageSize && last.seq < end.seq) continue;
        if (last.seq !== end.seq || last.hash !== end.hash) return broken(rows, last.seq + 1, 'the end is missing');
        if (known && known.seq > last.seq) return broken(rows, last.seq + 1, 'the end is missing');
        return { ok: true, rows, from: from.seq, head: end };
      }
    },

    /** Drops this row and all earlier ones, after a signed checkpoint; returns how many. The newest row stays. */
    async trim(last: number): Promise<number> {
      const { seq } = await log.head();
      const [row] = await log.rows(last - 1, 1);
      if (last < 1 || last >= seq || !row || row.seq !== last) return 0;
      const point = { seq: row.seq, hash: row.hash, at: now() };
      const text = checkpoint.encode({ ...point, mac: seal.mac(signed(point), auditAbout(forge)) });
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
