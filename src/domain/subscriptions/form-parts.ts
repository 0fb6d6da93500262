import {
  defaultFeatures,
  type Feature,
  Filter,
  features,
  labeledPart,
  runWatches,
  type Setting,
  settingOf,
  settings,
  subsOf,
} from '../../feed/filter.js';
import { parseFilter } from '../../feed/filter-words.js';
import { showFilter } from '../../feed/show-filter.js';
import { readWish } from './fields.js';

/** A filter as a form shows it: features, patterns as text, and one choice per setting. */
export interface Parts {
  readonly features: readonly string[];
  readonly filters: string;
  readonly settings: Readonly<Record<Setting, string>>;
}

/** Commits take branch patterns, and results of runs have a setting of their own. */
const tickedSubs = (feature: Feature): readonly string[] =>
  feature === 'commits' ? [] : feature === 'runs' ? runWatches : subsOf(feature);

/** Everything that can be ticked: `pulls`, `pulls:opened`, … */
export const featureWords: readonly string[] = features.flatMap((feature) => [
  feature,
  ...tickedSubs(feature).map((sub) => `${feature}:${sub}`),
]);

const settingNames = Object.keys(settings).filter((name): name is Setting => Object.hasOwn(settings, name));

export function partsOf(filter: Filter): Parts {
  const { features: wanted, labels, notLabels, authors, notAuthors, base, branch, workflow, items, except } = filter;
  const ticked = Object.entries(wanted ?? Object.fromEntries(defaultFeatures.map((each) => [each, []])));
  const branches = wanted?.commits ?? [];
  const patterns = Filter.parse({ labels, notLabels, authors, notAuthors, base, branch, workflow, items, except });
  return {
    features: ticked.flatMap(([feature, subs]) => {
      if (feature === 'commits') return branches.length === 0 ? ['commits'] : [];
      if (subs.length === 0) return [feature];
      const offered = subs.filter((sub) => sub !== labeledPart);
      return offered.map((sub) => (sub === 'results' ? feature : `${feature}:${sub}`));
    }),
    filters: showFilter({ ...patterns, ...(branches.length > 0 && { features: { commits: branches } }) }),
    settings: {
      bots: settingOf(filter, 'bots'),
      drafts: settingOf(filter, 'drafts'),
      runs: settingOf(filter, 'runs'),
      thread: settingOf(filter, 'thread'),
      style: settingOf(filter, 'style'),
      self: settingOf(filter, 'self'),
    },
  };
}

const featureIn = (word: string) => word.split(':')[0] ?? '';

/** Back to a filter. A whole feature outweighs its parts; the runs mode has no effect without runs. */
export function filterFrom({ features: ticked, filters, settings: chosen }: Parts): Filter {
  const whole = new Set(ticked.filter((word) => !word.includes(':')));
  const wanted = ticked.filter(
    (word) => word.startsWith('runs:') || !word.includes(':') || !whole.has(featureIn(word)),
  );
  const modes = settingNames
    .filter((name) => name !== 'runs' || whole.has('runs'))
    .map((name) => `${name}:${chosen[name]}`);
  return slim(parseFilter([...wanted, ...readWish(filters, '').words, ...modes]));
}

/** Default features are not stored. */
export const slim = (filter: Filter): Filter => (isUsual(filter.features) ? withoutFeatures(filter) : filter);

const isUsual = (wanted: Filter['features']): boolean =>
  wanted !== undefined &&
  Object.keys(wanted).length === defaultFeatures.length &&
  defaultFeatures.every((feature) => wanted[feature]?.length === 0);

function withoutFeatures(filter: Filter): Filter {
  const { features: _features, ...rest } = filter;
  return rest;
}
