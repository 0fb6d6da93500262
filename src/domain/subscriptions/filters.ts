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
import { parseFilter, showFilter } from '../../feed/filter-words.js';

const isSetting = (name: string): name is Setting => Object.hasOwn(settings, name);
const isFeature = (name: string): name is Feature => features.some((feature) => feature === name);

/** `bots:off` is the default and leaves no trace in a filter, so what was said is read from the words. */
function namedSettings(words: readonly string[]): Setting[] {
  // what else of runs is followed leaves their mode alone
  const isWatch = (word: string) => /^(?:runs|workflows):/i.test(word) && parseFilter([word]).features?.runs?.length;
  const names = words.filter((word) => !isWatch(word)).map((word) => word.split(':')[0]?.toLowerCase() ?? '');
  return names.map((name) => (name === 'workflows' ? 'runs' : name)).filter(isSetting);
}

const isNone = (features: Filter['features']) => features !== undefined && Object.keys(features).length === 0;

/** What is stored as a filter, read back; one that cannot be read counts as the default. */
export const filterOf = (stored: unknown): Filter => Filter.safeParse(stored).data ?? {};

/** The first time only what is named is told; later words are added to what is there. */
export function mergedFilter(old: Filter | undefined, words: readonly string[]): Filter {
  const more = parseFilter(words);
  if (!old) return more;
  const kept: Filter = { ...old };
  for (const name of namedSettings(words)) delete kept[name];
  // one item alone was followed: the repository itself is subscribed to for the first time
  if (isNone(kept.features) && !more.items && !more.features) delete kept.features;
  return mergeFilter(kept, more);
}

/** What is left after these words were taken away; undefined when nothing is left to be told. */
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

/** Undefined: the whole feature goes. */
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

/** Every feature that is told, the default ones too. */
export const featuresOf = (filter: Filter): NonNullable<Filter['features']> =>
  filter.features ?? Object.fromEntries(defaultFeatures.map((feature) => [feature, []]));

/** Every feature that is told, the default ones too, and what else differs from the usual. */
export const filterWords = (filter: Filter): string => showFilter({ ...filter, features: featuresOf(filter) });
