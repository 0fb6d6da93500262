import { defaultFeatures, type Setting } from '../../feed/filter.js';
import type { Parts } from './parts.js';

/** As a person asks for it; null empties, what is left out stays. */
type Asked = { readonly features?: readonly string[] | null; readonly filters?: string | null } & {
  readonly [S in Setting]?: string;
};

export function changedParts(old: Parts, { features, filters, ...chosen }: Asked): Parts {
  const told = features === null ? defaultFeatures : (features ?? old.features);
  // `--runs failure` alone also says that runs are wanted
  const runs = features === undefined && chosen.runs !== undefined && !told.includes('runs') ? ['runs'] : [];
  return {
    features: [...told, ...runs],
    filters: filters === null ? '' : (filters ?? old.filters),
    settings: { ...old.settings, ...chosen },
  };
}
