import type { Context } from '../../chat/context.js';
import { type ItemRef, refOf } from '../../chat/references.js';
import { reviewSettings, teamPath } from '../../config/file.js';
import type { Forge } from '../../forge/index.js';
import { ifAnswered, possible, unlessUnseen } from '../../forge/possible.js';
import type { PullRequest } from '../../forge/schemas.js';
import { createLookUp } from '../../memory.js';
import { testPatterns } from '../../pattern.js';
import { count } from '../../view/look.js';
import { missesToday } from '../../working-hours.js';

/** What it takes to propose: a running command has it, and so has a form's menu. */
export type Desk = Pick<Context, 'api' | 'forge' | 'people' | 'slack' | 'person' | 'store' | 'policy'>;

/** Someone who could review, and why. */
export interface Proposal {
  readonly login: string;
  readonly reasons: readonly string[];
  /** Owner, member of a team, both or neither: equal ones fit equally, whatever their work so far. */
  readonly fit: number;
  /** Of those that were asked or own what changed, the ones they are in. */
  readonly teams: readonly string[];
}

const mostProposed = 5;
/** Slack tells one person's status at a time. */
const mostLookedUp = 10;
/** Of pages; with one request for each folder and team, everything takes at most fifteen. */
const pageSize = 50;
const mostFolders = 3;
const mostTeams = 3;
const mostOwnerBytes = 64_000;
const mostRules = 300;
/** For all lines together, on a busy machine too. */
const patienceMs = 3_000;

/** Undefined if this account may not see it or the server lacks it; a forge that fails says nothing about people. */
const readable = <T>(asking: Promise<T>): Promise<T | undefined> => unlessUnseen(possible(asking));

const lower = (name: string) => name.toLowerCase();

/** The deepest folder that has all of these files, or the only file at the root. */
function placeOf(files: readonly string[]): string {
  const [first = '', ...others] = files;
  const parts = first.split('/');
  const depth = others.reduce((least, file) => {
    const other = file.split('/');
    const differs = parts.findIndex((part, at) => part !== other[at]);
    return Math.min(least, differs === -1 ? parts.length : differs);
  }, parts.length - 1);
  if (depth > 0) return parts.slice(0, depth).join('/');
  return others.length === 0 ? first : count(files.length, 'changed file');
}

/** A line's words: a backslash keeps the next character, and an unescaped # starts a comment. */
function ownerWords(line: string): string[] {
  const [text = ''] = /^(?:\\.|[^\\#])*/.exec(line) ?? [];
  return (text.match(/(?:\\.|[^\\\s])+/g) ?? []).map((word) => word.replace(/\\(.)/g, '$1'));
}

interface OwnerFile {
  readonly text: string;
  readonly dropsSlash: boolean;
}

/** The first CODEOWNERS the server would find, on the target branch. */
async function readOwnerFile({ owner, repo }: ItemRef, ref: string, { api, forge }: Desk): Promise<OwnerFile> {
  const { places, dropsSlash } = await forge.capabilities.codeOwners();
  for (const filepath of places) {
    const found = await readable(api.repos.getFile({ owner, repo, filepath, query: { ref } }));
    if (found?.encoding !== 'base64' || found.content.length > mostOwnerBytes) continue;
    return { text: Buffer.from(found.content, 'base64').toString('utf8'), dropsSlash };
  }
  return { text: '', dropsSlash };
}

/** By `login` or `org/team`: the changed files they own. All lines that fit count, as regular expressions. */
async function ownedFiles(
  { text, dropsSlash }: OwnerFile,
  files: readonly string[],
): Promise<Map<string, Set<string>>> {
  const lines = text.split('\n').map(ownerWords);
  const rules = lines.filter((words) => words.length > 1).slice(0, mostRules);
  const tests = rules.map(([pattern = '']) => {
    const bare = pattern.replace(/^!/, '');
    return { source: `^${dropsSlash ? bare.replace(/^\//, '') : bare}$`, flags: '', texts: files };
  });
  const owned = new Map<string, Set<string>>();
  for (const [at, matches] of await testPatterns(files.length === 0 ? [] : tests, patienceMs)) {
    const [pattern = '', ...owners] = rules[at] ?? [];
    const fitting = files.filter((_, n) => matches[n] !== pattern.startsWith('!'));
    for (const name of fitting.length === 0 ? [] : owners.map((each) => lower(each.replace(/^@/, ''))))
      owned.set(name, new Set([...(owned.get(name) ?? []), ...fitting]));
  }
  return owned;
}

/** Where most of the changed files are; a file at the root stands for itself. */
function foldersOf(files: readonly string[]): string[] {
  const sizes = new Map<string, number>();
  for (const file of files) {
    const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : file;
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  const largest = [...sizes].sort(([, a], [, b]) => b - a);
  return largest.slice(0, mostFolders).map(([folder]) => folder);
}

/** By login: how many of the folder's latest commits. */
async function authorsOf({ owner, repo }: ItemRef, path: string, sha: string, { api }: Desk) {
  const query = { path, sha, limit: pageSize, stat: false, files: false, verification: false };
  const page = await readable(api.repos.listCommits({ owner, repo, query }));
  const commits = new Map<string, number>();
  for (const { author } of page?.items ?? [])
    if (author) commits.set(lower(author.login), (commits.get(lower(author.login)) ?? 0) + 1);
  return commits;
}

interface NamedTeam {
  readonly id: number;
  readonly path: string;
}

/** The requested teams, and those that own changed files. */
async function teamsFor(
  ref: ItemRef,
  pull: PullRequest,
  owners: readonly string[],
  { api }: Desk,
): Promise<NamedTeam[]> {
  const named = owners.filter((name) => name.includes('/'));
  const known = named.length === 0 ? undefined : await ifAnswered(api.repos.listTeams(ref));
  const all = [...pull.requested_reviewers_teams, ...(known?.items ?? [])].map((team) => ({
    id: team.id,
    path: teamPath(team, ref.owner),
  }));
  const asked = pull.requested_reviewers_teams.map(({ id }) => id);
  const wanted = all.filter(({ id, path }) => asked.includes(id) || named.includes(lower(path)));
  return [...new Map(wanted.map((team) => [team.id, team])).values()].slice(0, mostTeams);
}

interface Candidate extends Proposal {
  readonly score: number;
}

const weights = { owner: 100, team: 60, commit: 1, open: 15 };

async function findCandidates(ref: ItemRef, pull: PullRequest, desk: Desk): Promise<Candidate[]> {
  const { api } = desk;
  const { owner, repo } = ref;
  const sha = pull.base?.sha ?? '';
  const [changed, able, open, file] = await Promise.all([
    readable(api.pulls.listFiles({ ...ref, query: { limit: pageSize } })),
    readable(api.repos.listReviewers({ owner, repo })).then(
      async (found) => found ?? (await readable(api.repos.listAssignees({ owner, repo }))),
    ),
    readable(api.pulls.list({ owner, repo, query: { state: 'open', sort: 'recentupdate', limit: pageSize } })),
    readOwnerFile(ref, sha, desk),
  ]);
  const files = (changed?.items ?? []).map(({ filename }) => filename);
  const owned = await ownedFiles(file, files);
  const folders = foldersOf(files);
  const [teams, commits] = await Promise.all([
    teamsFor(ref, pull, [...owned.keys()], desk),
    Promise.all(folders.map((folder) => authorsOf(ref, folder, sha, desk))),
  ]);
  const members = await Promise.all(
    teams.map(({ id }) => readable(api.orgs.listTeamMembers({ id, query: { page: 1, limit: pageSize } }))),
  );
  // people without access are not listed; the author and everyone who was asked or has reviewed are left out
  const done = new Set([pull.user, ...pull.requested_reviewers].map((user) => lower(user?.login ?? '')));
  return (able?.items ?? []).flatMap(({ login }) => {
    const name = lower(login);
    const own = [...(owned.get(name) ?? [])];
    const inTeams = teams.filter((_, at) => members[at]?.items.some((user) => lower(user.login) === name));
    const made = commits.map((each) => each.get(name) ?? 0);
    const total = made.reduce((sum, each) => sum + each, 0);
    const where = folders.filter((_, at) => (made[at] ?? 0) > 0);
    const busy = (open?.items ?? []).filter(({ number, requested_reviewers: asked }) => {
      return number !== ref.index && asked.some((user) => lower(user.login) === name);
    }).length;
    if (done.has(name) || own.length + inTeams.length + total === 0) return [];
    const reasons = [
      ...(own.length > 0 ? [`owner of ${placeOf(own)}`] : []),
      ...inTeams.map(({ path }) => `member of ${path}`),
      ...(total > 0 ? [`${count(total, 'recent commit')} in ${where.join(', ')}`] : []),
      ...(busy > 0 ? [`reviewer on ${count(busy, 'open pull request')}`] : []),
    ];
    const fit = (own.length > 0 ? weights.owner : 0) + (inTeams.length > 0 ? weights.team : 0);
    const of = inTeams.map(({ path }) => path);
    return [{ login, reasons, fit, teams: of, score: fit + total * weights.commit - busy * weights.open }];
  });
}

/** Best first; Slack is asked only about those who would be named, and one it does not answer for stays. */
async function propose(ref: ItemRef, pull: PullRequest, desk: Desk): Promise<readonly Proposal[]> {
  const found = await findCandidates(ref, pull, desk);
  const best = found.sort((a, b) => b.score - a.score || a.login.localeCompare(b.login)).slice(0, mostLookedUp);
  const away = await Promise.all(best.map(({ login }) => isAway(login, desk)));
  const here = best.filter((_, at) => !away[at]);
  return here.slice(0, mostProposed).map(({ login, reasons, fit, teams }) => ({ login, reasons, fit, teams }));
}

/** By their status, by their own word here, or not to be disturbed while others work today. */
async function isAway(
  login: string,
  { people, slack, store, person: { team }, policy: { workingHours } }: Desk,
): Promise<boolean> {
  const user = await people.slackUserOf(team, login);
  if (user === undefined) return false;
  const now = store.now();
  const [facts, { away = 0 }, undisturbed = 0] = await Promise.all([
    slack.user(user).catch(() => undefined),
    store.settings.get({ team, user }),
    slack.undisturbedUntil(user),
  ]);
  return (
    away > now ||
    (facts !== undefined && (facts.away || facts.deleted || missesToday(workingHours, facts.zone, now, undisturbed)))
  );
}

const cacheMs = 60_000;
const lookUps = new WeakMap<Forge, ReturnType<typeof createLookUp<readonly Proposal[]>>>();

/** For a pull request that this person has just read; kept for a minute, for them alone. */
export function proposeReviewers(ref: ItemRef, pull: PullRequest, desk: Desk): Promise<readonly Proposal[]> {
  const lookUp = lookUps.get(desk.forge) ?? createLookUp({ forMs: cacheMs, most: 1_000 });
  lookUps.set(desk.forge, lookUp);
  const asked = [...pull.requested_reviewers, ...pull.requested_reviewers_teams].map(({ id }) => id);
  const { team, user } = desk.person;
  const key = [team, user, lower(refOf(ref)), pull.id, pull.head?.sha, pull.base?.sha, ...asked].join(' ');
  return lookUp(key, () => propose(ref, pull, desk));
}

/** Best first, or, where people take turns, of those who fit as well as the best the least recently chosen. */
export async function chooseReviewer(
  { owner, repo }: ItemRef,
  found: readonly Proposal[],
  { store, policy }: Context,
): Promise<Proposal | undefined> {
  const [best] = found;
  const isInTurn = (team?: string) => reviewSettings(policy.reviews, `${owner}/${repo}`, team)?.roundRobin === true;
  if (!isInTurn() && !best?.teams.some(isInTurn)) return best;
  const fitting = found.filter(({ fit }) => fit === best?.fit);
  const times = await store.rounds.times(
    owner,
    fitting.map(({ login }) => login),
  );
  return fitting[times.indexOf(Math.min(...times))];
}
