import { z } from 'zod';
import { kinds } from './kind.js';

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
} {
  const on = (feature: Feature) =>
    filter.features ? filter.features[feature] !== undefined : defaultFeatures.includes(feature);
  return {
    runs: on('runs'),
    stuck: filter.features?.runs?.includes('stuck') ?? false,
    labels: (filter.labels ?? []).flat(),
    drafts: on('pulls') && settingOf(filter, 'drafts') !== 'show',
  };
}
