import { z } from 'zod';
import type { Context } from '../../chat/context.js';
import { askingField, joinList, type Needed, plainField, splitList, type Words } from '../../chat/fields.js';
import { personMention } from '../../chat/slack-text.js';
import { readDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import {
  addRuns,
  defaultFeatures,
  type Feature,
  Filter,
  features,
  labeledPart,
  mergeFilter,
  needs,
  parseFilter,
  runWatches,
  type Setting,
  settingOf,
  settings,
  showFilter,
  splitWords,
  subsOf,
} from '../../feed/filter.js';
import { gather, type OperationName, serverName } from '../../forge/index.js';
import { ifAnswered, isAbsent } from '../../forge/possible.js';
import { didYouMean, nearest } from '../../nearest.js';
import { readOwner, readTarget, refuseForeignTarget, showTarget } from './target.js';

const mostTargets = 50;
const targetMax = 210;

const keywords: ReadonlySet<string> = new Set([...features, 'workflows', 'all', ...Object.keys(settings)]);
const isKeyword = (word: string) => keywords.has(word.toLowerCase());

function targetIn(word: string, webUrl: string): string | undefined {
  const found = readTarget(word, webUrl) ?? (isKeyword(word) || lengthOf(word) ? undefined : readOwner(word));
  return found && showTarget(found);
}

const lengthOf = (word: string) => (/^\d+[hdw]$/i.test(word) ? readDuration(word) : undefined);

function unreadable(word: string): UserError {
  refuseForeignTarget(word);
  return new UserError(`I can’t subscribe to “${word.slice(0, 60)}”. Write owner/repo, owner/* or a person’s @login.`);
}

/** Several of `owner/repo`, `owner/lib-*`, `@login`, normalized to plain names. */
export function targets(words: Words = {}): Needed<readonly string[]> {
  return plainField<readonly string[]>(words, {
    label: 'Repositories',
    placeholder: 'owner/repo',
    input: { kind: 'external', source: 'targets', many: true },
    // the words that follow may name them too
    lacksPlace: (value, { filter }) => value === undefined && readWish(String(filter ?? ''), '').targets.length === 0,
    schema: z.array(z.string().min(2).max(targetMax)).min(1).max(mostTargets).readonly(),
    read: (text, { webUrl }) => {
      const parts = splitList(text).flatMap((part) => part.split(/\s+/));
      const found = parts.map((part) => {
        const target = targetIn(part, webUrl);
        if (target === undefined) throw unreadable(part);
        return target;
      });
      if (found.length === 0) throw new UserError('Which repository? Write owner/repo or owner/*.');
      if (found.length > mostTargets) throw new UserError(`Use at most ${mostTargets} at once, or owner/*.`);
      return [...new Set(found)];
    },
    show: joinList,
  });
}

/** One of them, to name an existing subscription. */
export function followedField(words: Words = {}): Needed<string> {
  return plainField<string>(words, {
    label: 'Subscription',
    placeholder: 'owner/repo',
    input: { kind: 'external', source: 'subscriptions' },
    schema: z.string().min(2).max(targetMax),
    read: (text, { webUrl }) => {
      const found = targetIn(text.trim(), webUrl);
      if (found === undefined) throw unreadable(text.trim());
      return found;
    },
    show: (value) => value,
  });
}

/** What follows the first repository: more repositories, features, filters, and a preview's period. */
interface Wish {
  readonly targets: readonly string[];
  readonly words: readonly string[];
  readonly seconds?: number;
}

export function readWish(text: string, webUrl: string): Wish {
  const all = splitWords(text);
  const more: string[] = [];
  const words: string[] = [];
  let seconds: number | undefined;
  for (const word of all) {
    const parts = word.split(',').filter((part) => part !== '');
    const found = parts.map((part) => readTarget(part, webUrl));
    if (parts.length > 0 && found.every((each) => each !== undefined)) more.push(...found.map(showTarget));
    else if (lengthOf(word) !== undefined) seconds = lengthOf(word);
    else {
      refuseForeignTarget(word);
      words.push(word);
    }
  }
  return { targets: more, words, ...(seconds !== undefined && { seconds }) };
}

/** Kept as typed, because the exact words matter when a subscription is changed. */
export function wish(words: Words = {}): Needed<string> {
  return askingField<string, string>(words, {
    label: 'Features and filters',
    placeholder: 'feature|filter',
    typed: 'rest',
    namesPeople: true,
    input: { kind: 'text', max: 1500 },
    schema: z.string().min(1).max(1500),
    read: (text, { webUrl }) => {
      if (text.length > 1500) throw new UserError('Features and filters are too long: use at most 1500 characters.');
      const read = readWish(text, webUrl);
      parseFilter(read.words.map((word) => word.replaceAll(personMention, 'login')));
      return [...read.targets, ...read.words, ...(read.seconds ? [`${read.seconds / 3600}h`] : [])].join(' ');
    },
    show: (value) => value,
    resolve: withLogins,
  });
}

/** Slack people become logins; someone who is not linked is taken by name. */
async function withLogins(text: string, { people, person }: Context): Promise<string> {
  let read = text;
  for (const [mention, user = '', name = user] of text.matchAll(personMention))
    read = read.replace(mention, (await people.loginOf({ team: person.team, user })) ?? `@${name}`);
  return read;
}

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
  const { features: wanted, ...rest } = filter;
  const ticked = Object.entries(wanted ?? Object.fromEntries(defaultFeatures.map((each) => [each, []])));
  const branches = wanted?.commits ?? [];
  const isPattern = ([name]: [string, unknown]) => !Object.hasOwn(settings, name);
  const patterns = Filter.parse(Object.fromEntries(Object.entries(rest).filter(isPattern)));
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

const isSetting = (name: string): name is Setting => Object.hasOwn(settings, name);
const isFeature = (name: string): name is Feature => features.some((feature) => feature === name);

/** `bots:off` is the default and leaves no trace in a filter, so it is read from the typed words. */
function namedSettings(words: readonly string[]): Setting[] {
  // other parts of runs do not change their mode
  const isWatch = (word: string) => /^(?:runs|workflows):/i.test(word) && parseFilter([word]).features?.runs?.length;
  const names = words.filter((word) => !isWatch(word)).map((word) => word.split(':')[0]?.toLowerCase() ?? '');
  return names.map((name) => (name === 'workflows' ? 'runs' : name)).filter(isSetting);
}

const isNone = (features: Filter['features']) => features !== undefined && Object.keys(features).length === 0;

/** Parses a stored filter; an unreadable one counts as the default. */
export const filterOf = (stored: unknown): Filter => Filter.safeParse(stored).data ?? {};

/** The first time only the named features are posted; later words are added to them. */
export function mergedFilter(old: Filter | undefined, words: readonly string[]): Filter {
  const more = parseFilter(words);
  if (!old) return more;
  const kept: Filter = { ...old };
  for (const name of namedSettings(words)) delete kept[name];
  // only single items were followed: this is the first subscription to the repository itself
  if (isNone(kept.features) && !more.items && !more.features) delete kept.features;
  return mergeFilter(kept, more);
}

const patternNames = [
  'labels',
  'notLabels',
  'authors',
  'notAuthors',
  'base',
  'branch',
  'workflow',
  'path',
  'notPath',
  'reviewers',
  'except',
] as const;

/** What is left after removing these words; undefined if nothing is. */
export function narrowedFilter(filter: Filter, words: readonly string[]): Filter | undefined {
  const gone = parseFilter(words);
  const left = Object.entries(featuresOf(filter)).flatMap(([feature, subs]) => {
    if (!isFeature(feature)) return [];
    const remaining = withoutSubs(feature, subs, gone.features?.[feature]);
    return remaining ? [[feature, remaining] as const] : [];
  });
  const items = filter.items?.filter((index) => !gone.items?.includes(index)) ?? [];
  if (left.length === 0 && items.length === 0) return undefined;
  const { items: _, ...rest } = filter;
  const kept: Filter = { ...rest, ...(items.length > 0 && { items }) };
  if (gone.features) kept.features = Object.fromEntries(left);
  for (const name of namedSettings(words)) if (name !== 'runs' || !gone.features?.runs) delete kept[name];
  for (const name of patternNames) if (gone[name]) delete kept[name];
  return kept;
}

/** Undefined: the whole feature is removed. */
function withoutSubs(
  feature: Feature,
  subs: readonly string[],
  gone: readonly string[] | undefined,
): string[] | undefined {
  if (gone === undefined) return [...subs];
  if (gone.length === 0) return undefined;
  const all = feature === 'runs' ? ['results'] : subsOf(feature);
  const before = subs.length === 0 ? all : subs;
  const left = before.filter((sub) => !gone.includes(sub));
  if (feature === 'runs' && left.length > 0) return addRuns(undefined, left);
  return left.length === 0 ? undefined : left;
}

/** Every feature that is posted, including the defaults. */
export const featuresOf = (filter: Filter): NonNullable<Filter['features']> =>
  filter.features ?? Object.fromEntries(defaultFeatures.map((feature) => [feature, []]));

/** Every feature that is posted, including the defaults, and everything else that differs from the default. */
export const filterWords = (filter: Filter): string => showFilter({ ...filter, features: featuresOf(filter) });

const mostTeams = 200;

/** A person or team the forge does not know would never match. */
export async function refuseReviewers({ reviewers = [] }: Filter, { api }: Context): Promise<void> {
  for (const name of reviewers.filter((each) => !/[*?!]/.test(each))) {
    const [owner = '', team] = name.split('/');
    if (team === undefined) {
      if (await api.users.get({ username: owner }).then(() => false, isAbsent))
        throw new UserError(`I can’t find ${name}. Check the login.`, { field: 'filter' });
      continue;
    }
    const teams = await ifAnswered(gather(api.orgs.listTeams.each({ org: owner }, { max: mostTeams })));
    const names = teams?.map((each) => each.name) ?? [];
    if (!teams || names.some((each) => each.toLowerCase() === team.toLowerCase())) continue;
    const near = didYouMean(nearest(team, names));
    throw new UserError(`${owner} has no team named ${team}.${near || ' Check the name.'}`, { field: 'filter' });
  }
}

/** Runs and review requests are posted only if the server lists them; otherwise people would wait in vain. */
export async function refuseUnlisted(filter: Filter, { forge }: Context): Promise<void> {
  const { has, server, remedy } = forge.capabilities;
  const refusal = async (what: string, operation: OperationName, words: string) =>
    new UserError(
      `${serverName(await server())} does not list ${what}: ${await remedy(operation)}. Leave out ${words}.`,
      { field: 'filter' },
    );
  if (needs(filter).runs && !(await has('runs.list'))) throw await refusal('workflow runs', 'runs.list', 'runs');
  if (filter.features?.reviews?.includes('requested') && !(await has('issues.timeline')))
    throw await refusal('review requests', 'issues.timeline', 'reviews:requested');
}
