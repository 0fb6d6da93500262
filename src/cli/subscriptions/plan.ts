import { createHash } from 'node:crypto';
import { filterWords } from '../../domain/subscriptions/filters.js';
import { parseFilter } from '../../feed/filter-words.js';
import { type Entry, keyOf } from './file.js';

/** One difference between the file and the current subscriptions. */
export type Step =
  | { readonly kind: 'add'; readonly entry: Entry }
  | { readonly kind: 'change'; readonly entry: Entry; readonly old: Entry }
  | { readonly kind: 'remove'; readonly old: Entry };

/** The same text for the same filter, however it was written. */
const plainWords = (text: string): string => filterWords(parseFilter(text));

const differs = (a: Entry, b: Entry): boolean => a.owner !== b.owner || plainWords(a.filter) !== plainWords(b.filter);

/** The steps that make the file true. `keep` leaves alone what the file does not name. */
export function planOf(present: readonly Entry[], wanted: readonly Entry[], keep: boolean): Step[] {
  const now = new Map(present.map((entry) => [keyOf(entry), entry]));
  const named = new Set(wanted.map(keyOf));
  const steps = wanted.flatMap((entry): Step[] => {
    const old = now.get(keyOf(entry));
    if (!old) return [{ kind: 'add', entry }];
    return differs(old, entry) ? [{ kind: 'change', entry, old }] : [];
  });
  const gone = keep ? [] : present.filter((entry) => !named.has(keyOf(entry)));
  return [...steps, ...gone.map((old): Step => ({ kind: 'remove', old }))];
}

const place = ({ channel, follows }: Entry): string => `${channel} ${follows}`;

export function showStep(step: Step): string[] {
  switch (step.kind) {
    case 'add':
      return [`+ ${place(step.entry)}: ${plainWords(step.entry.filter)} (owner ${step.entry.owner})`];
    case 'remove':
      return [`- ${place(step.old)}: ${plainWords(step.old.filter)} (owner ${step.old.owner})`];
    case 'change': {
      const { entry, old } = step;
      const [was, is] = [plainWords(old.filter), plainWords(entry.filter)];
      return [
        `~ ${place(entry)}`,
        ...(was === is ? [] : [`    filter: ${was} -> ${is}`]),
        ...(old.owner === entry.owner ? [] : [`    owner: ${old.owner} -> ${entry.owner}`]),
      ];
    }
  }
}

/** Identifies exactly this plan: another state or another file gives another id. */
export const planId = (steps: readonly Step[]): string =>
  createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, 12);
