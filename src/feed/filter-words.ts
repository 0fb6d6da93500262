import { UserError } from '../errors.js';
import { didYouMean, nearest } from '../nearest.js';
import { refuseForeign } from '../pattern.js';
import {
  addRuns,
  type Feature,
  Filter,
  features,
  labeledPart,
  runWatches,
  type Setting,
  settings,
  subsOf,
} from './filter.js';
import { split } from './split-words.js';

const prefixes = ['+label', '-label', '+author', '-author', 'base', 'branch', 'workflow'] as const;
type Prefix = (typeof prefixes)[number];

const known: readonly string[] = [
  ...features,
  'workflows',
  'all',
  'self',
  ...prefixes.map((prefix) => `${prefix}:`),
  ...Object.keys(settings).map((name) => `${name}:`),
];

const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });

type Draft = { -readonly [K in keyof Filter]: Filter[K] };

/** `issues pulls:opened,merged +label:bug -author:*-bot base:main bots:on` as a filter. */
export function parseFilter(words: string | readonly string[]): Filter {
  const draft: Draft = {};
  for (const word of typeof words === 'string' ? split(words) : words) read(word.trim(), draft);
  const filter = Filter.safeParse(draft);
  if (filter.success) return filter.data;
  throw new UserError('These filters are too long: use at most 20 patterns of 100 characters each.', {
    field: 'filter',
  });
}

function read(word: string, draft: Draft): void {
  if (word === '') return;
  const [name, value] = parts(word);
  const prefix = prefixes.find((one) => one === name || one === `+${name}`);
  if (exceptForm.test(word)) readExcept(word, draft);
  else if (itemForm.test(word)) readItem(word, draft);
  else if (prefix && value !== undefined) readPattern(prefix, value, word, draft);
  else if (isSetting(name) && value !== undefined && name !== 'runs') readSetting(name, value, draft);
  else if (name === 'self' && value === undefined) readSetting('self', 'on', draft);
  else readFeatures(word, draft);
}

const [exceptForm, itemForm] = [/^-[^\s:,/]+\/[^\s:]+$/, /^#\d{1,15}$/];

/** `-acme/noisy`, `-acme/noisy,acme/lib-*`: excludes repositories of a pattern. */
function readExcept(word: string, draft: Draft): void {
  const globs = word.split(',').map((part) => part.replace(/^-/, ''));
  for (const glob of globs) refuseForeign(glob, word, 'filter');
  draft.except = [...(draft.except ?? []), ...globs];
}

/** `#12`: everything about this item; on its own, nothing else. */
function readItem(word: string, draft: Draft): void {
  draft.items = [...new Set([...(draft.items ?? []), Number(word.slice(1))])];
  draft.features ??= {};
}

function parts(word: string): [name: string, value: string | undefined] {
  const colon = word.indexOf(':');
  if (colon === -1) return [word.toLowerCase(), undefined];
  return [word.slice(0, colon).toLowerCase(), word.slice(colon + 1).replaceAll('"', '')];
}

const isSetting = (name: string): name is Setting => Object.hasOwn(settings, name);

function readPattern(prefix: Prefix, value: string, word: string, draft: Draft): void {
  const patterns = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (patterns.length === 0)
    throw new UserError(`${word} needs a value, such as ${prefix}:${prefix.endsWith('label') ? 'bug' : 'main'}.`, {
      field: 'filter',
    });
  for (const pattern of patterns) checkPattern(prefix, pattern, word);
  switch (prefix) {
    case '+label':
      draft.labels = [...(draft.labels ?? []), patterns];
      break;
    case '-label':
      draft.notLabels = [...(draft.notLabels ?? []), ...patterns];
      break;
    case '+author':
      draft.authors = [...(draft.authors ?? []), ...patterns.map(login)];
      break;
    case '-author':
      draft.notAuthors = [...(draft.notAuthors ?? []), ...patterns.map(login)];
      break;
    default:
      draft[prefix] = [...(draft[prefix] ?? []), ...patterns];
  }
}

/** A label can have any name, so one without a star is taken literally; other lists allow a leading `!`. */
function checkPattern(prefix: Prefix | 'commits', pattern: string, word: string): void {
  const isLabel = prefix.endsWith('label');
  if (isLabel && !/[*?]/.test(pattern)) return;
  refuseForeign(isLabel ? pattern : pattern.replace(/^!/, ''), word, 'filter');
}

const login = (text: string): string => text.replace(/^@/, '') || '*';

function readSetting(name: Setting, value: string, draft: Draft, more: readonly string[] = []): void {
  const wanted = value.toLowerCase();
  const values: readonly string[] = settings[name];
  if (!values.includes(wanted))
    throw new UserError(
      `Unknown setting ${name}:${value}. Use ${either.format([...values, ...more].map((each) => `${name}:${each}`))}.`,
      { field: 'filter' },
    );
  if (wanted === values[0]) delete draft[name];
  else Object.assign(draft, { [name]: wanted });
}

function readFeatures(word: string, draft: Draft): void {
  let current: Feature | undefined;
  for (const piece of word
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')) {
    const [name, value] = parts(piece);
    const feature = featureOf(name);
    if (feature === undefined && current !== undefined) addSub(current, piece, draft);
    else if (feature === undefined && name === 'all' && value === undefined)
      draft.features = Object.fromEntries(features.map((each) => [each, []]));
    else if (feature === undefined) throw unknown(piece);
    else {
      current = feature;
      if (value !== undefined && value !== '') addSub(feature, value, draft);
      else if (feature === 'runs')
        draft.features = { ...draft.features, runs: addRuns(draft.features?.runs, ['results']) };
      else draft.features = { ...draft.features, [feature]: [] };
    }
  }
}

const featureOf = (name: string): Feature | undefined =>
  name === 'workflows' ? 'runs' : features.find((feature) => feature === name);

function addSub(feature: Feature, value: string, draft: Draft): void {
  const sub = value.replaceAll('"', '');
  const before = draft.features?.[feature] ?? [];
  if (feature === 'runs') {
    const watched = runWatches.find((watch) => watch === sub.toLowerCase());
    if (!watched) readSetting('runs', sub, draft, runWatches);
    draft.features = { ...draft.features, runs: addRuns(draft.features?.runs, [watched ?? 'results']) };
    return;
  }
  const subs = subsOf(feature);
  const wanted = feature === 'commits' ? (sub === 'all' ? '*' : sub) : sub.toLowerCase();
  if (wanted === labeledPart && (feature === 'issues' || feature === 'pulls'))
    throw new UserError(`Labels are a filter, not a part of ${feature}. Use +label:bug to follow a label.`, {
      field: 'filter',
    });
  if (feature !== 'commits' && !subs.includes(wanted)) {
    const near = nearest(wanted, [...subs]);
    const meant = didYouMean(near && `${feature}:${near}`);
    throw new UserError(`${feature} has no “${sub}”.${meant} Options: ${subs.join(', ')}.`, {
      field: 'filter',
    });
  }
  if (feature === 'commits') checkPattern(feature, wanted, `commits:${wanted}`);
  draft.features = { ...draft.features, [feature]: [...new Set([...before, wanted])] };
}

function unknown(word: string): UserError {
  const meant = didYouMean(nearest(word, [...known]));
  return new UserError(`Unknown feature or filter “${word.slice(0, 60)}”.${meant}\nFeatures: ${features.join(', ')}.`, {
    field: 'filter',
  });
}
