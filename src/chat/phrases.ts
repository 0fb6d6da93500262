import type { CommandList } from './catalog.js';
import { nouns } from './nouns.js';
import { tokenize } from './tokens.js';

/** Other words for what is done, by the noun they are said with; `''` is any noun. */
const verbs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { ls: 'list', all: 'list', view: 'show', get: 'show', see: 'show', info: 'show', new: 'create', make: 'create' },
  issue: { open: 'create', add: 'create' },
  pr: { reviewers: 'review', diff: 'show', 'request review': 'review', find: 'list' },
  run: { retry: 'rerun', restart: 'rerun', stop: 'cancel', abort: 'cancel', logs: 'log', why: 'log' },
  repo: { find: 'search', list: 'search', import: 'migrate' },
  runner: { delete: 'remove' },
  key: { create: 'add' },
  deploy: { list: 'history', show: 'status' },
};

/** Whole phrases, and what they stand for. */
export const phrases: Readonly<Record<string, string>> = {
  'my prs': 'issue search --type pulls --created',
  'my pull requests': 'issue search --type pulls --created',
  'my reviews': 'issue search --type pulls --review-requested',
  'my issues': 'issue search --type issues --assigned',
  'my notifications': 'inbox',
  'my inbox': 'inbox',
  'my todo': 'todo',
  'my repos': 'repo watched',
  'to do': 'todo',
  'mark all read': 'inbox clear',
  'mark all as read': 'inbox clear',
  'mark everything as read': 'inbox clear',
  'clear inbox': 'inbox clear',
  'clear notifications': 'inbox clear',
  'clear my notifications': 'inbox clear',
  review: 'pr review',
  'request review': 'pr review',
  'ask for review': 'pr review',
  rerun: 'run rerun',
  retry: 'run rerun',
  restart: 'run rerun',
  cancel: 'run cancel',
  log: 'run log',
  logs: 'run log',
  diff: 'pr show',
  stuck: 'run stuck',
  flaky: 'run flaky',
  history: 'deploy history',
  remind: 'remind reviews',
  'sign in': 'signin',
  'sign out': 'signout',
  'who am i': 'whoami',
};

/** Words after which help, or a kind word, is what people want. */
export const greetings: readonly string[] = ['?', 'hi', 'hello', 'hey', 'hallo', 'good morning'];
export const thanks: readonly string[] = ['thanks', 'thank you', 'thx', 'ty', 'cheers'];

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

/** The text in the words of commands, if it was said in others: `close issue #4`, `pr 8`, `assign #4 to grace`. */
export function rephrase(typed: string, catalog: CommandList): string | undefined {
  const source = joinNumber(typed, catalog);
  const tokens = tokenize(source);
  const words = tokens.slice(0, longestPhrase + 1).map(({ value, literal }) => (literal ? '' : value.toLowerCase()));
  const known = read(words, catalog);
  const rest = known ? source.slice(tokens[known.used]?.start ?? source.length) : source;
  const said = (known ? `${known.says} ${rest}`.trim() : source)
    .replace(/^((?:issue )?assign) (me|<@[^>]+>|@?[\w.-]+) (?:to )?((?:\S+)?#\d{1,15})$/i, '$1 $3 $2')
    .replace(/^((?:issue )?assign \S+) to /i, '$1 ')
    .replace(/^(pr review \S+) (?:by|from|to) /i, '$1 ');
  return said === typed ? undefined : said;
}
