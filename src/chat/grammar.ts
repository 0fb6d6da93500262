import { asCode, UserError } from '../errors.js';
import { didYouMean, nearest } from '../nearest.js';
import type { CommandList, Group } from './catalog.js';
import type { AnyCommand } from './command.js';
import { type Field, type Reading, standIn } from './fields.js';
import { topicNamed } from './help.js';
import { nouns } from './nouns.js';
import { readItem, readPage } from './references.js';
import { type Mentions, unwrap, withoutMentions } from './slack-text.js';
import { fieldsOf, flagName, omissible } from './usage.js';

interface Token {
  /** Without quotes and backslashes, Slack's escapes undone; mentions stay `<@U1|ada>`. */
  readonly value: string;
  /** Its index among the words. */
  readonly place: number;
  /** A line break precedes it. */
  readonly opensLine: boolean;
  /** Its position in the source. */
  readonly start: number;
  readonly end: number;
  /** Quoted or escaped at its start: never a flag. */
  readonly literal: boolean;
  /** Entirely in quotes. */
  readonly quoted: boolean;
}

const doubles = '"“”„‟';
const singles = "'‘’‚‛";
/** A quote opens only where a value may start, so that `don't` and `5"` stay words. */
const opensAfter = '=:,';
const atom = /<[^<>\n]*>|&(?:amp|lt|gt);/y;
const space = /\s/;
const wordPattern = /\S+/y;
/** Characters without special meaning, taken in one go. */
const ordinary = /[^\s\\<&"“”„‟'‘’‚‛=:,]+/y;

interface Piece {
  readonly text: string;
  readonly end: number;
  readonly kind: 'plain' | 'quoted' | 'escaped';
}

function closing(source: string, from: number, family: string): number {
  for (let at = from; at < source.length; at += 1) {
    const char = source[at] ?? '';
    if (char === '\\') at += 1;
    else if (family.includes(char) && (family === doubles || endsWord(source, at + 1))) return at;
  }
  return -1;
}

const endsWord = (source: string, at: number) => at >= source.length || /[\s,]/.test(source[at] ?? '');

/** Quote families with no closing quote ahead: searched once, so that no text is slow to read. */
type Unclosed = Set<string>;

function quotedAt(source: string, at: number, unclosed: Unclosed): Piece | undefined {
  const open = source[at] ?? '';
  const family = [doubles, singles].find((quotes) => quotes.includes(open));
  if (family === undefined || unclosed.has(family)) return undefined;
  const end = closing(source, at + 1, family);
  if (end === -1) {
    unclosed.add(family);
    return undefined;
  }
  const inside = source.slice(at + 1, end).replace(/\\(["“”„‟'‘’‚‛\\])/g, '$1');
  return { text: unwrap(inside, 'keep'), end: end + 1, kind: 'quoted' };
}

function pieceAt(source: string, at: number, start: number, unclosed: Unclosed): Piece {
  const char = source[at] ?? '';
  const mayOpen = at === start || opensAfter.includes(source[at - 1] ?? ' ');
  const quoted = mayOpen ? quotedAt(source, at, unclosed) : undefined;
  if (quoted) return quoted;
  const next = source[at + 1] ?? '';
  if (char === '\\' && next !== '' && (`${doubles}${singles}\\—–-`.includes(next) || space.test(next))) {
    return { text: next, end: at + 2, kind: 'escaped' };
  }
  const found = char === '<' || char === '&' ? match(atom, source, at) : undefined;
  if (found !== undefined) return { text: unwrap(found, 'keep'), end: at + found.length, kind: 'plain' };
  const run = match(ordinary, source, at) ?? char;
  return { text: run, end: at + run.length, kind: 'plain' };
}

function match(sticky: RegExp, source: string, at: number): string | undefined {
  sticky.lastIndex = at;
  return sticky.exec(source)?.[0];
}

function tokenAt(source: string, start: number, unclosed: Unclosed): Omit<Token, 'place' | 'opensLine'> {
  const pieces: Piece[] = [];
  let end = start;
  while (end < source.length && !space.test(source[end] ?? '')) {
    const piece = pieceAt(source, end, start, unclosed);
    pieces.push(piece);
    end = piece.end;
  }
  return {
    value: pieces.map((piece) => piece.text).join(''),
    start,
    end,
    literal: pieces[0]?.kind !== 'plain',
    quoted: pieces.length === 1 && pieces[0]?.kind === 'quoted',
  };
}

/** What most lines do not contain: quotes, escapes, mentions, line breaks. */
const demanding = /[\\<&"“”„‟'‘’‚‛\n]/;

function plainWords(source: string): Token[] {
  const tokens: Token[] = [];
  for (let start = 0; start < source.length; start += 1) {
    const value = match(wordPattern, source, start);
    if (value === undefined) continue;
    const end = start + value.length;
    tokens.push({ value, place: tokens.length, opensLine: false, start, end, literal: false, quoted: false });
    start = end;
  }
  return tokens;
}

/** @internal Words as typed on a phone: smart quotes, stray apostrophes and unclosed quotes never throw. */
export function tokenize(source: string): Token[] {
  if (!demanding.test(source)) return plainWords(source);
  const tokens: Token[] = [];
  const unclosed: Unclosed = new Set();
  let opensLine = false;
  let at = 0;
  while (at < source.length) {
    const char = source[at] ?? '';
    if (space.test(char)) {
      opensLine ||= char === '\n';
      at += 1;
      continue;
    }
    const token = tokenAt(source, at, unclosed);
    tokens.push({ ...token, place: tokens.length, opensLine });
    at = token.end;
    opensLine = false;
  }
  return tokens;
}

/** Several words with the text between them; one space where a flag was removed. */
function textOf(source: string, tokens: readonly Token[], mentions: Mentions = 'plain'): string {
  const [first, ...others] = tokens;
  if (!first) return '';
  if (others.length === 0 && first.quoted) return first.value;
  let text = textOfToken(source, first, mentions);
  let last = first;
  for (const token of others) {
    const neighbors = token.place === last.place + 1;
    text += (neighbors ? source.slice(last.end, token.start) : ' ') + textOfToken(source, token, mentions);
    last = token;
  }
  return text;
}

/** A backslash that kept a word from being a flag is not part of the text. */
function textOfToken(source: string, token: Token, mentions: Mentions): string {
  const raw = source.slice(token.start, token.end);
  return unwrap(token.literal && /^\\[—–-]/.test(raw) ? raw.slice(1) : raw, mentions);
}

type NamedField = readonly [name: string, field: Field];

interface Written {
  readonly source: string;
  readonly words: readonly Token[];
  /** Everything below the first line, if the command takes a long text. */
  readonly tail: string;
  /** Fields whose value came from a flag. */
  readonly given: ReadonlyMap<string, string>;
}

const isLong = (field: Field) =>
  field.typed === 'rest' && field.input.kind === 'text' && field.input.multiline === true;

/** Prose keeps mentions until the person's forge login is known; other text fields get `@ada`. */
function mentionsIn({ input, prose, namesPeople }: Field): Mentions {
  if (input.kind !== 'text') return 'keep';
  return prose || namesPeople ? 'people' : 'plain';
}

function readNamed(name: string, field: Field, value: string, reading: Reading): unknown {
  try {
    return field.read(withoutMentions(value, mentionsIn(field)), reading);
  } catch (error) {
    throw error instanceof UserError ? new UserError(error.message, { field: name, cause: error }) : error;
  }
}

/** Reads bare words in the order of the fields. */
function readWords(written: Written, fields: readonly NamedField[], reading: Reading): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  const open = fields.filter(([name, field]) => takesWords(field) && !written.given.has(name));
  let { words: left, tail: below } = written;
  for (const [at, [name, field]] of open.entries()) {
    if (field.typed === 'rest') {
      const mentions = mentionsIn(field);
      const head = textOf(written.source, left, mentions);
      const lines = isLong(field) ? [head, unwrap(below, mentions)] : [head];
      const text = lines.filter((line) => line !== '').join('\n');
      if (isLong(field)) below = '';
      left = [];
      if (text !== '') args[name] = readNamed(name, field, text, reading);
    } else if (left.length > 0) {
      const { count, value } = wordsFor(field, left, reading);
      if (at < open.length - 1 && omissible(field) && !fits(field, value, reading)) continue;
      args[name] = readNamed(name, field, value, reading);
      left = left.slice(count);
    }
  }
  if (left.length === 0) return args;
  throw new UserError(`This command does not take “${textOf(written.source, left).slice(0, 60)}”.`);
}

interface Taken {
  readonly count: number;
  readonly value: string;
}

/** `acme/web #6` is one reference written as two words. */
function wordsFor(field: Field, words: readonly Token[], reading: Reading): Taken {
  const count = listLength(words, field);
  const value = words
    .slice(0, count)
    .map((token) => token.value)
    .join(' ');
  const next = words[1];
  if (count !== 1 || !next || next.literal || !/^[#!]\d{1,16}$/.test(next.value)) return { count, value };
  const joined = value + next.value;
  return !fits(field, value, reading) && fits(field, joined, reading) ? { count: 2, value: joined } : { count, value };
}

/** The field whose free text has started with the last of these words; undefined before that. */
function textBegun(
  words: readonly Token[],
  fields: readonly NamedField[],
  given: ReadonlyMap<string, string>,
  reading: Reading,
): Field | undefined {
  const open = fields.filter(([name, field]) => takesWords(field) && !given.has(name));
  let at = 0;
  for (const [, field] of open) {
    const left = words.slice(at);
    if (left.length === 0) return undefined;
    if (field.typed === 'rest') return field.prose ? field : undefined;
    const { count, value } = wordsFor(field, left, reading);
    if (!omissible(field) || fits(field, value, reading)) at += count;
  }
  return undefined;
}

const takesWords = ({ typed, secret }: Field) => secret !== true && (typed === 'word' || typed === 'rest');

const takesMany = ({ input }: Field) => 'many' in input && input.many === true;

/** `a, b` and `a ,b` are two words of one list; a comma in quotes is part of a value. */
function listLength(words: readonly Token[], field: Field): number {
  if (!takesMany(field)) return 1;
  const last = words.findIndex((token, at) => !isContinued(token) && !continuesBefore(words[at + 1]));
  return last === -1 ? words.length : last + 1;
}

const isContinued = ({ value, quoted }: Token) => value.endsWith(',') && !quoted;
const continuesBefore = (token: Token | undefined) => token?.value.startsWith(',') === true && !token.literal;

/** A word that cannot be this field belongs to the next one if this one is optional. */
function fits(field: Field, value: string, reading: Reading): boolean {
  try {
    field.read(value, reading);
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

interface Flags {
  /** Text given by `--name value`, by field name. */
  readonly given: ReadonlyMap<string, string>;
  /** Everything that is neither a flag nor its value. */
  readonly words: readonly Token[];
  readonly dryRun: boolean;
  readonly help: boolean;
}

/** Keyboards turn -- into a dash. */
const dashes = '(?:--|—|–)';
const form = new RegExp(`^(${dashes})([a-z][\\w-]*)(?:=([\\s\\S]*))?$`, 'i');
const startsFlag = new RegExp(`^${dashes}`);
/** A text begins within this many words; a list before it is never longer. */
const mostBeforeText = 50;
const plain = (name: string) => name.toLowerCase().replace(/[-_]/g, '');

type Named = readonly [name: string, field: Field];

interface KnownFlags {
  readonly name: string;
  readonly field: Field;
  readonly off: boolean;
}

function lookUp(word: string, fields: readonly Named[]): KnownFlags | undefined {
  const found =
    fields.find(([name, { also }]) => [name, also].some((each) => each && plain(each) === plain(word))) ??
    fields.find(([name, field]) => takesMany(field) && plain(name) === `${plain(word)}s`);
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

const isFlag = (token: Token) => !token.literal && startsFlag.test(token.value);

/** A flag's value: one token, or all tokens of its list, up to the next flag. */
function valueTokens(tokens: readonly Token[], from: number, field: Field): readonly Token[] {
  let end = from + 1;
  for (let token = tokens[end]; token && !isFlag(token); token = tokens[end]) end += 1;
  const run = tokens.slice(from, end);
  return run.slice(0, listLength(run, field));
}

function add(given: Map<string, string>, { name, field }: KnownFlags, value: string): void {
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
function takeFlags(tokens: readonly Token[], fields: readonly Named[], reading: Reading): Flags {
  const given = new Map<string, string>();
  const words: Token[] = [];
  let [dryRun, help] = [false, false];
  let text: Field | undefined;
  let judged = '';
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (!token) break;
    if (!isFlag(token)) {
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
        throw new UserError(
          `--${flagName(known.name)} needs a value: ${asCode(...known.field.placeholder.split('|'))}.`,
          {
            field: known.name,
          },
        );
      }
      if (inline === undefined) at += 1;
      const [first, ...more] = valueTokens(tokens, at, known.field).map((each) => each.value);
      add(given, known, [inline ?? first, ...more].join(' '));
      at += more.length;
    }
  }
  return { given, words, dryRun, help };
}

/** Other words for what is done, by the noun they are said with; `''` is any noun. */
const verbs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { ls: 'list', all: 'list', view: 'show', get: 'show', see: 'show', info: 'show', new: 'create', make: 'create' },
  issue: { open: 'create', add: 'create' },
  pr: { reviewers: 'review', 'request review': 'review', find: 'list' },
  run: { retry: 'rerun', restart: 'rerun', stop: 'cancel', abort: 'cancel', kill: 'cancel', logs: 'log', why: 'log' },
  queue: { stop: 'pause', start: 'resume' },
  repo: { find: 'search', list: 'search', import: 'migrate' },
  runner: { delete: 'remove' },
  key: { create: 'add' },
  deploy: { list: 'history', show: 'status' },
};

/** @internal Whole phrases, and what they stand for. */
export const phrases: Readonly<Record<string, string>> = {
  'my prs': 'issue search --type pulls --created',
  'my pull requests': 'issue search --type pulls --created',
  'my reviews': 'issue search --type pulls --review-requested',
  'my issues': 'issue search --type issues --assigned',
  'my notifications': 'inbox',
  'my inbox': 'inbox',
  'my tickets': 'issue search --type issues --assigned',
  'assigned to me': 'issue search --type issues --assigned',
  'issues assigned to me': 'issue search --type issues --assigned',
  'assigned issues': 'issue search --type issues --assigned',
  'my review requests': 'issue search --type pulls --review-requested',
  'review requests': 'issue search --type pulls --review-requested',
  reviews: 'issue search --type pulls --review-requested',
  'what should i review': 'issue search --type pulls --review-requested',
  'prs waiting on me': 'issue search --type pulls --review-requested',
  'prs waiting for me': 'issue search --type pulls --review-requested',
  'waiting on me': 'todo',
  'waiting for me': 'todo',
  'my tasks': 'todo',
  'my todo': 'todo',
  'my repos': 'repo watched',
  'to do': 'todo',
  'mark all read': 'inbox clear',
  'mark all as read': 'inbox clear',
  'mark everything as read': 'inbox clear',
  'clear inbox': 'inbox clear',
  'clear notifications': 'inbox clear',
  'clear my notifications': 'inbox clear',
  'file issue': 'issue create',
  'file bug': 'issue create',
  'report bug': 'issue create',
  'create bug': 'issue create',
  'new bug': 'issue create',
  edit: 'issue edit',
  due: 'issue due',
  reply: 'issue comment',
  find: 'issue search',
  lgtm: 'pr approve',
  review: 'pr review',
  'request review': 'pr review',
  take: 'review take',
  'take review': 'review take',
  'take the review of': 'review take',
  'hand back': 'review hand-back',
  'hand back review': 'review hand-back',
  'hand back the review of': 'review hand-back',
  'ask for review': 'pr review',
  rerun: 'run rerun',
  retry: 'run rerun',
  restart: 'run rerun',
  cancel: 'run cancel',
  log: 'run log',
  logs: 'run log',
  ci: 'run list',
  'ci status': 'run list',
  'build status': 'run list',
  'last run': 'run list',
  'latest runs': 'run list',
  'stuck runs': 'run stuck',
  'flaky jobs': 'run flaky',
  commits: 'repo commits',
  'merge queue': 'queue list',
  'show queue': 'queue list',
  enqueue: 'queue',
  dequeue: 'queue remove',
  stuck: 'run stuck',
  flaky: 'run flaky',
  history: 'deploy history',
  remind: 'remind reviews',
  'remind me': 'remind reviews --me',
  'sign in': 'signin',
  'sign out': 'signout',
  'who am i': 'whoami',
};

/** Words after which help, or a kind word, is what people want. */
const greetings: readonly string[] = ['?', 'hi', 'hello', 'hey', 'hallo', 'good morning'];
const thanks: readonly string[] = ['thanks', 'thank you', 'thx', 'ty', 'cheers'];

const longestPhrase = 5;
const isReference = (word: string) => /^(?:#?\d{1,15}|\S*#\d{1,15}|<?https?:\/\/\S+|!\d{1,15})$/i.test(word);
const isRepository = (word: string) => /^[\w.-]+\/[\w.-]+$/.test(word);

/** A noun at this place, and how many words it takes. */
function nounAt(words: readonly string[], at: number): { noun: string; used: number } | undefined {
  for (const used of [2, 1]) {
    const noun = nouns[words.slice(at, at + used).join(' ')];
    if (noun !== undefined && at + used <= words.length) return { noun, used };
  }
  return undefined;
}

/** The command of this noun and verb, whichever of their words people use. */
function commandOf(noun: string, verb: string, catalog: CommandList): string | undefined {
  const candidates = [verb, verbs[noun]?.[verb], verbs['']?.[verb]].filter((each) => each !== undefined);
  if (noun === 'inbox' && ['list', 'show'].includes(candidates.at(-1) ?? '')) return 'inbox';
  return candidates.map((each) => `${noun} ${each}`).find((name) => catalog.get(name)?.name === name);
}

interface Known {
  readonly says: string;
  /** How many of the words it stands for. */
  readonly used: number;
}

function readPhrase(words: readonly string[], catalog: CommandList, least: number): Known | undefined {
  const own = catalog.find(words)?.used ?? 0;
  for (let used = Math.min(longestPhrase, words.length); used >= least && used > own; used -= 1) {
    const phrase = words.slice(0, used).join(' ');
    if (Object.hasOwn(phrases, phrase)) return { says: phrases[phrase] ?? '', used };
  }
  return undefined;
}

/** `pr 8`, `issues`, `run logs 4`. */
function readNounFirst(words: readonly string[], catalog: CommandList): Known | undefined {
  const found = nounAt(words, 0);
  if (!found || (catalog.find(words)?.used ?? 0) > found.used) return undefined;
  const { noun, used } = found;
  const next = words[used] ?? '';
  const named = next && commandOf(noun, next, catalog);
  if (named) return { says: named, used: used + 1 };
  const typed = words.slice(0, used).join(' ');
  const shows = commandOf(noun, 'show', catalog);
  if (shows && isReference(next)) return { says: shows, used };
  const lists = commandOf(noun, 'list', catalog);
  const isList = next === '' ? typed.endsWith('s') : isRepository(next);
  return lists && isList && !catalog.get(typed) ? { says: lists, used } : undefined;
}

/** `close issue #4`, `list pull requests`. */
function readVerbFirst(words: readonly string[], catalog: CommandList): Known | undefined {
  const after = nounAt(words, 1);
  const named = after && commandOf(after.noun, words[0] ?? '', catalog);
  return named ? { says: named, used: 1 + after.used } : undefined;
}

function read(words: readonly string[], catalog: CommandList): Known | undefined {
  if (words[0] === 'show' && (isReference(words[1] ?? '') || isRepository(words[1] ?? '')))
    return { says: '', used: 1 };
  return (
    readPhrase(words, catalog, 2) ??
    readNounFirst(words, catalog) ??
    ((catalog.find(words)?.used ?? 0) > 1 ? undefined : readVerbFirst(words, catalog)) ??
    readPhrase(words, catalog, 1)
  );
}

/** `acme/engine 4` is an item or a run, unless it is part of a text. */
function joinNumber(source: string, catalog: CommandList): string {
  const [whole = '', before = '', place = '', number = ''] =
    /^((?:[a-z-]+ ){0,3}?)([\w.-]+\/[\w.-]+) #?(\d{1,15})(?=\s|$)/i.exec(source) ?? [];
  const words = before.toLowerCase().split(' ').filter(Boolean);
  const found = catalog.find(words);
  const [field = ''] = found ? Object.keys(found.command.fields) : [];
  const fits =
    words.length === 0 ||
    nounAt(words, 0)?.used === words.length ||
    (found?.used === words.length && ['issue', 'pull', 'item', 'run'].includes(field)) ||
    readVerbFirst(words, catalog)?.used === words.length;
  return whole !== '' && fits ? `${before}${place}#${number}${source.slice(whole.length)}` : source;
}

const item = String.raw`((?:[\w./-]{1,200})?#\d{1,15}|\d{1,15}|<?https?:\/\/\S{1,400})`;
const someone = String.raw`(<@[^>]{1,120}>|@?[\w.-]{1,100})`;
const listed = '(issues|tickets|prs|pulls|pull requests|merge requests|runs|builds|workflows|repos)';
const end = String.raw`(?=\s+--|$)`;
const states = 'open|closed|merged|all|failed|failing|broken|passed|green|running|queued|cancell?ed';
const plurals = Object.keys(nouns)
  .filter((noun) => noun.endsWith('s'))
  .join('|');
const stateWords: Readonly<Record<string, string>> = {
  failing: 'failed',
  broken: 'failed',
  green: 'passed',
  merged: 'closed',
};
const nounOf = (word = '') => nouns[word.toLowerCase()] ?? word;
const stateOf = (word = '') => stateWords[word.toLowerCase()] ?? word.toLowerCase();
const withoutLabels = (labels = '') =>
  labels
    .split(',')
    .map((label) => `-${label.trim()}`)
    .join(', ');

type Rewrite = string | ((...found: string[]) => string);

/** Word orders of sentences; each is bounded and begins at the first word, so that no text of an issue is touched. */
const sentences: readonly (readonly [string, Rewrite])[] = [
  ['(?:please|pls|(?:can|could|would) you(?: please)?) +', ''],
  ['(?:show|give|get|list) me +(?:the +)?', 'show '],
  [`(?:show|list|get) +(?=(?:my|${states}) )`, ''],
  [String.raw`how (?:do|can) (?:i|you) (\S.{0,80}?)\??$`, 'help $1'],
  ['open (?:an?|the) (?:new )?(?=(?:issue|ticket|bug|pr|pull request|merge request)(?: |$))', 'open '],
  [
    '(?!open|find|search|comment|reply)([a-z]{2,12}) (?:an?|the) (?:new )?(?=(?:issue|ticket|bug|pr|pull|run|build|workflow|deployment|queue))',
    '$1 ',
  ],
  // an issue of that title is not what they mean
  ['(?:open|new|make|raise) (?=(?:pr|pull request|merge request)(?: |$))', 'create '],
  [
    '(open|closed|merged|all) (issues|tickets|prs|pulls|pull requests|merge requests)(?= |$)',
    (_, state, noun) => `${nounOf(noun)} list --state ${stateOf(state)}`,
  ],
  [`open (?=(?:${plurals})$)`, ''],
  [
    '(failed|failing|broken|passed|green|running|queued|cancell?ed) (?:runs|builds)(?= |$)',
    (_, status) => `run list --status ${stateOf(status)}`,
  ],
  [`${listed} by ${someone}${end}`, (_, noun, who) => `${nounOf(noun)} list --author ${who}`],
  [`${listed} (?:in|of|for|from|on) (?=\\S)`, (_, noun) => `${nounOf(noun)} list `],
  ['((?:issue|pr|run) list --[a-z]+ [a-z]+) (?:in|of|for|from|on) ', '$1 '],
  [
    `((?:pr )?merge (?:pr |pull request )?${item}) (?:(?:with|by|as|and|using) )?(squash|rebase|rebase-merge|fast-forward-only)${end}`,
    '$1 --style $3',
  ],
  [`squash(?:(?: and)? merge)? (?:pr |pull request )?(?=${item})`, 'pr merge --style squash '],
  [String.raw`deploy (\S{1,200}) (?:to|on) (\S{1,60})(?=\s|$)`, 'deploy $2 $1'],
  ['deploy (?:to|on) ', 'deploy '],
  [`why did (?:the )?(?:run |build )?${item} (?:fail|break)\\??$`, 'run log $1'],
  [`(?:issue )?(?:comment|reply) (?:on|to) (?:issue |pr |pull request )?(?=${item})`, 'issue comment '],
  [`((?:issue )?comment ${item}):(?=\\s)`, '$1'],
  [`(?:add|set) (?:the )?labels? (\\S.{0,200}?) (?:to|on) ${item}${end}`, 'issue label $2 $1'],
  [
    `remove (?:the )?labels? (\\S.{0,200}?) from ${item}${end}`,
    (_, labels, at) => `issue label ${at} ${withoutLabels(labels)}`,
  ],
  [`unlabel ${item} (\\S.{0,200}?)${end}`, (_, at, labels) => `issue label ${at} ${withoutLabels(labels)}`],
  [`(?:issue )?unassign (?:issue )?${item}${end}`, 'issue assign $1 nobody'],
  [`ask ${someone} (?:to review|for a review (?:of|on)) (?:pr )?${item}${end}`, 'pr review $2 $1'],
  [`(?:request|ask for) (?:a )?review (?:from|by) ${someone} (?:on|for|of) (?:pr )?${item}${end}`, 'pr review $2 $1'],
  [`(?:add|put) (?:pr )?${item} (?:to|in|into|on) (?:the )?(?:merge )?queue${end}`, 'queue $1'],
  [`(?:remove|take|drop) (?:pr )?${item} (?:from|out of|off) (?:the )?(?:merge )?queue${end}`, 'queue remove $1'],
  [`(?:status|state)(?: of)? (?:issue |pr )?(?=${item}$)`, 'show '],
];

const orders = sentences.map(([pattern, says]) => [new RegExp(`^${pattern}`, 'i'), says] as const);

const verbLast = new RegExp(`^(?:([a-z]{2,6}) )?${item} ([a-z][a-z-]{2,20})(?=\\s|$)`, 'i');

/** `pr 5 merge`, `#4 close`. */
function putVerbFirst(source: string, catalog: CommandList): string {
  const [whole = '', noun = '', at = '', verb = ''] = verbLast.exec(source) ?? [];
  const said = verb.toLowerCase();
  const named = noun === '' ? catalog.get(said)?.name : commandOf(nounOf(noun), said, catalog);
  return named === undefined || whole === '' ? source : `${named} ${at}${source.slice(whole.length)}`;
}

/** @internal The text in the words of commands, if it was said in others: `close issue #4`, `pr 8`, `assign #4 to grace`. */
export function rephrase(typed: string, catalog: CommandList): string | undefined {
  const ordered = orders.reduce((text, [pattern, says]) => text.replace(pattern, says as string), typed);
  const source = joinNumber(putVerbFirst(ordered, catalog), catalog);
  const tokens = tokenize(source);
  const words = tokens.slice(0, longestPhrase + 1).map(({ value, literal }) => (literal ? '' : value.toLowerCase()));
  const known = read(words, catalog);
  const rest = known ? source.slice(tokens[known.used]?.start ?? source.length) : source;
  const said = (known ? `${known.says} ${rest}`.trim() : source)
    .replace(/^((?:issue )?assign) (me|<@[^>]+>|@?[\w.-]+) (?:to )?((?:\S+)?#\d{1,15})(?=\s+--|$)/i, '$1 $3 $2')
    .replace(/^((?:issue )?assign \S+) to /i, '$1 ')
    .replace(/^(pr review \S+) (?:by|from|to) /i, '$1 ');
  return said === typed ? undefined : said;
}

export type Parsed =
  | {
      readonly kind: 'command';
      readonly command: AnyCommand;
      /** Typed values by field name. */
      readonly args: Readonly<Record<string, unknown>>;
      /** Required fields without a value: the form asks for them. */
      readonly missing: readonly string[];
      readonly dryRun: boolean;
    }
  | { readonly kind: 'help'; readonly command?: AnyCommand; readonly group?: Group }
  | { readonly kind: 'thanks' }
  | { readonly kind: 'unknown'; readonly words: string; readonly nearest: readonly string[] };

const longest = 40_000;

/** The text after the slash command, as Slack sends it. Throws UserError with an example. */
export function parseCommand(text: string, catalog: CommandList, reading: Reading): Parsed {
  const typed = text.trim().replace(/^\/[\w-]+(\s+|$)/, '');
  if (typed.length > longest) throw new UserError(`This command is too long: use at most ${longest} characters.`);
  const said = typed.toLowerCase().replace(/[!.\s]+$/, '');
  if (thanks.includes(said)) return { kind: 'thanks' };
  if (greetings.includes(said)) return { kind: 'help' };
  const source = rephrase(typed, catalog) ?? typed;
  if (/^create (?:pr|pull|pull request|merge request)(?: |$)/i.test(source))
    throw new UserError('I can’t open pull requests. Push the branch, then open it on the forge.');
  const tokens = tokenize(source);
  const leading = tokens.findIndex((token) => token.literal || !leadingFlag.test(token.value));
  const start = leading === -1 ? tokens.length : leading;
  const words = tokens.slice(start).map((token) => token.value);
  const found = catalog.find(words) ?? findShowCommand(words[0] ?? '', catalog, reading);
  if (!found) return readHelp(words, catalog);
  const left = [...tokens.slice(0, start), ...tokens.slice(start + found.used)];
  try {
    return readCommand(source, found.command, left, reading);
  } catch (error) {
    throw error instanceof UserError ? withExample(error, found.command, reading) : error;
  }
}

const shows = { issue: 'issue show', comment: 'issue show', pull: 'pr show', run: 'run show', repository: 'feed repo' };

/** A lone address or number shows the item it names. */
function findShowCommand(word: string, catalog: CommandList, { webUrl }: Reading): ReturnType<CommandList['find']> {
  const page = readPage(word, webUrl);
  const kind = page?.kind ?? (/#/.test(word) && readItem(word, webUrl) ? 'issue' : undefined);
  const command = kind !== undefined && kind in shows ? catalog.get(shows[kind as keyof typeof shows]) : undefined;
  return command && { command, used: 0 };
}

const helpWord = new RegExp(`^(?:-|${dashes})?help$`, 'i');
const dryRunWord = new RegExp(`^${dashes}dry-?run$`, 'i');
const leadingFlag = new RegExp(`^${dashes}(?:dry-?run|help)$`, 'i');

function readHelp(words: readonly string[], catalog: CommandList): Parsed {
  const asked = words.some((word) => helpWord.test(word));
  const topic = words.filter((word) => !helpWord.test(word) && !dryRunWord.test(word));
  if (topic.length === 0) return { kind: 'help' };
  const named = asked && topic.length === 1 ? topicNamed(topic[0] ?? '', catalog) : undefined;
  if (named) return { kind: 'help', group: named };
  const command = asked ? catalog.find(topic)?.command : undefined;
  if (command) return { kind: 'help', command };
  const group = catalog.groups.find((each) => each.noun === topic[0]?.toLowerCase());
  if (group && (asked || topic.length === 1)) return { kind: 'help', group };
  const said = withoutMentions(topic.join(' ')).slice(0, 80);
  return { kind: 'unknown', words: said, nearest: catalog.nearest(said) };
}

function readCommand(source: string, command: AnyCommand, tokens: readonly Token[], reading: Reading): Parsed {
  if (command.form?.opens === 'only') return readNameOnly(command, tokens);
  const fields = fieldsOf(command);
  const { head, tail } = splitLines(
    source,
    tokens,
    fields.some(([, field]) => isLong(field)),
  );
  const { given, words, dryRun, help } = takeFlags(head, fields, reading);
  if (help) return { kind: 'help', command };
  const args: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const value = given.get(name);
    if (value !== undefined) args[name] = readNamed(name, field, value, reading);
  }
  Object.assign(args, readWords({ source, words, tail, given }, fields, reading));
  return { kind: 'command', command, args, missing: complete(args, fields), dryRun };
}

/** The text after the name may be a secret, so it is not read, kept or repeated. */
function readNameOnly(command: AnyCommand, tokens: readonly Token[]): Parsed {
  if (tokens.some(({ value }) => helpWord.test(value))) return { kind: 'help', command };
  const dryRun = tokens.some(({ value }) => dryRunWord.test(value));
  return { kind: 'command', command, args: {}, missing: [], dryRun };
}

/** If a long text may follow, everything below the first line belongs to it, flags and quotes included. */
function splitLines(source: string, tokens: readonly Token[], long: boolean): { head: readonly Token[]; tail: string } {
  const cut = long ? tokens.findIndex((token) => token.opensLine) : -1;
  const first = tokens[cut];
  return first ? { head: tokens.slice(0, cut), tail: source.slice(first.start) } : { head: tokens, tail: '' };
}

/** Missing fields either have a default (the channel's repository) or are asked for: returns the latter. */
function complete(args: Record<string, unknown>, fields: readonly (readonly [string, Field])[]): string[] {
  const missing: string[] = [];
  for (const [name, field] of fields) {
    if (!field.required || args[name] !== undefined) continue;
    const value = standIn(field);
    if (value === undefined) missing.push(name);
    else args[name] = value;
  }
  return missing;
}

/** Shown as code, so that `*` and `_` survive; the one that uses the part that was wrong. */
function withExample(error: UserError, command: AnyCommand, reading: Reading): UserError {
  const example = exampleFor(command, error.field, reading);
  const lines = [
    error.message,
    ...(example === undefined ? [] : [`Example: ${asCode(`${reading.slash} ${example}`)}`]),
  ];
  return new UserError(lines.join('\n'), { ...(error.field !== undefined && { field: error.field }), cause: error });
}

function exampleFor(command: AnyCommand, name: string | undefined, reading: Reading): string | undefined {
  const [first] = command.examples;
  const field = name === undefined ? undefined : command.fields[name];
  if (name === undefined || !field || first === undefined) return first;
  const [value = ''] = field.placeholder.split('|');
  const own = [value.replace(/,…$/, ''), '12'].map((each) => `${first} --${flagName(name)} ${each}`);
  return [...command.examples, ...own].find((line) => valueIn(line, command, name, reading) !== undefined) ?? first;
}

/** The value of this field in one of the command's examples. */
export function exampleOf(command: AnyCommand, name: string): string | undefined {
  const reading = { now: new Date(0), webUrl: '', slash: '' };
  return command.examples.map((line) => valueIn(line, command, name, reading)).find((value) => value !== undefined);
}

/** What an example of the command gives to this field, as text. */
function valueIn(line: string, command: AnyCommand, name: string, reading: Reading): string | undefined {
  const tokens = tokenize(line);
  const called = [command.name, ...(command.aliases ?? [])].map((each) => each.split(' '));
  const used = called.find((words) => words.every((each, at) => tokens[at]?.value === each))?.length;
  const field: Field | undefined = command.fields[name];
  if (used === undefined || !field) return undefined;
  try {
    const parsed = readCommand(line, command, tokens.slice(used), reading);
    const value = parsed.kind === 'command' ? parsed.args[name] : undefined;
    return value === undefined ? undefined : field.show(value) || undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

const special = /["“”„‟'‘’‚‛\\]|^[-—–/]|--|[—–]\w|\s/;
const quote = (text: string) => `"${text.replace(/["“”„‟\\]/g, '\\$&')}"`;
const word = (text: string) => (text === '' || special.test(text) ? quote(text) : text);

/** The line a person would type for these values, without secrets. */
export function commandLine(command: AnyCommand, args: Readonly<Record<string, unknown>>): string {
  const parts = [command.name];
  let text: string | undefined;
  let inOrder = true;
  for (const [name, field] of fieldsOf(command)) {
    const value = args[name];
    const byName = field.typed === 'flag' || field.typed === 'switch';
    const shown = value === undefined || field.secret === true ? '' : withoutMentions(field.show(value));
    if (shown === '') inOrder &&= byName;
    else if (field.typed === 'switch') parts.push(value === true ? `--${flagName(name)}` : `--no-${flagName(name)}`);
    // Flags after a long text would become part of it.
    else if (inOrder && isLong(field)) text = word(shown);
    else if (byName || !inOrder) parts.push(`--${flagName(name)} ${word(shown)}`);
    else parts.push(word(shown));
    if (field.typed === 'rest') inOrder = false;
  }
  return [...parts, ...(text === undefined ? [] : [text])].join(' ');
}
