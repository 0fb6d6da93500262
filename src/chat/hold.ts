import type { Effect } from '../forge/index.js';
import type { Store } from '../store/index.js';

/** Whether this run of the job may still act; checked right before the first write. */
export type Held = () => Promise<boolean>;

/** Another worker has the job now: this run ends silently. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** An earlier run of the job sent its write: this one checks what became of it. */
export class SentBefore extends Error {
  override readonly name = 'SentBefore';
}

interface Guarded {
  readonly id: string;
  readonly effect: Effect;
  readonly held: Held;
  /** What the command wants stored about the state before its write. */
  note?(): string | undefined;
}

/** Called before each write and decided at the first: a job that was lost, abandoned or already sent its write sends nothing. */
export function guardWrites({ jobs }: Pick<Store, 'jobs'>, { id, effect, held, note }: Guarded) {
  const decide = async () => {
    const [mine, abandoned] = await Promise.all([held(), jobs.markOf(id, 'abandoned')]);
    if (!mine || abandoned) throw new Overtaken();
    if (effect === 'once' && !(await jobs.mark(id, 'sent', note?.()))) throw new SentBefore();
  };
  let decided: Promise<void> | undefined;
  return () => {
    decided ??= decide();
    return decided;
  };
}
