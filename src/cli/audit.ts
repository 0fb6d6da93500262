import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { UserError } from '../errors.js';
import type { Store } from '../store/index.js';
import { withStore } from './with-store.js';

const usage = 'Write: bellows audit export > audit.jsonl, or bellows audit verify [--head seq:hash].';

type Work = (store: Store, head: string | undefined) => Promise<number>;

/** One row a line, oldest first. */
const exported: Work = async (store) => {
  for await (const { seq, hash, entry } of store.audit.export()) {
    if (!process.stdout.write(`${JSON.stringify({ seq, ...entry, at: new Date(entry.at).toISOString(), hash })}\n`))
      await new Promise((drained) => process.stdout.once('drain', drained));
  }
  return 0;
};

const verified: Work = async (store, head) => {
  const verdict = await store.audit.verify();
  if (!verdict.ok) return broken(verdict.brokenAt, verdict.reason);
  const missing = head === undefined ? undefined : await notLogged(store, head);
  if (missing !== undefined) return broken(missing.seq, missing.reason);
  const { rows, from } = verdict;
  const start = from === 0 ? 'from the beginning' : `after the checkpoint at row ${from}`;
  console.log(`The chain is whole: ${rows} rows ${start}, head ${verdict.head.seq}:${verdict.head.hash}`);
  return 0;
};

function broken(at: number, reason: string): number {
  console.log(`The chain is broken at row ${at}: ${reason}.`);
  return 1;
}

/** A log elsewhere holds the number of a row and the end of its hash. */
async function notLogged(store: Store, head: string): Promise<{ seq: number; reason: string } | undefined> {
  const [, digits = '', hash = ''] = /^(\d{1,15}):(\S{8,})$/.exec(head) ?? [];
  if (digits === '') throw new UserError('Write --head as the log has it: the number, a colon, the hash.');
  const seq = Number(digits);
  const { rows } = await store.audit.read({}, { limit: 1, before: seq + 1 });
  const [row] = rows;
  if (row?.seq !== seq) return { seq, reason: `row ${seq} is missing, though it was logged` };
  return row.hash.endsWith(hash) ? undefined : { seq, reason: `row ${seq} is not the one logged` };
}

const works: Readonly<Record<string, Work>> = { export: exported, verify: verified };

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { head: { type: 'string' } },
    allowPositionals: true,
  });
  const [word = '', ...more] = positionals;
  const work = works[word];
  if (!work || more.length > 0) throw new UserError(usage);
  return withStore(readConfig(process.env), (store) => work(store, values.head));
}
