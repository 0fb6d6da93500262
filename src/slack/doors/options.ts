import { z } from 'zod';
import { credentialOf } from '../../chat/credential.js';
import type { OptionSource, WrittenItem } from '../../chat/fields.js';
import { chosenPull, chosenRepository, optionSourceOf } from '../../chat/form/questions.js';
import { fullName, type RepositoryRef, readItem, readRepository, readRun, refOf } from '../../chat/references.js';
import { within } from '../../deadline.js';
import { reasonOf } from '../../errors.js';
import { templatesOf } from '../../features/issues/template.js';
import { labelsFor } from '../../features/issues/values.js';
import { type Proposal, proposeReviewers } from '../../features/pulls/proposals.js';
import { runChoice } from '../../features/runs/read.js';
import { allIn } from '../../features/subscriptions/target.js';
import { type Api, ApiError, gather } from '../../forge/index.js';
import type { Issue } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import { createLookUp } from '../../memory.js';
import { numberOf } from '../../view/cards/run.js';
import { optionList } from '../../view/form.js';
import { runState } from '../../view/state.js';
import { type DoorDeps, personOf } from '../door-deps.js';
import type { BlockSuggestion, OptionList } from '../payloads.js';
import { readSignedMeta } from './form.js';

interface Choice {
  readonly text: string;
  readonly value: string;
}

/** A menu's query: by whom, what they typed, and for which repository. */
interface Asking {
  readonly api: Api;
  readonly typed: string;
  readonly repo: { readonly owner: string; readonly repo: string } | undefined;
  readonly webUrl: string;
  /** Of the form's pull request, best first. */
  proposals(): Promise<readonly Proposal[]>;
}

/** Rows read for one menu; a server's search may also find other repositories' items. */
const itemBounds = { max: 200, maxPages: 4 };

/** `acme/engine leaking pipe`: a repository before the search words. */
function placeOfQuery({ typed, repo }: Asking): { readonly at: RepositoryRef | undefined; readonly words: string } {
  const [, owner, name, words = ''] = /^([\w.-]{1,100})\/([\w.-]{1,100})#?(?:\s+(.*))?$/.exec(typed) ?? [];
  return owner && name ? { at: { owner, repo: name }, words } : { at: repo, words: typed };
}

const isIn = (at: RepositoryRef, { repository }: Issue) =>
  repository?.owner.toLowerCase() === at.owner.toLowerCase() && repository.name.toLowerCase() === at.repo.toLowerCase();

function itemChoice({ repository, number, title, state }: Issue, short: boolean): Choice[] {
  if (!repository) return [];
  const value = refOf({ owner: repository.owner, repo: repository.name, index: number });
  const closed = state === 'closed' ? ' (closed)' : '';
  return [{ text: `${short ? `#${number}` : value} ${title}${closed}`, value }];
}

/** What a menu offers; by default both kinds, and when searching also closed ones. */
interface Offered {
  readonly type?: 'issues' | 'pulls';
  readonly state?: 'open' | 'closed';
}

/** Newest first, open before closed; `#12`, `owner/repo#12` and an address mean exactly that item. */
async function itemChoices(asking: Asking, { type, state }: Offered): Promise<Choice[]> {
  const { api, typed, repo, webUrl } = asking;
  const written = readItem(typed, webUrl);
  const place = written && (written.owner && written.repo ? { owner: written.owner, repo: written.repo } : repo);
  if (written && place) {
    const at = { ...place, index: written.index };
    const found = await api.issues.get(at).catch(() => undefined);
    return [{ text: found ? `${refOf(at)} ${found.title}` : refOf(at), value: refOf(at) }];
  }
  const { at, words } = placeOfQuery(asking);
  const query = { state: state ?? (words === '' ? ('open' as const) : ('all' as const)), limit: 50 };
  const wanted = { ...query, ...(type && { type }), ...(words && { q: words }), ...(at && { owner: at.owner }) };
  const rows = await gather(api.issues.search.each({ query: wanted }, itemBounds));
  const shown = rows.filter((row) => at === undefined || isIn(at, row));
  // Open ones first: most commands are about those.
  return [...shown.filter(({ state }) => state === 'open'), ...shown.filter(({ state }) => state !== 'open')].flatMap(
    (row) => itemChoice(row, at !== undefined),
  );
}

/** The latest runs of a repository by title, branch or workflow; a number or an address means exactly that run. */
async function runChoices(asking: Asking): Promise<Choice[]> {
  const { api, typed, repo, webUrl } = asking;
  const written = readRun(typed, webUrl);
  const place = written && (written.owner && written.repo ? { owner: written.owner, repo: written.repo } : repo);
  if (written && place) {
    const value = `${fullName(place)}#${written.run}`;
    return [{ text: value, value }];
  }
  const { at, words } = placeOfQuery(asking);
  if (!at) return [];
  const { items } = await api.runs.list({ ...at, query: { limit: 50, exclude_pull_requests: true } });
  return items
    .map((run) => {
      const parts = [run.display_title, run.head_branch, runState(run), `run ${numberOf(run)}`];
      return { text: parts.filter(Boolean).join(' · '), value: runChoice(fullName(at), numberOf(run), run.id) };
    })
    .filter(({ text }) => text.toLowerCase().includes(words.toLowerCase()));
}

const latest = { limit: 50, sort: 'updated', order: 'desc' } as const;

const namesOf = async (answer: Promise<{ readonly items: readonly { readonly full_name: string }[] }>) =>
  (await answer).items.map(({ full_name }) => full_name);

/** The repositories of the owner with exactly this name, if there is one. */
async function ofOwner(api: Api, login: string, q: string): Promise<string[]> {
  try {
    const { id } = await api.users.get({ username: login });
    return await namesOf(api.repos.search({ query: { ...latest, uid: id, exclusive: true, ...(q && { q }) } }));
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'notFound') return [];
    throw error;
  }
}

/** By `acme`, `acme/`, `acme/eng`, `eng`, or a pasted address. */
async function repositoryChoices({ api, typed, webUrl }: Asking): Promise<Choice[]> {
  const pasted = /^https?:/i.test(typed) ? readRepository(typed, webUrl) : undefined;
  const words = (pasted ? fullName(pasted) : typed).toLowerCase();
  const [owner = '', name] = words.split('/', 2);
  const found = await Promise.all([
    namesOf(api.repos.search({ query: { ...latest, q: name ?? owner } })),
    owner === '' ? [] : ofOwner(api, owner, name ?? ''),
  ]);
  return [...new Set(found.flat())]
    .filter((full) => full.toLowerCase().includes(words))
    .map((full) => ({ text: full, value: full }));
}

/** The same, and `acme/*` once an owner is named. */
async function targetChoices(asking: Asking): Promise<Choice[]> {
  const found = await repositoryChoices({ ...asking, typed: asking.typed.replace(/\*$/, '') });
  const [, owner] = /^([^/\s]+)\//.exec(asking.typed) ?? [];
  const named = found.find(({ value }) => value.toLowerCase().startsWith(`${owner?.toLowerCase()}/`));
  const all = named && `${splitFullName(named.value).owner}/*`;
  return all === undefined ? found : [{ text: `${all} (all repositories)`, value: all }, ...found];
}

interface Picker {
  /** True: the server searches. False: the whole list is read once and filtered here. */
  searches(about: Pick<Asking, 'repo'>): boolean;
  ask(asking: Asking): Promise<readonly Choice[]>;
}

const choicesByName = (items: readonly { readonly name: string }[]): Choice[] =>
  items.map(({ name }) => ({ text: name, value: name }));

const personChoice = ({ login, full_name: name }: { login: string; full_name: string }): Choice => ({
  text: name ? `${login} (${name})` : login,
  value: login,
});

/** Without proposals the menu still has everyone. */
const proposalMs = 2_000;

/** Filtered here, so all are read; nobody scrolls through more than this. */
const bounds = { max: 1_000, maxPages: 20 };

const listPicker = (ask: Picker['ask']): Picker => ({ searches: () => false, ask });
const searchPicker = (ask: Picker['ask']): Picker => ({ searches: () => true, ask });

const items = (offered: Offered): Picker => searchPicker((asking) => itemChoices(asking, offered));

/** Every menu of every form, read as the person who opens it. */
const pickers: Readonly<Record<Exclude<OptionSource, 'subscriptions'>, Picker>> = {
  repositories: searchPicker(repositoryChoices),
  targets: searchPicker(targetChoices),
  items: items({}),
  issues: items({ type: 'issues' }),
  pulls: items({ type: 'pulls' }),
  'open-issues': items({ type: 'issues', state: 'open' }),
  'open-pulls': items({ type: 'pulls', state: 'open' }),
  'closed-issues': items({ type: 'issues', state: 'closed' }),
  'closed-pulls': items({ type: 'pulls', state: 'closed' }),
  runs: searchPicker(runChoices),
  people: {
    searches: ({ repo }) => repo === undefined,
    async ask({ api, repo, typed }) {
      const q = typed.replace(/^@/, '');
      const { items } = repo
        ? await api.repos.listAssignees(repo)
        : await api.users.search({ query: { q, limit: 50 } });
      return items.map(personChoice);
    },
  },
  reviewers: listPicker(async ({ api, repo, proposals }) => {
    const [proposed, all] = await Promise.all([
      within(proposalMs, proposals(), 'too slow').catch(() => []),
      repo ? api.repos.listAssignees(repo) : undefined,
    ]);
    const others = (all?.items ?? []).filter(({ login }) => !proposed.some((each) => each.login === login));
    return [
      ...proposed.map(({ login, reasons }) => ({ text: [login, ...reasons].join(' · '), value: login })),
      ...others.map(personChoice),
    ];
  }),
  labels: listPicker(async ({ api, repo }) => (repo ? choicesByName(await labelsFor(api, repo, bounds)) : [])),
  milestones: listPicker(async ({ api, repo }) => {
    const items = repo ? await gather(api.repos.listMilestones.each(repo, bounds)) : [];
    return items.map(({ id, title }) => ({ text: title, value: `#${id}` }));
  }),
  branches: listPicker(async ({ api, repo }) =>
    repo ? choicesByName(await gather(api.repos.listBranches.each(repo, bounds))) : [],
  ),
  workflows: listPicker(async ({ api, repo }) => {
    const items = repo ? (await api.workflows.list(repo)).items : [];
    return items.map(({ id, name }) => ({ text: name && name !== id ? `${name} (${id})` : id, value: id }));
  }),
  templates: listPicker(async ({ api, repo }) =>
    repo ? (await templatesOf(repo, api)).map(({ file, name }) => ({ text: name, value: file })) : [],
  ),
  teams: listPicker(async ({ api, repo }) => (repo ? choicesByName((await api.repos.listTeams(repo)).items) : [])),
};

/** Slack waits three seconds for options and ignores later answers. */
const deadlineMs = 2_500;
const cacheMs = 60_000;
const longest = 200;

/** Caches are per person: nobody is offered what only someone else may see. */
export function createOptions(deps: DoorDeps) {
  const lookUp = createLookUp<readonly Choice[]>({ forMs: cacheMs, most: 2_000 });

  const fromForge = async (
    payload: BlockSuggestion,
    source: Exclude<OptionSource, 'subscriptions'>,
    typed: string,
  ): Promise<readonly Choice[]> => {
    const person = personOf(deps, payload.user.id);
    const of = source === 'reviewers' ? pullOf(deps, payload) : undefined;
    const usual = await repositoryOf(deps, payload);
    const repo = of?.owner && of.repo ? { owner: of.owner, repo: of.repo } : usual;
    const pull = of && repo && { ...repo, index: of.index };
    const { searches, ask } = pickers[source];
    const asked = searches({ repo }) ? typed : '';
    const key = [person.user, source, repo ? fullName(repo) : '', pull?.index, asked].join('\n');
    const choices = await lookUp(key, () =>
      reading(deps, person, (api) => {
        const proposals = async () =>
          pull ? proposeReviewers(pull, await api.pulls.get(pull), { ...deps.services, api, person }) : [];
        return ask({ api, typed: asked, repo, webUrl: deps.services.forge.web, proposals });
      }),
    );
    return asked === typed ? choices : choices.filter(contains(typed.replace(/^@/, '')));
  };

  return async (payload: BlockSuggestion): Promise<OptionList> => {
    const source = optionSourceOf(payload.action_id);
    if (!source) return { options: [] };
    const typed = payload.value.trim().slice(0, longest);
    const asking =
      source === 'subscriptions' ? listSubscriptions(deps, payload, typed) : fromForge(payload, source, typed);
    const choices = await within(deadlineMs, asking, 'too slow').catch((error: unknown) => {
      deps.services.log.debug({ source, reason: reasonOf(error) }, 'no options in time');
      return [];
    });
    // a truncated name would be a different one: values that Slack cannot carry are left out
    return { options: optionList(choices.map(({ text, value }) => ({ label: text, value }))) };
  };
}

const contains = (words: string) => {
  const wanted = words.toLowerCase();
  return ({ text }: Choice) => text.toLowerCase().includes(wanted);
};

async function reading(
  deps: DoorDeps,
  person: { team: string; user: string },
  use: (api: Asking['api']) => Promise<readonly Choice[]>,
): Promise<readonly Choice[]> {
  const credential = await credentialOf(deps.services, person);
  return use(deps.services.forge.as(credential ?? { kind: 'anonymous' }));
}

/** The subscriptions of the channel in which the form was opened. */
async function listSubscriptions(deps: DoorDeps, payload: BlockSuggestion, typed: string): Promise<readonly Choice[]> {
  const meta = metaOf(deps, payload);
  if (meta?.channel === undefined) return [];
  const all = await allIn({ team: deps.team, channel: meta.channel }, deps.services.store);
  return all.map(({ title }) => ({ text: title, value: title })).filter(contains(typed));
}

const metaOf = (deps: DoorDeps, { view, user }: BlockSuggestion) =>
  readSignedMeta(view?.private_metadata ?? '', deps.services.store.seal, personOf(deps, user.id));

/** The pull request the form is about, or the one chosen in it. */
function pullOf(deps: DoorDeps, payload: BlockSuggestion): WrittenItem | undefined {
  const preset = Preset.safeParse(metaOf(deps, payload)?.preset?.['pull']);
  return preset.data ?? chosenPull(payload.view?.state?.values, deps.services.forge.web);
}

const Preset = z.object({ owner: z.string().optional(), repo: z.string().optional(), index: z.int().min(1) });

/** The repository chosen in the same form, the one it was opened for, or the channel's own. */
async function repositoryOf(deps: DoorDeps, payload: BlockSuggestion): Promise<Asking['repo']> {
  const chosen = chosenRepository(payload.view?.state?.values, deps.services.forge.web);
  const meta = metaOf(deps, payload);
  if (chosen ?? meta?.about) return chosen ?? meta?.about;
  if (meta?.channel === undefined) return undefined;
  const own = await deps.services.store.channels.defaultRepository({ team: deps.team, channel: meta.channel });
  return own && { owner: own.owner, repo: own.name };
}
