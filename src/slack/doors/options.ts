import { LRUCache } from 'lru-cache';
import type { OptionSource } from '../../chat/field.js';
import { chosenRepository, optionSourceOf } from '../../chat/form.js';
import { labelsFor } from '../../commands/issue/labels.js';
import { templatesOf } from '../../commands/issue/template/read.js';
import { within } from '../../deadline.js';
import { type Api, gathered } from '../../forge/index.js';
import { limits } from '../../view/limits.js';
import type { OptionList } from '../app.js';
import { type DoorDeps, personOf } from '../door-deps.js';
import { readSignedMeta } from '../form-meta.js';
import type { BlockSuggestion } from '../payloads.js';

interface Choice {
  readonly text: string;
  readonly value: string;
}

/** Slack waits three seconds for options and takes no later answer. */
const deadlineMs = 2_500;
const cacheMs = 60_000;

type Repo = { readonly owner: string; readonly repo: string };
type Ask = (api: Api, query: string, repo: Repo | undefined) => Promise<Choice[]>;

const named = (items: readonly { readonly name: string }[]): Choice[] =>
  items.map(({ name }) => ({ text: name, value: name }));

/** Filtered here by what is typed, so all of them are read; more than this nobody looks for by scrolling. */
const bounds = { max: 1_000, maxPages: 20 };

const askers: Readonly<Record<OptionSource, Ask>> = {
  repositories: async (api, q) => {
    const { items } = await api.repos.search({ query: { q, limit: 50, sort: 'updated', order: 'desc' } });
    return items.map(({ full_name }) => ({ text: full_name, value: full_name }));
  },
  people: async (api, q, repo) => {
    const { items } = repo ? await api.repos.listAssignees(repo) : await api.users.search({ query: { q, limit: 50 } });
    return items.map(({ login, full_name }) => ({ text: full_name ? `${login} (${full_name})` : login, value: login }));
  },
  labels: async (api, _q, repo) => (repo ? named(await labelsFor(api, repo, bounds)) : []),
  milestones: async (api, _q, repo) => {
    const items = repo ? await gathered(api.repos.listMilestones.each(repo, bounds)) : [];
    return items.map(({ id, title }) => ({ text: title, value: `#${id}` }));
  },
  branches: async (api, _q, repo) => (repo ? named(await gathered(api.repos.listBranches.each(repo, bounds))) : []),
  templates: async (api, _q, repo) =>
    repo ? (await templatesOf(repo, api)).map(({ file, name }) => ({ text: name, value: file })) : [],
  teams: async (api, _q, repo) => (repo ? named((await api.repos.listTeams(repo)).items) : []),
};

/** The caches belong to the asking person: nobody is offered what another one may see. */
export function createOptions(deps: DoorDeps) {
  const cache = new LRUCache<string, Promise<Choice[]>>({ max: 2_000, ttl: cacheMs });

  const choicesFor = async (payload: BlockSuggestion, source: OptionSource, typed: string): Promise<Choice[]> => {
    const person = personOf(deps, payload.user.id);
    const repo = await repositoryOf(deps, payload);
    // Repositories and people are searched by the server, the rest is filtered here.
    const asked = source === 'repositories' || (source === 'people' && !repo) ? typed : '';
    const key = [person.user, source, repo ? `${repo.owner}/${repo.repo}` : '', asked].join('\n');
    const known = cache.get(key);
    if (known) return known;
    const pending = ask(deps, person, (api) => askers[source](api, asked, repo));
    cache.set(key, pending);
    pending.catch(() => cache.delete(key));
    return pending;
  };

  return async (payload: BlockSuggestion): Promise<OptionList> => {
    const source = optionSourceOf(payload.action_id);
    if (!source) return { options: [] };
    const typed = payload.value.trim().toLowerCase();
    const choices = await within(deadlineMs, choicesFor(payload, source, typed), 'too slow').catch((error: unknown) => {
      deps.services.log.debug({ source, reason: String(error) }, 'no options in time');
      return [];
    });
    return {
      options: choices
        .filter((choice) => fits(choice) && choice.text.toLowerCase().includes(typed))
        .slice(0, limits.select.options)
        .map(shortened),
    };
  };
}

async function ask(
  deps: DoorDeps,
  person: { team: string; user: string },
  use: (api: Api) => Promise<Choice[]>,
): Promise<Choice[]> {
  const credential = await deps.services.store.accounts.credential(person);
  return use(deps.services.forge.as(credential ?? { kind: 'anonymous' }));
}

/** The repository chosen in the same form, the one it was opened for, or the channel's own. */
async function repositoryOf(deps: DoorDeps, payload: BlockSuggestion): Promise<Repo | undefined> {
  const chosen = chosenRepository(payload.view?.state?.values, deps.services.forge.web);
  const { seal } = deps.services.store;
  const meta = readSignedMeta(payload.view?.private_metadata ?? '', seal, personOf(deps, payload.user.id));
  if (chosen ?? meta?.about) return chosen ?? meta?.about;
  if (meta?.channel === undefined) return undefined;
  const own = await deps.services.store.channels.defaultRepository({ team: deps.team, channel: meta.channel });
  return own && { owner: own.owner, repo: own.name };
}

/** Half a name would be another one: what Slack cannot carry back is left out. */
const fits = ({ value }: Choice) => value.length <= limits.option.value;
const shortened = ({ text, value }: Choice): Choice => ({ text: text.slice(0, limits.option.text), value });
