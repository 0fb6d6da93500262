import {
  addRuns,
  defaultFeatures,
  type Feature,
  Filter,
  features,
  mergeFilter,
  type Setting,
  settings,
  subsOf,
} from '../../feed/filter.js';
import { parseFilter } from '../../feed/filter-words.js';
import { showFilter } from '../../feed/show-filter.js';

const isSetting = (name: string): name is Setting => Object.hasOwn(settings, name);
const isFeature = (name: string): name is Feature => features.some((feature) => feature === name);

/** `bots:off` is the default and leaves no trace in a filter, so it is read from the typed words. */
function namedSettings(words: readonly string[]): Setting[] {
  // other parts of runs do not change their mode
  const isWatch = (word: string) => /^(?:runs|workflows):/i.test(word) && parseFilter([word]).features?.runs?.length;
  const names = words.filter((word) => !isWatch(word)).map((word) => word.split(':')[0]?.toLowerCase() ?? '');
  return names.map((name) => (name === 'workflows' ? 'runs' : name)).filter(isSetting);
}

const isNone = (features: Filter['features']) => features !== undefined && Object.keys(features).length === 0;

/** Parses a stored filter; an unreadable one counts as the default. */
export const filterOf = (stored: unknown): Filter => Filter.safeParse(stored).data ?? {};

/** The first time only the named features are posted; later words are added to them. */
export function mergedFilter(old: Filter | undefined, words: readonly string[]): Filter {
  const more = parseFilter(words);
  if (!old) return more;
  const kept: Filter = { ...old };
  for (const name of namedSettings(words)) delete kept[name];
  // only single items were followed: this is the first subscription to the repository itself
  if (isNone(kept.features) && !more.items && !more.features) delete kept.features;
  return mergeFilter(kept, more);
}

/** What is left after removing these words; undefined if nothing is. */
export function narrowedFilter(filter: Filter, words: readonly string[]): Filter | undefined {
  const gone = parseFilter(words);
  const left = Object.entries(featuresOf(filter)).flatMap(([feature, subs]) => {
    if (!isFeature(feature)) return [];
    const remaining = withoutSubs(feature, subs, gone.features?.[feature]);
    return remaining ? [[feature, remaining] as const] : [];
  });
  const items = filter.items?.filter((index) => !gone.items?.includes(index)) ?? [];
  if (left.length === 0 && items.length === 0) return undefined;
  const { items: _, ...rest } = filter;
  const kept: Filter = { ...rest, ...(items.length > 0 && { items }) };
  if (gone.features) kept.features = Object.fromEntries(left);
  for (const name of namedSettings(words)) if (name !== 'runs' || !gone.features?.runs) delete kept[name];
  for (const name of ['labels', 'notLabels', 'authors', 'notAuthors', 'base', 'branch', 'workflow', 'except'] as const)
    if (gone[name]) delete kept[name];
  return kept;
}

/** Undefined: the whole feature is removed. */
function withoutSubs(
  feature: Feature,
  subs: readonly string[],
  gone: readonly string[] | undefined,
): string[] | undefined {
  if (gone === undefined) return [...subs];
  if (gone.length === 0) return undefined;
  const all = feature === 'runs' ? ['results'] : subsOf(feature);
  const before = subs.length === 0 ? all : subs;
  const left = before.filter((sub) => !gone.includes(sub));
  if (feature === 'runs' && left.length > 0) return addRuns(undefined, left);
  return left.length === 0 ? undefined : left;
}

/** Every feature that is posted, including the defaults. */
export const featuresOf = (filter: Filter): NonNullable<Filter['features']> =>
  filter.features ?? Object.fromEntries(defaultFeatures.map((feature) => [feature, []]));

/** Every feature that is posted, including the defaults, and everything else that differs from the default. */
export const filterWords = (filter: Filter): string => showFilter({ ...filter, features: featuresOf(filter) });
