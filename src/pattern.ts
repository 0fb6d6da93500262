import { UserError } from './errors.js';

/** Says whether a name fits; upper and lower case are the same. */
export type Pattern = (name: string) => boolean;

/** Letters with a meaning in other pattern languages. `+` and `.` stand in too many names to be among them. */
const foreign = /[[\](){}!|\\^$]/;

/** Refuses a pattern that means more than this language can; `said` is what the person wrote. */
export function refuseForeign(pattern: string, said: string, field?: string): void {
  const [letter] = foreign.exec(pattern) ?? [];
  if (letter === undefined) return;
  throw new UserError(
    `Patterns can only use *, ** and ?. Remove “${letter}” from ${said.slice(0, 60)}.`,
    field === undefined ? {} : { field },
  );
}

/** The letters one after another, and where any number of others may stand between them. */
interface Parsed {
  readonly letters: readonly string[];
  /** Before the letter of this number: `*` stops at a slash, `**` does not. */
  readonly gaps: ReadonlyMap<number, '*' | '**'>;
}

function parse(pattern: string): Parsed {
  const letters: string[] = [];
  const gaps = new Map<number, '*' | '**'>();
  for (const [piece] of pattern.replaceAll(/(?:\*{2,}\/)+/g, '**/').matchAll(/\*+|[^*]/gu)) {
    if (piece.startsWith('*')) gaps.set(letters.length, piece === '*' ? '*' : '**');
    else letters.push(piece);
  }
  return { letters, gaps };
}

/** One bit for each state: so many letters of the pattern were met. */
class States {
  readonly words: Int32Array;

  constructor(count: number) {
    this.words = new Int32Array(Math.ceil(count / 32));
  }

  with(states: Iterable<number>): this {
    for (const state of states) this.words[state >>> 5] = this.word(state >>> 5) | (1 << (state & 31));
    return this;
  }

  word(at: number): number {
    return this.words[at] ?? 0;
  }

  has(state: number): boolean {
    return (this.word(state >>> 5) & (1 << (state & 31))) !== 0;
  }
}

/**
 * `*` is any number of letters up to a slash, `**` any number at all, `?` one letter that is no slash, and `**` with its
 * slash may stand for nothing. All ways to match are followed at once, so each letter of the name costs the same.
 */
export function compilePattern(pattern: string): Pattern {
  const plain = pattern.toLowerCase();
  if (!/[*?]/.test(plain)) return (name) => name.toLowerCase() === plain;
  const { letters, gaps } = parse(plain);
  const last = letters.length;
  const all = [...letters.keys()];
  const states = () => new States(last + 1);
  const crossing = states().with([...gaps].flatMap(([at, gap]) => (gap === '**' ? [at] : [])));
  const staying = states().with(gaps.keys());
  const optional = all.filter(
    (at) => gaps.get(at) === '**' && letters[at] === '/' && (at === 0 || letters[at - 1] === '/'),
  );
  const leaping = states().with(optional);
  const wild = all.filter((at) => letters[at] === '?');
  const takers = new Map(
    [...new Set(letters)].map((letter) => {
      const own = all.filter((at) => letters[at] === letter && letter !== '?');
      return [letter, states().with(letter === '/' ? own : [...own, ...wild])] as const;
    }),
  );
  const byOthers = states().with(wild);
  const byNone = states();
  const first = optional.includes(0) ? [0, 1] : [0];

  return (name) => {
    const now = states().with(first);
    for (const letter of name.toLowerCase()) {
      const taking = takers.get(letter) ?? (letter === '/' ? byNone : byOthers);
      if (!step(now, taking, letter === '/' ? crossing : staying, leaping)) return false;
    }
    return now.has(last);
  };
}

/** One letter further in every state at once; false when none is left. */
function step(now: States, taking: States, staying: States, leaping: States): boolean {
  let alive = 0;
  let entering = 0;
  let leapt = 0;
  for (let at = 0; at < now.words.length; at += 1) {
    const before = now.word(at);
    const taken = before & taking.word(at);
    const entered = (taken << 1) | entering;
    const leaps = entered & leaping.word(at);
    const after = entered | (leaps << 1) | leapt | (before & staying.word(at));
    entering = taken >>> 31;
    leapt = leaps >>> 31;
    now.words[at] = after;
    alive |= after;
  }
  return alive !== 0;
}
