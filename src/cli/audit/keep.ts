import { open } from 'node:fs/promises';
import { UserError } from '../../errors.js';
import type { AuditRow, Store } from '../../store/index.js';

export const lineOf = ({ seq, hash, entry }: AuditRow): string =>
  `${JSON.stringify({ seq, ...entry, at: new Date(entry.at).toISOString(), hash })}\n`;

/** Writes the rows before this time to a new file and syncs it to disk before they are dropped. */
export async function keepBefore(store: Store, at: number, path: string): Promise<{ rows: number; last?: number }> {
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
