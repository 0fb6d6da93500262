import { z } from 'zod';
import type { Ground } from './ground.js';
import type { About } from './seal.js';
import { json, texts, versioned } from './value.js';

const Row = z.object({
  /** The forge's time in milliseconds; never ours. */
  time: z.int(),
  /** Ids seen inside the overlap window before that time. */
  seen: texts,
  /** What else the source stores with the mark, such as the last state of each workflow. */
  memo: json.optional(),
  /** Keyed hash of the rest; an earlier version did not sign. */
  signed: z.string().optional(),
});
const row = versioned(Row);

export type SourceMark = Omit<z.infer<typeof Row>, 'signed'> & {
  /** Perhaps someone else wrote it: nothing in it may be posted. */
  readonly unsigned?: true;
};

const contents = ({ time, seen, memo }: SourceMark): string => JSON.stringify([time, seen, memo]);

/** Marks as stored. A refused one still says how far its source was read: starting over would lose events. */
export function markRecords({ seal, forge, alarm }: Pick<Ground, 'seal' | 'forge' | 'alarm'>) {
  const about = (source: string): About => ['mark', forge, source];
  const write = (source: string, { time, seen, memo }: SourceMark): string => {
    const mark = { time, seen, ...(memo === undefined ? {} : { memo }) };
    return row.encode({ ...mark, signed: seal.mac(contents(mark), about(source)) });
  };
  const isOurs = (source: string, { signed, ...mark }: z.infer<typeof Row>): boolean =>
    signed !== undefined && seal.checkMac(signed, contents(mark), about(source));
  return {
    write,
    read(source: string, text: string): SourceMark {
      const stored = row.decode(text);
      const { signed, ...mark } = stored;
      if (isOurs(source, stored)) return mark;
      const reason = 'changed, copied or written by someone else, or its key is missing';
      if (signed !== undefined) alarm({ kind: 'mark', id: source, reason });
      return { ...mark, unsigned: true };
    },
    /** With the current key; undefined if it is so already, or is not ours. */
    resigned(source: string, text: string): string | undefined {
      const stored = row.decode(text);
      const isCurrent = stored.signed?.startsWith(`${seal.keyId}.`);
      return !isCurrent && isOurs(source, stored) ? write(source, stored) : undefined;
    },
  };
}
