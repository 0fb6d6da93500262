import { compilePattern } from '../src/pattern.js';
import { median } from './median.js';

const patternMax = 100;
const short = 100;
const long = 1_000;
const rounds = 300;

/** Patterns that are hard for a backtracking matcher; each reads every name to its end. */
const hard: readonly string[] = [
  '*a*a*a*a*a*a*a*b',
  '*a'.repeat(patternMax / 2),
  `${'*a'.repeat(patternMax / 2 - 1)}*b`,
  '**a'.repeat(Math.floor(patternMax / 3)),
  `${'**/*a'.repeat(patternMax / 5 - 1)}/b`,
  `${'?'.repeat(short - 2)}**`,
];
const names = (length: number): readonly string[] => ['a'.repeat(length), 'ab'.repeat(length / 2)];

/** Milliseconds of one match, compiled anew as for a pattern seen for the first time. */
function timed(pattern: string, name: string): number {
  const began = performance.now();
  compilePattern(pattern)(name);
  return performance.now() - began;
}

/** Milliseconds for as many characters as the long names have, in names of this length. */
function perLetters(length: number): number {
  const compiled = hard.map((pattern) => compilePattern(pattern));
  const all = names(length);
  const began = performance.now();
  for (let letters = 0; letters < long; letters += length)
    for (const fits of compiled) for (const name of all) fits(name);
  return performance.now() - began;
}

/** The slowest pattern on the longest names, and its cost per character compared to short ones. */
export async function run(): Promise<Readonly<Record<string, number>>> {
  const worst = hard.flatMap((pattern) =>
    names(long).map((name) => median(Array.from({ length: rounds }, () => timed(pattern, name)))),
  );
  const growth = Array.from({ length: rounds }, () => perLetters(long) / perLetters(short));
  return { 'glob.worst_ms': Math.max(...worst), 'glob.growth': median(growth) };
}
