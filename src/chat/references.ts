/** How people write names of forge items, and the items' web addresses. */

export interface RepositoryRef {
  readonly owner: string;
  readonly repo: string;
}

export interface ItemRef extends RepositoryRef {
  readonly index: number;
}

export interface RunRef extends RepositoryRef {
  readonly run: number;
}

/** As typed; missing parts come from the channel's default repository. */
export type WrittenRepository = { readonly owner?: string | undefined; readonly repo?: string | undefined };

const namePattern = '[A-Za-z0-9._-]{1,100}';
const wholeName = new RegExp(`^${namePattern}$`);
const repositoryForm = new RegExp(`^(${namePattern})/(${namePattern})$`);
const numberedForm = new RegExp(`^(?:(?:(${namePattern})/)?(${namePattern}))?[#!](\\d{1,16})$`);
const slashedForm = new RegExp(`^(${namePattern})/(${namePattern})/(\\d{1,16})$`);

const isDots = (text: string | undefined) => text === '.' || text === '..';
export const isName = (text: string) => wholeName.test(text) && !isDots(text);
const withoutGit = (name: string) => name.replace(/\.git$/, '');

function exactNumber(digits: string | undefined): number | undefined {
  const value = Number(digits);
  return digits !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** The path segments below the forge's root; undefined if the text is not an address of this forge. */
function partsOf(text: string, webUrl: string): string[] | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text) || !URL.canParse(webUrl)) return undefined;
  const [given, home] = [new URL(text), new URL(webUrl)];
  const root = home.pathname.replace(/\/+$/, '');
  if (given.host !== home.host || !given.pathname.startsWith(`${root}/`)) return undefined;
  return given.pathname.slice(root.length + 1).split('/');
}

export const isAddress = (text: string) => /^https?:\/\//i.test(text);

export function readRepository(text: string, webUrl: string): RepositoryRef | undefined {
  const parts = partsOf(text, webUrl);
  const [, owner, repo] = parts ? ['', parts[0], parts[1]] : (repositoryForm.exec(text) ?? []);
  if (owner === undefined || repo === undefined) return undefined;
  const plain = withoutGit(repo);
  return isName(owner) && isName(plain) ? { owner, repo: plain } : undefined;
}

/** Issues and pull requests share numbers, so either address identifies the item. */
export function readItem(text: string, webUrl: string): (WrittenRepository & { index: number }) | undefined {
  const parts = partsOf(text, webUrl);
  if (parts) {
    const at = readRepository(text, webUrl);
    const index = parts[2] === 'issues' || parts[2] === 'pulls' ? exactNumber(parts[3]) : undefined;
    return at && index !== undefined ? { ...at, index } : undefined;
  }
  return readNumbered(text, numberedForm);
}

function readNumbered(text: string, form: RegExp): (WrittenRepository & { index: number }) | undefined {
  if (/^\d{1,16}$/.test(text)) return readNumbered(`#${text}`, form);
  const [, owner, repo, digits] = form.exec(text) ?? [];
  const index = exactNumber(digits);
  if (index === undefined || isDots(owner) || isDots(repo)) return undefined;
  return { ...(owner !== undefined && { owner }), ...(repo !== undefined && { repo }), index };
}

/** `owner/repo#123`, `owner/repo/123`, `123` or the run's address; the number is the run's id. */
export function readRun(text: string, webUrl: string): (WrittenRepository & { run: number }) | undefined {
  const parts = partsOf(text, webUrl);
  if (parts) {
    const at = readRepository(text, webUrl);
    const run = parts[2] === 'actions' && parts[3] === 'runs' ? exactNumber(parts[4]) : undefined;
    return at && run !== undefined ? { ...at, run } : undefined;
  }
  const found = readNumbered(text, numberedForm) ?? readNumbered(text, slashedForm);
  if (!found) return undefined;
  const { index: run, ...at } = found;
  return { ...at, run };
}

export const fullName = ({ owner, repo }: RepositoryRef) => `${owner}/${repo}`;

/** `owner/repo#12` */
export const refOf = (item: ItemRef) => `${fullName(item)}#${item.index}`;

/** `#12`: an item, run or project without its repository. */
export const isNumberOnly = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !('owner' in value) && !('repo' in value);

/** As typed, in full or short. */
export function showWritten({ owner, repo }: WrittenRepository): string {
  if (repo === undefined) return '';
  return owner === undefined ? repo : `${owner}/${repo}`;
}

export type Page =
  | { readonly kind: 'repository'; readonly of: RepositoryRef }
  | { readonly kind: 'issue' | 'pull'; readonly of: ItemRef }
  | { readonly kind: 'comment'; readonly of: ItemRef; readonly comment: number }
  | { readonly kind: 'release'; readonly of: RepositoryRef; readonly tag: string }
  | { readonly kind: 'run'; readonly of: RunRef }
  | { readonly kind: 'commit'; readonly of: RepositoryRef; readonly sha: string }
  /** All commits up to this one. */
  | { readonly kind: 'history'; readonly of: RepositoryRef; readonly sha: string }
  | { readonly kind: 'compare'; readonly of: RepositoryRef; readonly from: string; readonly to: string }
  | { readonly kind: 'branch'; readonly of: RepositoryRef; readonly branch: string }
  /** A ref and, after it, a path: a name with slashes leaves open where the one ends. */
  | {
      readonly kind: 'source';
      readonly of: RepositoryRef;
      readonly by: 'branch' | 'tag' | 'commit';
      readonly parts: readonly string[];
      readonly lines?: { readonly first: number; readonly last: number };
    }
  | { readonly kind: 'milestone'; readonly of: RepositoryRef; readonly milestone: number }
  | { readonly kind: 'person'; readonly login: string };

function pathOf(page: Page): readonly string[] {
  if (page.kind === 'person') return [page.login];
  const at = [page.of.owner, page.of.repo];
  switch (page.kind) {
    case 'repository':
      return at;
    case 'issue':
      return [...at, 'issues', String(page.of.index)];
    case 'pull':
      return [...at, 'pulls', String(page.of.index)];
    case 'comment':
      return [...at, 'issues', String(page.of.index)];
    case 'release':
      return [...at, 'releases', 'tag', page.tag];
    case 'run':
      return [...at, 'actions', 'runs', String(page.of.run)];
    case 'commit':
      return [...at, 'commit', page.sha];
    case 'history':
      return [...at, 'commits', 'commit', page.sha];
    case 'compare':
      return [...at, 'compare', `${page.from}...${page.to}`];
    case 'branch':
      return [...at, 'src', 'branch', ...page.branch.split('/')];
    case 'source':
      return [...at, 'src', page.by, ...page.parts];
    case 'milestone':
      return [...at, 'milestone', String(page.milestone)];
  }
}

/** What a pasted address of this forge points to, if we can draw it. */
export function readPage(
  text: string,
  webUrl: string,
): Exclude<Page, { kind: 'branch' | 'person' | 'history' }> | undefined {
  const [, , kind, name, tag, ...rest] = partsOf(text, webUrl) ?? [];
  const of = readRepository(text, webUrl);
  if (!of) return undefined;
  if (kind === undefined || kind === '') return { kind: 'repository', of };
  if (kind === 'issues' || kind === 'pulls') {
    const index = exactNumber(name);
    if (index === undefined) return undefined;
    const comment = exactNumber(/#issuecomment-(\d{1,16})$/.exec(text)?.[1]);
    if (comment !== undefined) return { kind: 'comment', of: { ...of, index }, comment };
    return { kind: kind === 'pulls' ? 'pull' : 'issue', of: { ...of, index } };
  }
  if (kind === 'releases' && name === 'tag' && tag) return { kind: 'release', of, tag: decodePart(tag) };
  if (kind === 'commit' && /^[0-9a-f]{7,64}$/i.test(name ?? '')) return { kind, of, sha: name ?? '' };
  if (kind === 'milestone') {
    const milestone = exactNumber(name);
    return milestone === undefined ? undefined : { kind, of, milestone };
  }
  if (kind === 'compare') return readComparison([name ?? '', ...(tag === undefined ? [] : [tag, ...rest])], of);
  if (kind === 'src' && tag) return readSource(text, name, [tag, ...rest], of);
  const run = readRun(text, webUrl)?.run;
  return run === undefined ? undefined : { kind: 'run', of: { ...of, run } };
}

/** Of one repository; a fork's side has a colon. */
function readComparison(parts: readonly string[], of: RepositoryRef): Extract<Page, { kind: 'compare' }> | undefined {
  const [, from, to] = /^([^-:.][^:]*?)\.{2,3}([^-:.][^:]*)$/.exec(parts.map(decodePart).join('/')) ?? [];
  return from === undefined || to === undefined ? undefined : { kind: 'compare', of, from, to };
}

function readSource(
  text: string,
  by: string | undefined,
  written: readonly string[],
  of: RepositoryRef,
): Extract<Page, { kind: 'source' }> | undefined {
  if (by !== 'branch' && by !== 'tag' && by !== 'commit') return undefined;
  const parts = written.map(decodePart).filter((part) => part !== '');
  if (parts.length === 0 || parts.some((part) => isDots(part) || part.includes('/'))) return undefined;
  const [, from, to] = /#L(\d{1,7})(?:-L?(\d{1,7}))?$/.exec(text) ?? [];
  const [first, last] = [exactNumber(from), exactNumber(to ?? from)];
  if (first === undefined || last === undefined) return { kind: 'source', of, by, parts };
  return { kind: 'source', of, by, parts, lines: { first: Math.min(first, last), last: Math.max(first, last) } };
}

/** Unchanged if it is not a valid escape. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The page for people; `web` is the forge's root in the browser. */
export function webAddress(web: string, page: Page): string {
  return [web.replace(/\/+$/, ''), ...pathOf(page).map(encodeURIComponent)].join('/');
}

/** Every repository in typed or resolved values, whatever the field is called. */
export function repositoriesIn(values: Readonly<Record<string, unknown>>): RepositoryRef[] {
  return Object.values(values)
    .flat()
    .flatMap((value) => {
      if (typeof value !== 'object' || value === null || !('owner' in value) || !('repo' in value)) return [];
      const { owner, repo } = value;
      return typeof owner === 'string' && typeof repo === 'string' ? [{ owner, repo }] : [];
    });
}

export const repositoryIn = (values: Readonly<Record<string, unknown>>): RepositoryRef | undefined =>
  repositoriesIn(values)[0];

type Place = Extract<Page, { kind: 'repository' | 'issue' | 'pull' | 'run' }>;

/** The page that typed or resolved values are about: an item's, or else its repository's. */
export function pageIn(values: Readonly<Record<string, unknown>>): Place | undefined {
  for (const [name, value] of Object.entries(values)) {
    const of = repositoryIn({ [name]: value });
    if (!of || typeof value !== 'object' || value === null) continue;
    if ('index' in value && typeof value.index === 'number')
      return { kind: name === 'pull' ? 'pull' : 'issue', of: { ...of, index: value.index } };
    if ('run' in value && typeof value.run === 'number') return { kind: 'run', of: { ...of, run: value.run } };
    return { kind: 'repository', of };
  }
  return undefined;
}
