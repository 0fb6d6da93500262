import { defaultFeatures, type Feature, type Setting } from '../../feed/filter.js';
import { featureLabels, partLabel } from './announce.js';
import { featureWords } from './fields.js';

const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** The form's checkboxes; the rest is typed. */
export const everydayFeatures = [
  'issues',
  'pulls',
  'reviews',
  'comments',
  'commits',
  'releases',
  'runs',
  'branches',
  'tags',
] as const satisfies readonly Feature[];

export const usualFeatures = defaultFeatures.join(',');

/** `Pull requests`, `Pull requests: merged`. */
export const featureTexts: Readonly<Record<string, string>> = Object.fromEntries(
  featureWords.map((word) => {
    const [feature = '', sub] = word.split(':');
    const name = capital(Object.entries(featureLabels).find(([each]) => each === feature)?.[1] ?? feature);
    return [word, sub === undefined ? name : `${name}: ${partLabel(feature, sub)}`];
  }),
);

/** Each setting as a question and its answers. */
export const settingTexts: Readonly<
  Record<Setting, { readonly label: string; readonly labels: Readonly<Record<string, string>> }>
> = {
  bots: { label: 'Bots', labels: { off: 'Leave out', on: 'Post like people' } },
  drafts: { label: 'Draft pull requests', labels: { line: 'One line', hide: 'Leave out', show: 'Post like others' } },
  runs: {
    label: 'Workflow runs',
    labels: { transitions: 'First failure and the fix', failure: 'Every failure', all: 'Every run' },
  },
  thread: {
    label: 'Threads',
    labels: {
      all: 'Everything about one item',
      state: 'Without comments',
      off: 'Post to the channel',
      sync: 'Replies become comments',
    },
  },
  style: { label: 'Style', labels: { card: 'Cards', line: 'One line' } },
  self: { label: 'The owner’s own actions', labels: { on: 'Post', off: 'Leave out' } },
};
