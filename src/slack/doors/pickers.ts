import type { OptionSource } from '../../chat/field.js';
import { labelsFor } from '../../domain/issues/labels.js';
import { templatesOf } from '../../domain/issues/template/read.js';
import { gathered } from '../../forge/index.js';
import type { Asking, Choice } from './asking.js';
import { itemChoices, type Offered, runChoices } from './pick-items.js';
import { repositoryChoices } from './pick-repository.js';

interface Picker {
  /** True: the server searches. False: the whole list is read once and filtered here. */
  searches(about: Pick<Asking, 'repo'>): boolean;
  ask(asking: Asking): Promise<readonly Choice[]>;
}

const named = (items: readonly { readonly name: string }[]): Choice[] =>
  items.map(({ name }) => ({ text: name, value: name }));

/** Filtered here, so all are read; nobody scrolls through more than this. */
const bounds = { max: 1_000, maxPages: 20 };

const listed = (ask: Picker['ask']): Picker => ({ searches: () => false, ask });
const searched = (ask: Picker['ask']): Picker => ({ searches: () => true, ask });

const items = (offered: Offered): Picker => searched((asking) => itemChoices(asking, offered));

/** Every menu of every form, read as the person who opens it. */
export const pickers: Readonly<Record<Exclude<OptionSource, 'subscriptions'>, Picker>> = {
  repositories: searched(repositoryChoices),
  items: items({}),
  issues: items({ type: 'issues' }),
  pulls: items({ type: 'pulls' }),
  'open-issues': items({ type: 'issues', state: 'open' }),
  'open-pulls': items({ type: 'pulls', state: 'open' }),
  'closed-issues': items({ type: 'issues', state: 'closed' }),
  'closed-pulls': items({ type: 'pulls', state: 'closed' }),
  runs: searched(runChoices),
  people: {
    searches: ({ repo }) => repo === undefined,
    async ask({ api, repo, typed }) {
      const q = typed.replace(/^@/, '');
      const { items } = repo
        ? await api.repos.listAssignees(repo)
        : await api.users.search({ query: { q, limit: 50 } });
      return items.map(({ login, full_name: name }) => ({ text: name ? `${login} (${name})` : login, value: login }));
    },
  },
  labels: listed(async ({ api, repo }) => (repo ? named(await labelsFor(api, repo, bounds)) : [])),
  milestones: listed(async ({ api, repo }) => {
    const items = repo ? await gathered(api.repos.listMilestones.each(repo, bounds)) : [];
    return items.map(({ id, title }) => ({ text: title, value: `#${id}` }));
  }),
  branches: listed(async ({ api, repo }) =>
    repo ? named(await gathered(api.repos.listBranches.each(repo, bounds))) : [],
  ),
  workflows: listed(async ({ api, repo }) => {
    const items = repo ? (await api.workflows.list(repo)).items : [];
    return items.map(({ id, name }) => ({ text: name && name !== id ? `${name} (${id})` : id, value: id }));
  }),
  templates: listed(async ({ api, repo }) =>
    repo ? (await templatesOf(repo, api)).map(({ file, name }) => ({ text: name, value: file })) : [],
  ),
  teams: listed(async ({ api, repo }) => (repo ? named((await api.repos.listTeams(repo)).items) : [])),
};
