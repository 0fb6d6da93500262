import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { asCode, UserError } from './errors.js';

/** Whether a name matches; case-insensitive. */
export type Pattern = (name: string) => boolean;

/** Characters with a meaning in other pattern languages. `+` and `.` are too common in names to be among them. */
const foreign = /[[\](){}!|\\^$]/;

/** Refuses a pattern that uses more than this language has; `said` is what the person wrote. */
export function refuseForeign(pattern: string, said: string, field?: string): void {
  const [letter] = foreign.exec(pattern) ?? [];
  if (letter === undefined) return;
  throw new UserError(
    `Patterns can only use ${asCode('*', '**')} and ${asCode('?')}. Remove ${asCode(letter)} from ${asCode(said.slice(0, 60))}.`,
    field === undefined ? {} : { field },
  );
}

/** The literal characters in order, and where any number of others may come between them. */
interface Parsed {
  readonly letters: readonly string[];
  /** Keyed by the index of the following character: `*` stops at a slash, `**` does not. */
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

/** One bit per state: how many characters of the pattern have matched. */
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
 * `*` matches any number of characters up to a slash, `**` any number at all, `?` one character except a slash; `**` and its
 * slash may also match nothing. All matches are tracked at once, so the cost per character is constant.
 */
export function compilePattern(pattern: string, { caseSensitive = false } = {}): Pattern {
  const foldCase = (text: string) => (caseSensitive ? text : text.toLowerCase());
  const plain = foldCase(pattern);
  if (!/[*?]/.test(plain)) return (name) => foldCase(name) === plain;
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
    for (const letter of foldCase(name)) {
      const taking = takers.get(letter) ?? (letter === '/' ? byNone : byOthers);
      if (!step(now, taking, letter === '/' ? crossing : staying, leaping)) return false;
    }
    return now.has(last);
  };
}

/** Advances every state by one character; false when none is left. */
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

interface PatternTest {
  readonly source: string;
  readonly flags: string;
  readonly texts: readonly string[];
}

const Tested = z.tuple([z.int(), z.array(z.boolean())]);

/** One at a time: if one never ends, those before it still count. */
const code = `
const { parentPort, workerData } = require('node:worker_threads');
workerData.forEach(({ source, flags, texts }, at) => {
  try {
    const pattern = new RegExp(source, flags);
    parentPort.postMessage([at, texts.map((text) => pattern.test(text))]);
  } catch {}
});`;

/** For the thread alone: on a busy machine its start would use up the patience for the patterns. */
const startMs = 1_000;

/**
 * Regular expressions from someone's file run in their own thread. By index: which of the texts each one matches; those that
 * are invalid or take too long are missing.
 */
export async function testPatterns(
  given: readonly PatternTest[],
  patienceMs: number,
): Promise<ReadonlyMap<number, readonly boolean[]>> {
  const found = new Map<number, readonly boolean[]>();
  if (given.length === 0) return found;
  const worker = new Worker(code, { eval: true, workerData: given, resourceLimits: { maxOldGenerationSizeMb: 32 } });
  await new Promise<void>((resolve) => {
    let late = setTimeout(resolve, startMs);
    const end = () => {
      clearTimeout(late);
      resolve();
    };
    worker.once('online', () => {
      clearTimeout(late);
      late = setTimeout(resolve, patienceMs);
    });
    worker.on('message', (message: unknown) => {
      const [at, matches] = Tested.parse(message);
      found.set(at, matches);
    });
    worker.once('exit', end);
    worker.once('error', end);
  });
  await worker.terminate();
  return found;
}
