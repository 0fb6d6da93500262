import { appendFileSync } from 'node:fs';

/**
 * lost: never told. doubled: told twice without a mark. once_twice: a write that counts, done twice. untrue_answers: an
 * answer that says something else than what happened.
 */
export const counted = ['lost', 'doubled', 'once_twice', 'untrue_answers'] as const;
export type Counted = (typeof counted)[number];

/** Where the files of one run write what they counted; the last line of the run adds it up. */
export const tallyFile = 'BELLOWS_CHAOS_TALLY';

/** What was counted, 0 included: a figure nobody counted is not printed. */
export function tally(what: Counted, amount: number): void {
  const file = process.env[tallyFile];
  if (file !== undefined) appendFileSync(file, `${what} ${amount}\n`);
}
