import { appendFileSync } from 'node:fs';

/**
 * lost: never posted. doubled: posted twice without a mark. once_twice: a write that counts, done twice. untrue_answers: an
 * answer that does not match what happened.
 */
export const counted = ['lost', 'doubled', 'once_twice', 'untrue_answers'] as const;
export type Counted = (typeof counted)[number];

/** Where the files of one run write their counts; the last line of the run adds them up. */
export const tallyFile = 'BELLOWS_CHAOS_TALLY';

/** Records a count, including 0: uncounted figures are not printed. */
export function tally(what: Counted, amount: number): void {
  const file = process.env[tallyFile];
  if (file !== undefined) appendFileSync(file, `${what} ${amount}\n`);
}
