import { z } from 'zod';
import { asCode, UserError } from '../errors.js';
import { didYouMean, nearest } from '../nearest.js';
import { refuseForeign } from '../pattern.js';
import { kinds } from './event.js';

/** GitHub's names if they exist. `workflows` is read as `runs`. */
export const features = [
  'issues',
  'pulls',
  'commits',
  'releases',
  'branches',
  'tags',
  'reviews',
  'comments',
  'runs',
  'repos',
  'mirrors',
  'queue',
] as const;
export type Feature = (typeof features)[number];

export const defaultFeatures: readonly Feature[] = ['issues', 'pulls', 'commits', 'releases'];

/** Follows the filter `+label:` and cannot be subscribed to by name; older filters may still name it. */
export const labeledPart = 'labeled';

/** The parts of each feature; commits take branch globs and runs take a mode instead. */
export function subsOf(feature: Feature): readonly string[] {
  const subs = kinds.filter((kind) => kind.startsWith(`${feature}:`)).map((kind) => kind.slice(feature.length + 1));
  return subs.filter((sub) => sub !== labeledPart);
}

/** What can be followed about runs besides their results. */
export const runWatches = ['waiting', 'stuck'] as const;
const runParts = ['results', ...runWatches] as const;

/** Results alone mean the whole feature, as before other parts existed. */
export function addRuns(before: readonly string[] | undefined, more: readonly string[]): string[] {
  const all = new Set([...(before?.length === 0 ? ['results'] : (before ?? [])), ...more]);
  const parts = runParts.filter((part) => all.has(part));
  return parts.length === 1 && all.has('results') ? [] : parts;
}

export const wantsResults = (runs: readonly string[]): boolean => runs.length === 0 || runs.includes('results');

const globs = z.array(z.string().min(1).max(100)).min(1).max(20);

/** Only deviations from the defaults, so most filters are `{}`. Stored as JSON. */
export const Filter = z.strictObject({
  /** [] means the whole feature. Absent: the default features. */
  features: z.partialRecord(z.enum(features), z.array(z.string().min(1).max(100)).max(20)).optional(),
  /** Issues and pull requests of which every event is wanted, whatever the rest says. */
  items: z.array(z.int().min(1)).min(1).max(100).optional(),
  /** Excluded repositories of a pattern: `acme/noisy`, `acme/lib-*`. */
  except: globs.optional(),
  /** Every group must match, by any of its labels. */
  labels: z.array(globs).min(1).max(10).optional(),
  notLabels: globs.optional(),
  authors: globs.optional(),
  notAuthors: globs.optional(),
  base: globs.optional(),
  branch: globs.optional(),
  workflow: globs.optional(),
  /** Whose review is requested: logins, and teams as `org/team`. */
  reviewers: globs.optional(),
  /** Of changed files. */
  path: globs.optional(),
  /** Changed files that do not count. */
  notPath: globs.optional(),
  bots: z.literal('on').optional(),
  drafts: z.enum(['hide', 'show']).optional(),
  runs: z.enum(['failure', 'all']).optional(),
  thread: z.enum(['state', 'off', 'sync']).optional(),
  style: z.literal('line').optional(),
  self: z.literal('off').optional(),
});
export type Filter = z.infer<typeof Filter>;

export type Style = 'line' | 'card';

/** Every setting with its values; the first is the default and is not stored. */
export const settings = {
  bots: ['off', 'on'],
  drafts: ['line', 'hide', 'show'],
  runs: ['transitions', 'failure', 'all'],
  thread: ['all', 'state', 'off', 'sync'],
  style: ['card', 'line'],
  self: ['on', 'off'],
} as const;
export type Setting = keyof typeof settings;

export const settingOf = <S extends Setting>(filter: Filter, setting: S): (typeof settings)[S][number] =>
  filter[setting] ?? settings[setting][0];

/** Subscribing again merges: features are added, settings and named filters replaced. */
export function mergeFilter(old: Filter, more: Filter): Filter {
  const items = more.items && old.items ? { items: [...new Set([...old.items, ...more.items])] } : {};
  if (!more.features) return { ...old, ...more, ...items };
  const before = old.features ?? Object.fromEntries(defaultFeatures.map((feature) => [feature, []]));
  const { runs } = more.features;
  const both = runs && { runs: addRuns(before['runs'], runs.length === 0 ? ['results'] : runs) };
  return { ...old, ...more, ...items, features: { ...before, ...more.features, ...both } };
}

/** What the worker has to poll for this filter. */
export function needs(filter: Filter): {
  readonly runs: boolean;
  /** Whether unfinished runs are examined. */
  readonly stuck: boolean;
  readonly labels: readonly string[];
  readonly drafts: boolean;
  /** Whether review requests are read. */
  readonly requests: boolean;
} {
  const on = (feature: Feature) =>
    filter.features ? filter.features[feature] !== undefined : defaultFeatures.includes(feature);
  const asksFor = (feature: Feature, sub: string) => {
    const subs = filter.features?.[feature] ?? [];
    return subs.length === 0 || subs.includes(sub);
  };
  return {
    runs: on('runs'),
    stuck: filter.features?.runs?.includes('stuck') ?? false,
    labels: (filter.labels ?? []).flat(),
    drafts: on('pulls') && settingOf(filter, 'drafts') !== 'show',
    requests: on('reviews') && asksFor('reviews', 'requested'),
  };
}

const gitHubWords = new Map([
  ['name', 'workflow:'],
  ['branch', 'branch:'],
  ['actor', '+author:'],
]);

/** Translates `workflows:{name:"CI" branch:"main"}`, as GitHub's app writes it, into our syntax. */
function ofGitHub(text: string): string {
  return text.replaceAll(/[“”„«»]/g, '"').replaceAll(/\bworkflows:\{([^{}]{0,500})\}/gi, (_, inside: string) => {
    const pairs = [...inside.matchAll(/(\w+)\s*:\s*("[^"]*"|[^\s",]+)/g)];
    const words = pairs.map(([pair, name = '', value = '']) => {
      const ours = gitHubWords.get(name.toLowerCase());
      if (ours === undefined)
        throw new UserError(`Runs cannot be filtered by ${pair.slice(0, 60)}. Use workflow:, branch: or +author:.`, {
          field: 'filter',
        });
      return `${ours}${value}`;
    });
    return ['runs', ...words].join(' ');
  });
}

/** Splits outside quotes; typographic quotes count as plain ones. */
export function splitWords(text: string): string[] {
  return [...ofGitHub(text).matchAll(/(?:"[^"]*"?|[^\s"])+/g)].map(([word]) => word);
}

const prefixes = [
  '+label',
  '-label',
  '+author',
  '-author',
  'base',
  'branch',
  'workflow',
  'path',
  '-path',
  'reviewer',
] as const;
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
  for (const word of typeof words === 'string' ? splitWords(words) : words) readWord(word.trim(), draft);
  const filter = Filter.safeParse(draft);
  if (filter.success) return filter.data;
  throw new UserError('These filters are too long: use at most 20 patterns of 100 characters each.', {
    field: 'filter',
  });
}

function readWord(word: string, draft: Draft): void {
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
    throw new UserError(`${word} needs a value, such as ${prefix}:${exampleOf(prefix)}.`, { field: 'filter' });
  for (const pattern of patterns) checkPattern(prefix, pattern, word);
  switch (prefix) {
    case '+label':
      draft.labels = [...(draft.labels ?? []), patterns];
      break;
    case '-label':
      draft.notLabels = [...(draft.notLabels ?? []), ...patterns];
      break;
    case '+author':
      refuseTeams(patterns, word);
      draft.authors = [...(draft.authors ?? []), ...patterns.map(login)];
      break;
    case '-author':
      refuseTeams(patterns, word);
      draft.notAuthors = [...(draft.notAuthors ?? []), ...patterns.map(login)];
      break;
    case 'reviewer':
      draft.reviewers = [...(draft.reviewers ?? []), ...patterns.map(login)];
      break;
    case 'path':
      draft.path = [...(draft.path ?? []), ...patterns.map(folder)];
      break;
    case '-path':
      draft.notPath = [...(draft.notPath ?? []), ...patterns.map(folder)];
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

/** No login has a slash, so the channel would go silent. */
function refuseTeams(patterns: readonly string[], word: string): void {
  if (patterns.every((pattern) => !pattern.includes('/'))) return;
  throw new UserError(
    `${asCode(word)} names a team, and authors are people. Write their logins: ${asCode('+author:ada,grace')}.`,
    { field: 'filter' },
  );
}

function exampleOf(prefix: Prefix): string {
  if (prefix === 'reviewer') return 'acme/core';
  return prefix.endsWith('label') ? 'bug' : prefix.endsWith('path') ? 'src/**' : 'main';
}

/** `/src/` is everything in that folder. */
const folder = (text: string): string => text.replace(/^(!?)\.?\//, '$1').replace(/\/$/, '/**') || '**';

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
    const options = subs.length === 0 ? ' It has no parts: write it alone.' : `${meant} Options: ${subs.join(', ')}.`;
    throw new UserError(`${feature} has no “${sub}”.${options}`, { field: 'filter' });
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

/** Text that `parseFilter` reads back as the same filter; empty for the defaults. */
export function showFilter(filter: Filter): string {
  const list = (name: string, values: readonly string[] | undefined) =>
    values ? [`${name}:${quoteWord(values.join(','))}`] : [];
  const shown = Object.entries(filter.features ?? {}).filter(([feature]) => feature !== 'runs');
  return [
    ...shown.map(([feature, subs]) => (subs.length === 0 ? feature : `${feature}:${quoteWord(subs.join(','))}`)),
    ...(filter.features?.runs ? [runWords(filter.features.runs, filter.runs)] : []),
    ...(filter.items ?? []).map((index) => `#${index}`),
    ...(filter.except ?? []).map((glob) => `-${glob}`),
    ...(filter.labels ?? []).flatMap((group) => list('+label', group)),
    ...list('-label', filter.notLabels),
    ...list('+author', filter.authors),
    ...list('-author', filter.notAuthors),
    ...list('base', filter.base),
    ...list('branch', filter.branch),
    ...list('workflow', filter.workflow),
    ...list('path', filter.path),
    ...list('-path', filter.notPath),
    ...list('reviewer', filter.reviewers),
    ...(['bots', 'drafts', 'thread', 'style', 'self'] as const).flatMap((name) =>
      filter[name] ? [`${name}:${filter[name]}`] : [],
    ),
  ].join(' ');
}

/** `runs`, `runs:failure`, `runs:waiting`, `runs:failure,stuck` */
function runWords(subs: readonly string[], mode: Filter['runs']): string {
  if (subs.length === 0 && !mode) return 'runs';
  const results = wantsResults(subs) ? [mode ?? settings.runs[0]] : [];
  return `runs:${[...results, ...subs.filter((sub) => sub !== 'results')].join(',')}`;
}

const quoteWord = (text: string): string => (/\s/.test(text) ? `"${text}"` : text);
