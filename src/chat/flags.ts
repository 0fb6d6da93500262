import { UserError } from '../errors.js';
import { didYouMean, nearest } from '../nearest.js';
import type { Field, Reading } from './field.js';
import type { Token } from './tokens.js';
import { flagName } from './usage.js';
import { isLong, listLength, takesMany, textBegun } from './words.js';

export interface Flags {
  /** Text given by `--name value`, by field name. */
  readonly given: ReadonlyMap<string, string>;
  /** Everything that is neither a flag nor its value. */
  readonly words: readonly Token[];
  readonly dryRun: boolean;
  readonly help: boolean;
}

/** Keyboards turn -- into a dash. */
export const dashes = '(?:--|—|–)';
const form = new RegExp(`^(${dashes})([a-z][\\w-]*)(?:=([\\s\\S]*))?$`, 'i');
const startsFlag = new RegExp(`^${dashes}`);
/** A text begins within this many words; a list before it is never longer. */
const mostBeforeText = 50;
const plain = (name: string) => name.toLowerCase().replace(/[-_]/g, '');

type Named = readonly [name: string, field: Field];

interface Known {
  readonly name: string;
  readonly field: Field;
  readonly off: boolean;
}

function lookUp(word: string, fields: readonly Named[]): Known | undefined {
  const found = fields.find(([name]) => plain(name) === plain(word));
  if (found) return { name: found[0], field: found[1], off: false };
  const bare = /^no-?(.+)$/i.exec(word)?.[1];
  const off = fields.find(([name, field]) => field.typed === 'switch' && bare && plain(name) === plain(bare));
  return off && { name: off[0], field: off[1], off: true };
}

/** The flag that was probably meant. */
function nearFlag(word: string, fields: readonly Named[]): string | undefined {
  return nearest(word, [...fields.map(([name]) => flagName(name)), 'dry-run']);
}

function unknownFlag(word: string, near: string | undefined): UserError {
  const meant = didYouMean(near && `--${near}`);
  return new UserError(
    `Unknown option --${word.slice(0, 40)}.${meant} If it belongs to the text, put the text in quotes.`,
  );
}

const dryRunLast = (tokens: readonly Token[]) => {
  const last = tokens.at(-1);
  return last !== undefined && !last.literal && plain(form.exec(last.value)?.[2] ?? '') === 'dryrun';
};

const dashed = (token: Token) => !token.literal && startsFlag.test(token.value);

/** A flag's value: one token, or all tokens of its list, up to the next flag. */
function valueTokens(tokens: readonly Token[], from: number, field: Field): readonly Token[] {
  let end = from + 1;
  for (let token = tokens[end]; token && !dashed(token); token = tokens[end]) end += 1;
  const run = tokens.slice(from, end);
  return run.slice(0, listLength(run, field));
}

function add(given: Map<string, string>, { name, field }: Known, value: string): void {
  if (field.secret === true) {
    const label = field.label.toLowerCase();
    throw new UserError(
      `Do not type the ${label} here: the form asks for it, so that it stays out of Slack’s history.`,
      {
        field: name,
      },
    );
  }
  const before = given.get(name);
  if (before !== undefined && !takesMany(field) && !field.repeats)
    throw new UserError(`--${flagName(name)} is given twice.`, { field: name });
  given.set(name, before === undefined ? value : `${before}${field.repeats ? '\n' : ', '}${value}`);
}

/**
 * Flags may come before and after a title; `--` ends them, and so does the first word of a long text, which may be about
 * flags. `--dry-run` at the very end still counts.
 */
export function takeFlags(tokens: readonly Token[], fields: readonly Named[], reading: Reading): Flags {
  const given = new Map<string, string>();
  const words: Token[] = [];
  let [dryRun, help] = [false, false];
  let text: Field | undefined;
  let judged = '';
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (!token) break;
    if (!dashed(token)) {
      words.push(token);
      continue;
    }
    // Judged again only if the answer may differ, so that reading takes time in proportion to the text.
    const state = `${Math.min(words.length, mostBeforeText)} ${given.size}`;
    if (state !== judged) text = textBegun(words.slice(0, mostBeforeText), fields, given, reading);
    judged = state;
    if (text && isLong(text)) {
      const rest = tokens.slice(at);
      const dryRunAsked = dryRunLast(rest);
      words.push(...(dryRunAsked ? rest.slice(0, -1) : rest));
      return { given, words, dryRun: dryRun || dryRunAsked, help };
    }
    const [, dash, word, inline] = form.exec(token.value) ?? [];
    if (token.value === '--') {
      words.push(...tokens.slice(at + 1));
      break;
    }
    if (word === undefined) {
      words.push(token);
      continue;
    }
    const known = lookUp(word, fields);
    if (!known && plain(word) === 'dryrun') dryRun = true;
    else if (!known && plain(word) === 'help') help = true;
    else if (!known && (dash !== '--' || (text && nearFlag(word, fields) === undefined))) words.push(token);
    else if (!known) throw unknownFlag(word, nearFlag(word, fields));
    else if (inline === undefined && known.field.typed === 'switch') add(given, known, known.off ? 'no' : 'yes');
    else {
      const next = tokens[at + 1];
      if (inline === undefined && (!next || (!next.literal && next.value.startsWith('--')))) {
        throw new UserError(`--${flagName(known.name)} needs a value: ${known.field.placeholder}.`, {
          field: known.name,
        });
      }
      if (inline === undefined) at += 1;
      const [first, ...more] = valueTokens(tokens, at, known.field).map((each) => each.value);
      add(given, known, [inline ?? first, ...more].join(' '));
      at += more.length;
    }
  }
  return { given, words, dryRun, help };
}
