import { open } from 'node:fs/promises';
import { readConfig } from '../config.js';
import { UserError } from '../errors.js';
import type { AuditRow, Store } from '../store/index.js';
import { withStore } from './with-store.js';

const lineOf = ({ seq, hash, entry }: AuditRow): string =>
  `${JSON.stringify({ seq, ...entry, at: new Date(entry.at).toISOString(), hash })}\n`;

/** Writes the rows before this time to a new file and syncs it to disk before they are dropped. */
async function keepBefore(store: Store, at: number, path: string): Promise<{ rows: number; last?: number }> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new UserError(`Cannot write ${path}: it already exists, or its folder is not writable.`, { cause: error });
  });
  try {
    let rows = 0;
    let last: number | undefined;
    for await (const row of store.audit.export()) {
      if (row.entry.at >= at) break;
      await file.write(lineOf(row));
      rows += 1;
      last = row.seq;
    }
    await file.sync();
    return { rows, ...(last === undefined ? {} : { last }) };
  } finally {
    await file.close();
  }
}

interface Options {
  readonly head?: string;
  readonly before?: string;
  readonly export?: string;
  readonly unverified?: boolean;
}

type Work = (store: Store, options: Options) => Promise<number>;

/** One row a line, oldest first. */
const exportRows: Work = async (store) => {
  for await (const row of store.audit.export()) {
    if (!process.stdout.write(lineOf(row))) await new Promise((drained) => process.stdout.once('drain', drained));
  }
  return 0;
};

const verifyRows: Work = async (store, { head }) => {
  const verdict = await store.audit.verify();
  if (!verdict.ok) return reportBreak(verdict.brokenAt, verdict.reason);
  const missing = head === undefined ? undefined : await notLogged(store, head);
  if (missing !== undefined) return reportBreak(missing.seq, missing.reason);
  const { rows, from } = verdict;
  const start = from === 0 ? 'from the beginning' : `after the checkpoint at row ${from}`;
  const foreign = (await store.audit.foreign()).map((row) => row.split(' ', 1)[0]);
  if (foreign.length > 0)
    console.log(`Rows that Bellows did not write were set aside (${foreign.length}): ${foreign.slice(-20).join(', ')}`);
  console.log(`The chain is intact: ${rows} rows ${start}, head ${verdict.head.seq}:${verdict.head.hash}`);
  return 0;
};

function reportBreak(at: number, reason: string): number {
  console.log(`The chain is broken at row ${at}: ${reason}.`);
  return 1;
}

/** An external log has the number of a row and the end of its hash. */
async function notLogged(store: Store, head: string): Promise<{ seq: number; reason: string } | undefined> {
  const [, digits = '', hash = ''] = /^(\d{1,15}):(\S{8,})$/.exec(head) ?? [];
  if (digits === '') throw new UserError('Write --head as in the log: the row number, a colon, the hash.');
  const seq = Number(digits);
  const { rows } = await store.audit.read({}, { limit: 1, before: seq + 1 });
  const [row] = rows;
  if (row?.seq !== seq) return { seq, reason: `row ${seq} is missing, though it was logged` };
  return row.hash.endsWith(hash) ? undefined : { seq, reason: `row ${seq} is not the one logged` };
}

const trimRows: Work = async (store, { before = '', export: to = '', unverified }) => {
  const at = Date.parse(before);
  if (Number.isNaN(at)) throw new UserError('Write --before as a date, such as 2026-01-31.');
  const verdict = await store.audit.verify();
  if (!verdict.ok && !unverified) {
    console.error('Nothing was removed. If you know the reason, such as a lost key, add --unverified.');
    return reportBreak(verdict.brokenAt, verdict.reason);
  }
  const kept = await keepBefore(store, at, to);
  const dropped = kept.last === undefined ? 0 : await store.audit.trim(kept.last);
  console.log(`Removed ${dropped} rows from before ${new Date(at).toISOString()}. Saved ${kept.rows} rows to ${to}.`);
  return 0;
};

const works = { export: exportRows, verify: verifyRows, trim: trimRows };

export function run(word: keyof typeof works, options: Options): Promise<number> {
  return withStore(readConfig(process.env), (store) => works[word](store, options));
}
