import type { Change, ChangedFiles } from '../forge/changed-files.js';
import { splitFullName } from '../full-name.js';
import { leftOutBy } from './covers.js';
import { deliveryId, type EventDelivery } from './delivery.js';
import { type Event, featureOf, type Kind, subOf } from './event.js';
import {
  defaultFeatures,
  type Feature,
  type Filter,
  features,
  labeledPart,
  runWatches,
  type Style,
  settingOf,
  wantsResults,
} from './filter.js';
import { matches, matchesAny } from './glob.js';
import { aboutItem, type ItemState } from './item.js';

interface Decision {
  readonly keep: boolean;
  /** The words of the filter that kept or dropped it. */
  readonly clause: string;
  readonly style: Style;
}

/** What is known besides the event. */
export interface Known {
  readonly item?: ItemState | undefined;
  /** The item exists, but the forge fails to read it. */
  readonly unreadable?: boolean;
  readonly defaultBranch?: string | undefined;
  /** The subscriber's forge login. */
  readonly subscriber?: string | undefined;
  /** Read only if a filter asks for them. */
  readonly files?: ChangedFiles | undefined;
  /** The members of teams that filters name, by team in lower case; undefined if they cannot be read. */
  readonly members?: ReadonlyMap<string, readonly string[] | undefined> | undefined;
}

/** Whether the item's state could change the decision, so that waiting beats guessing. */
const asksForItem = (filter: Filter, event: Event): boolean =>
  aboutItem(event) &&
  (filter.labels !== undefined ||
    filter.notLabels !== undefined ||
    filter.authors !== undefined ||
    filter.notAuthors !== undefined ||
    (event.item.kind === 'pull' && (filter.base !== undefined || settingOf(filter, 'drafts') === 'hide')));

type Check = (filter: Filter, event: Event, known: Known) => string | undefined;

/** Whether this subscription wants the event, and which of its words decided. */
export function decide(filter: Filter, event: Event, known: Known = {}): Decision {
  const style = settingOf(filter, 'style');
  const except = leftOutBy(filter, event.repo.fullName);
  if (except !== undefined) return { keep: false, clause: `-${except}`, style };
  const { number } = event.item;
  if (aboutItem(event) && number !== undefined && filter.items?.includes(number))
    return { keep: self(filter, event, known) === undefined, clause: `#${number}`, style };
  const wanted = [event.kind, ...(event.also ?? [])].map((kind) => wants(filter, kind, event, known));
  const kept = wanted.find((answer) => answer.keep) ?? wanted[0];
  if (!kept?.keep) return { keep: false, clause: kept?.clause ?? event.kind, style };
  for (const check of checks) {
    const clause = check(filter, event, known);
    if (clause !== undefined) return { keep: false, clause, style };
  }
  const lined = known.item?.draft === true && settingOf(filter, 'drafts') === 'line' && event.kind !== 'pulls:ready';
  return { keep: true, clause: `${kept.clause}${pathWords(filter, event, known)}`, style: lined ? 'line' : style };
}

interface FilterVerdict {
  readonly keep: boolean;
  readonly clause: string;
}

function wants(filter: Filter, kind: Kind, event: Event, known: Known): FilterVerdict {
  const feature = featureOf(kind);
  if (feature === 'inbox') return { keep: true, clause: kind };
  if (!isFeature(feature)) return { keep: false, clause: `the subscription does not include ${feature}` };
  const subs = filter.features ? filter.features[feature] : defaultFeatures.includes(feature) ? [] : undefined;
  if (!subs) return { keep: false, clause: `the subscription does not include ${feature}` };
  const sub = subOf(kind);
  if (feature === 'runs') return wantsRun(filter, subs, event);
  if (feature === 'commits') return wantsCommits(filter, subs, event, known);
  if (sub === labeledPart) {
    return filter.labels
      ? { keep: true, clause: `+label:${filter.labels.flat().join(',')}` }
      : { keep: false, clause: 'the subscription has no +label:' };
  }
  // for hidden drafts, becoming ready counts as being opened
  if (subs.length === 0) return { keep: true, clause: feature };
  if (subs.includes(sub) || (sub === 'ready' && subs.includes('opened'))) return { keep: true, clause: kind };
  return { keep: false, clause: `${feature}:${subs.join(',')}` };
}

const isFeature = (name: string): name is Feature => features.some((feature) => feature === name);

function wantsRun(filter: Filter, subs: readonly string[], event: Event): FilterVerdict {
  const sub = subOf(event.kind);
  if (runWatches.some((watch) => watch === sub)) return { keep: subs.includes(sub), clause: `runs:${sub}` };
  if (!wantsResults(subs)) return { keep: false, clause: `runs:${subs.join(',')}` };
  const mode = settingOf(filter, 'runs');
  const clause = `runs:${mode}`;
  if (mode === 'all') return { keep: true, clause };
  if (mode === 'failure') return { keep: event.kind === 'runs:failure', clause };
  return { keep: 'run' in event && event.run.transition !== undefined, clause };
}

function wantsCommits(filter: Filter, subs: readonly string[], event: Event, known: Known): FilterVerdict {
  const branch = branchOf(event);
  if (branch === undefined) return { keep: true, clause: 'commits' };
  if (subs.length > 0)
    return { keep: subs.includes('pushed') || matchesAny(subs.map(wide), branch), clause: `commits:${subs.join(',')}` };
  if (filter.branch || known.defaultBranch === undefined) return { keep: true, clause: 'commits' };
  return { keep: branch === known.defaultBranch, clause: `commits (the default branch ${known.defaultBranch})` };
}

/** `commits:*` means every branch, slashes or not. */
const wide = (glob: string): string => (glob === '*' ? '**' : glob);

function branchOf(event: Event): string | undefined {
  if ('push' in event && event.push) return event.push.branch;
  if ('run' in event) return event.run.branch;
  return 'ref' in event && event.item.kind === 'branch' ? event.ref : undefined;
}

const people = (event: Event, known: Known): string[] =>
  [event.actor?.login, known.item?.author?.login].filter((login) => login !== undefined);

const labeled: ReadonlySet<string> = new Set(['issues', 'pulls', 'comments', 'reviews']);

const bots: Check = (filter, event) =>
  settingOf(filter, 'bots') === 'off' && event.actor?.bot ? 'bots:off' : undefined;

const self: Check = (filter, event, { subscriber }) =>
  settingOf(filter, 'self') === 'off' &&
  subscriber !== undefined &&
  event.actor?.login.toLowerCase() === subscriber.toLowerCase()
    ? 'self:off'
    : undefined;

const authors: Check = (filter, event, known) => {
  const involved = people(event, known);
  const against = filter.notAuthors?.find((glob) => involved.some((login) => matches(glob, login)));
  if (against !== undefined) return `-author:${against}`;
  if (!filter.authors || involved.some((login) => matchesAny(filter.authors ?? [], login))) return undefined;
  return `+author:${filter.authors.join(',')}`;
};

const labels: Check = (filter, event, { item, unreadable }) => {
  if (!labeled.has(featureOf(event.kind))) return undefined;
  const has = (glob: string) => item?.labels.some((name) => matches(glob, name)) ?? false;
  const against = filter.notLabels?.find(has);
  if (against !== undefined) return `-label:${against}`;
  const missing = filter.labels?.find((group) => !group.some(has));
  // when in doubt, post rather than lose it
  return unreadable
    ? undefined
    : missing && `+label:${missing.join(',')}${item ? '' : ' (its labels could not be read)'}`;
};

const base: Check = (filter, _event, { item }) =>
  filter.base && item?.kind === 'pull' && item.base !== undefined && !matchesAny(filter.base, item.base)
    ? `base:${filter.base.join(',')}`
    : undefined;

const branch: Check = (filter, event) => {
  const name = featureOf(event.kind) === 'pulls' ? undefined : branchOf(event);
  return filter.branch && name !== undefined && !matchesAny(filter.branch, name)
    ? `branch:${filter.branch.join(',')}`
    : undefined;
};

/** By file or by name: `ci` means `.gitea/workflows/ci.yml` and `ci.yml`. */
const workflow: Check = (filter, event) => {
  if (!filter.workflow || !('run' in event)) return undefined;
  const file = event.run.workflow.split('/').at(-1)?.toLowerCase() ?? '';
  const names = [file, file.replace(/\.ya?ml$/, '')];
  const wanted = filter.workflow.map((glob) => glob.toLowerCase());
  return names.some((name) => matchesAny(wanted, name)) ? undefined : `workflow:${filter.workflow.join(',')}`;
};

const runsOfPushes: ReadonlySet<string> = new Set(['push', 'pull_request']);
const comparison = /\/compare\/(?!0+\.)([0-9a-f]{7,64})\.\.\.([0-9a-f]{7,64})$/;

/** Whose files `path:` is about; undefined if the event changes none. */
export function changeIn(event: Event, item?: ItemState): Change | undefined {
  const { kind, number } = event.item;
  if (kind === 'pull' && number !== undefined) return { pull: number, size: item?.size?.files };
  if ('run' in event) return runsOfPushes.has(event.run.trigger) ? { sha: event.run.sha, total: 1 } : undefined;
  const push = 'push' in event ? event.push : undefined;
  const [, before, after] = comparison.exec(push?.compareUrl ?? '') ?? [];
  const sha = after ?? push?.commits[0]?.sha;
  return push && sha !== undefined ? { sha, not: before, total: push.total } : undefined;
}

export const asksForFiles = ({ path, notPath }: Filter): boolean => path !== undefined || notPath !== undefined;

/** A name without a wildcard is a file, or a folder with everything in it. */
const withFolders = (globs: readonly string[]) =>
  globs.flatMap((glob) => (/[*?]/.test(glob) ? [glob] : [glob, `${glob}/**`]));

const countsFor = ({ path, notPath = [] }: Filter, file: string): boolean =>
  !withFolders(notPath).some((glob) => matches(glob, file)) && matchesAny(withFolders(path ?? []), file);

const showPaths = ({ path, notPath }: Filter): string =>
  [path && `path:${path.join(',')}`, notPath && `-path:${notPath.join(',')}`].filter(Boolean).join(' ');

/** When in doubt, post rather than lose it. */
const paths: Check = (filter, event, { files }) =>
  files &&
  !files.missing &&
  asksForFiles(filter) &&
  changeIn(event) &&
  !files.names.some((each) => countsFor(filter, each))
    ? showPaths(filter)
    : undefined;

/** Which of its words matched, or why they were not asked. */
function pathWords(filter: Filter, event: Event, { files }: Known): string {
  if (!files || !asksForFiles(filter) || !changeIn(event)) return '';
  const matched = files.names.some((each) => countsFor(filter, each));
  return matched || !files.missing ? ` ${showPaths(filter)}` : ` (${showPaths(filter)}: ${files.missing})`;
}

const drafts: Check = (filter, event, { item }) =>
  item?.draft && settingOf(filter, 'drafts') === 'hide' && event.kind !== 'pulls:ready' ? 'drafts:hide' : undefined;

const quieter: Check = (filter, event) =>
  settingOf(filter, 'thread') === 'state' &&
  (featureOf(event.kind) === 'comments' || event.kind === 'reviews:commented')
    ? 'thread:state'
    : undefined;

const fold = (text: string): string => text.toLowerCase();

/** Teams of a filter by their own name, in lower case: their members are meant too. */
export const teamsIn = ({ reviewers = [] }: Filter): string[] =>
  reviewers.filter((name) => name.includes('/') && !/[*?!]/.test(name)).map(fold);

/** Whether a review was requested from someone the filter names. */
export const namesReviewer = ({ reviewers }: Filter, event: Event): boolean =>
  event.kind === 'reviews:requested' &&
  (!reviewers ||
    [...event.asked.people, ...event.asked.teams].some((name) => matchesAny(reviewers.map(fold), fold(name))));

/** By login: which team of the filter they are in. */
function membersAsked(filter: Filter, event: Event, members: Known['members']): Record<string, string> {
  if (event.kind !== 'reviews:requested') return {};
  const teamOf = (login: string) =>
    teamsIn(filter).find((team) => members?.get(team)?.some((each) => fold(each) === fold(login)));
  return Object.fromEntries(
    event.asked.people.flatMap((login) => {
      const team = teamOf(login);
      return team === undefined ? [] : [[login, team]];
    }),
  );
}

/** Whether a review was requested from someone the filter names, or from a member of a team it names. */
const reviewers: Check = (filter, event, { members }) => {
  if (!filter.reviewers || event.kind !== 'reviews:requested') return undefined;
  if (namesReviewer(filter, event)) return undefined;
  if (Object.keys(membersAsked(filter, event, members)).length > 0) return undefined;
  const teams = event.asked.people.length > 0 ? teamsIn(filter) : [];
  const unread = teams.filter((team) => members?.has(team) && members.get(team) === undefined);
  const why = unread.length > 0 ? ` (the members of ${unread.join(', ')} could not be read)` : '';
  return `reviewer:${filter.reviewers.join(',')}${why}`;
};

const checks: readonly Check[] = [
  bots,
  self,
  authors,
  labels,
  base,
  branch,
  workflow,
  reviewers,
  paths,
  drafts,
  quieter,
];

/** The clause of a decision. */
export const postedBefore = 'already posted by another subscription of this channel';

/** A subscription as routing sees it. */
export interface Follower {
  readonly id: string;
  readonly team: string;
  readonly channel: string;
  readonly filter: Filter;
  /** For `owner/*`: a glob over the owner's repository names. */
  readonly pattern?: string;
  readonly paused?: string;
  /** The subscriber's forge login. */
  readonly subscriber?: string;
}

export interface Routed {
  readonly follower: Follower;
  readonly decision: Decision;
  /** Absent: not posted. */
  readonly delivery?: { readonly id: string; readonly body: EventDelivery };
}

interface Knowledge extends Omit<Known, 'subscriber'> {
  /** It may be readable soon: subscriptions whose filter needs it get the event then. */
  readonly wait?: boolean;
}

/** Who gets this event, and why or why not. A channel with two matching subscriptions gets it once. */
export function route(event: Event, followers: readonly Follower[], known: Knowledge): Routed[] {
  const name = splitFullName(event.repo.fullName).repo;
  const notified = new Set<string>();
  const routed: Routed[] = [];
  for (const follower of followers) {
    if (follower.pattern !== undefined && !matches(follower.pattern, name)) continue;
    const decision = judge(follower, event, known);
    const place = `${follower.team}/${follower.channel}`;
    if (!decision.keep) routed.push({ follower, decision });
    else if (notified.has(place))
      routed.push({
        follower,
        decision: { ...decision, keep: false, clause: postedBefore },
      });
    else {
      notified.add(place);
      routed.push({
        follower,
        decision,
        delivery: { id: deliveryId(event), body: bodyOf(follower, event, decision, known) },
      });
    }
  }
  return routed;
}

function judge(follower: Follower, event: Event, known: Knowledge): Decision {
  const decision = decide(follower.filter, event, { ...known, subscriber: follower.subscriber });
  if (known.wait && decision.keep && follower.paused === undefined && asksForItem(follower.filter, event))
    return { ...decision, keep: false, clause: 'the forge has not reported its state yet' };
  return follower.paused === undefined
    ? decision
    : { ...decision, keep: false, clause: `the subscription is paused: ${follower.paused}` };
}

/** What this channel is told: a request says why it is meant. */
function eventFor({ filter }: Follower, event: Event, { members }: Knowledge): Event {
  const memberOf = membersAsked(filter, event, members);
  return event.kind === 'reviews:requested' && Object.keys(memberOf).length > 0 ? { ...event, memberOf } : event;
}

const bodyOf = (follower: Follower, event: Event, decision: Decision, known: Knowledge): EventDelivery => ({
  type: 'event',
  event: eventFor(follower, event, known),
  ...(known.item && { item: known.item }),
  subscription: follower.id,
  style: decision.style,
  threaded: settingOf(follower.filter, 'thread') !== 'off',
});

interface Preview {
  /** Messages it would have posted. */
  readonly kept: readonly Event[];
  readonly dropped: number;
  readonly bots: number;
}

/** What a filter would have posted of these events; used to preview subscriptions. */
export function preview(events: readonly Event[], filter: Filter, known: (event: Event) => Known): Preview {
  const kept = events.filter((event) => decide(filter, event, known(event)).keep);
  return { kept, dropped: events.length - kept.length, bots: events.filter((event) => event.actor?.bot).length };
}
