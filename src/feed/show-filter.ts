import { type Filter, settings, wantsResults } from './filter.js';

/** Text that `parseFilter` reads back as the same filter; empty for the defaults. */
export function showFilter(filter: Filter): string {
  const list = (name: string, values: readonly string[] | undefined) =>
    values ? [`${name}:${quoted(values.join(','))}`] : [];
  const shown = Object.entries(filter.features ?? {}).filter(([feature]) => feature !== 'runs');
  return [
    ...shown.map(([feature, subs]) => (subs.length === 0 ? feature : `${feature}:${quoted(subs.join(','))}`)),
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

const quoted = (text: string): string => (/\s/.test(text) ? `"${text}"` : text);
