import { fullName, type RepositoryRef, readItem, readRun, refOf } from '../../chat/references.js';
import { gathered } from '../../forge/index.js';
import type { Issue } from '../../forge/schemas/issue.js';
import { runState } from '../../view/state.js';
import type { Asking, Choice } from './asking.js';

/** Rows read for one menu; a server's search may also find other repositories' items. */
const bounds = { max: 200, maxPages: 4 };

/** `acme/engine leaking pipe`: a repository before the search words. */
function placed({ typed, repo }: Asking): { readonly at: RepositoryRef | undefined; readonly words: string } {
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
export interface Offered {
  readonly type?: 'issues' | 'pulls';
  readonly state?: 'open' | 'closed';
}

/** Newest first, open before closed; `#12`, `owner/repo#12` and an address mean exactly that item. */
export async function itemChoices(asking: Asking, { type, state }: Offered): Promise<Choice[]> {
  const { api, typed, repo, webUrl } = asking;
  const written = readItem(typed, webUrl);
  const place = written && (written.owner && written.repo ? { owner: written.owner, repo: written.repo } : repo);
  if (written && place) {
    const at = { ...place, index: written.index };
    const found = await api.issues.get(at).catch(() => undefined);
    return [{ text: found ? `${refOf(at)} ${found.title}` : refOf(at), value: refOf(at) }];
  }
  const { at, words } = placed(asking);
  const query = { state: state ?? (words === '' ? ('open' as const) : ('all' as const)), limit: 50 };
  const wanted = { ...query, ...(type && { type }), ...(words && { q: words }), ...(at && { owner: at.owner }) };
  const rows = await gathered(api.issues.search.each({ query: wanted }, bounds));
  const shown = rows.filter((row) => at === undefined || isIn(at, row));
  // Open ones first: most commands are about those.
  return [...shown.filter(({ state }) => state === 'open'), ...shown.filter(({ state }) => state !== 'open')].flatMap(
    (row) => itemChoice(row, at !== undefined),
  );
}

/** The latest runs of a repository by title, branch or workflow; an id or an address means exactly that run. */
export async function runChoices(asking: Asking): Promise<Choice[]> {
  const { api, typed, repo, webUrl } = asking;
  const written = readRun(typed, webUrl);
  const place = written && (written.owner && written.repo ? { owner: written.owner, repo: written.repo } : repo);
  if (written && place) {
    const value = `${fullName(place)}#${written.run}`;
    return [{ text: value, value }];
  }
  const { at, words } = placed(asking);
  if (!at) return [];
  const { items } = await api.runs.list({ ...at, query: { limit: 50, exclude_pull_requests: true } });
  return items
    .map((run) => {
      const parts = [run.display_title, run.head_branch, runState(run), `run ${run.run_number || run.id}`];
      return { text: parts.filter(Boolean).join(' · '), value: `${fullName(at)}#${run.id}` };
    })
    .filter(({ text }) => text.toLowerCase().includes(words.toLowerCase()));
}
