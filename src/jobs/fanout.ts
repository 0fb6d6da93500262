import pMap, { pMapSkip } from 'p-map';
import { z } from 'zod';
import {
  commentDelivery,
  type EventDelivery,
  isCreation,
  startsToMatch,
  type UpdateDelivery,
} from '../feed/delivery.js';
import {
  type Event,
  type EventOf,
  featureOf,
  type RepoRef,
  type RunFacts,
  type RunWaiting,
  type RunWhy,
  subOf,
  unitsOf,
} from '../feed/event.js';
import { Filter } from '../feed/filter.js';
import { causedMs, type InboxEvent, isInbox, isWanted, requestsFor, withReason } from '../feed/inbox-why.js';
import { aboutItem, type ItemState, issueState, itemThread, markBot } from '../feed/item.js';
import { followItem } from '../feed/own-card.js';
import { PostError } from '../feed/ports.js';
import { waits } from '../feed/quiet.js';
import { asksForFiles, changeIn, type Follower, namesReviewer, type Routed, route, teamsIn } from '../feed/route.js';
import { type Source, type SourceAbout, sourceKey } from '../feed/sources/source.js';
import { fixOf } from '../feed/standing.js';
import { type ChangedFiles, changedFiles } from '../forge/changed-files.js';
import { type Api, ApiError } from '../forge/index.js';
import { excerptOf, tellingLines } from '../forge/log-excerpt.js';
import { ifAnswered, isRefused, unlessAbsent } from '../forge/possible.js';
import { teamMembers } from '../forge/review-requests.js';
import type { Comment, PullReview, RepoCommit, TimelineEntry, WorkflowJob } from '../forge/schemas.js';
import { splitFullName } from '../full-name.js';
import { createLookUp, createSeldom } from '../memory.js';
import {
  type Decided,
  type IncompleteRow,
  type LoggedEvent,
  type OutboxPlace,
  outboxName,
  type Person,
  type Place,
  plainJson,
  type Store,
  type Subscription,
  subscriptionId,
} from '../store/index.js';
import { count } from '../view/look.js';
import { say } from '../view/message.js';
import { md } from '../view/text.js';
import type { ChecksWatch } from './checks-watch.js';
import { detail } from './detail.js';
import type { FeedDeps } from './feed-deps.js';
import type { Gate } from './gate.js';
import { createPullReader } from './pull-state.js';
import type { RepoFacts } from './repo-facts.js';
import { createUnreadableLog } from './unreadable.js';

/** One event for one outbox. */
export interface Outgoing {
  readonly place: OutboxPlace;
  readonly id: string;
  /** At most one entry under this name is queued in the outbox. */
  readonly card?: string;
  readonly body: EventDelivery | UpdateDelivery;
}

/** Appends to their outboxes, keeping the order of each. */
async function appendAll(store: Store, outgoing: readonly Outgoing[]): Promise<void> {
  const byPlace = new Map<string, { readonly place: OutboxPlace; readonly entries: Omit<Outgoing, 'place'>[] }>();
  for (const { place, ...entry } of outgoing) {
    const name = outboxName(place);
    const group = byPlace.get(name) ?? { place, entries: [] };
    group.entries.push(entry);
    byPlace.set(name, group);
  }
  await Promise.all([...byPlace.values()].map(({ place, entries }) => store.outbox.append(place, entries)));
}

interface DecidedCard {
  readonly event: Event;
  readonly to: readonly Pick<Routed, 'follower' | 'delivery'>[];
}

/** A channel that does not want the event may still show its item: that card is updated silently. */
async function outgoingCards(
  store: Store,
  decided: readonly DecidedCard[],
  states: ReadonlyMap<string, ItemState>,
): Promise<Outgoing[]> {
  const outgoing: Outgoing[] = [];
  for (const { event, to } of decided) {
    const { thread } = event.item;
    const change = changeOf(event, states.get(thread ?? ''));
    if (thread === undefined || !change || isCreation(event)) continue;
    for (const { follower, delivery } of to) {
      const place = { team: follower.team, channel: follower.channel };
      if (delivery || follower.paused !== undefined || !(await store.threads.get(place, thread))) continue;
      const of = { repo: event.repo, subscription: follower.id, units: unitsOf(event) };
      const body = plainJson({ type: 'update', thread, ...change, of });
      outgoing.push({ place, id: `update:${thread}:${event.id}`, card: `update:${thread}`, body });
    }
  }
  return outgoing;
}

/** What the event changes on its thread's card: the item's state, or that the broken branch is fixed. */
function changeOf(event: Event, item: ItemState | undefined): Partial<UpdateDelivery> | undefined {
  if (item) return { item, now: true };
  const isFix = event.kind === 'runs:success' && event.run.transition?.since !== undefined;
  return isFix ? { fixed: fixOf(event) } : undefined;
}

/** Nothing to post: the run's card shows its progress. */
const isUnfinished = (event: Event): boolean => 'run' in event && event.run.now !== undefined;

/** Nothing to post: the pull request's card shows who is asked now. */
const isQuietRequest = (event: Event): boolean => event.kind === 'reviews:requested' && event.quiet === true;

async function outgoingRunChanges(
  store: Store,
  events: readonly Event[],
  followers: ReadonlyMap<number, readonly Follower[]>,
): Promise<Outgoing[]> {
  const outgoing: Outgoing[] = [];
  for (const event of events) {
    const { thread } = event.item;
    if (!('run' in event) || !event.run.now || thread === undefined) continue;
    for (const { id, team, channel, paused } of followers.get(event.repo.id) ?? []) {
      const place = { team, channel };
      if (paused !== undefined || !(await store.threads.get(place, thread))) continue;
      const of = { repo: event.repo, subscription: id, units: unitsOf(event) };
      const body = plainJson({ type: 'update', thread, run: event.run.now, of });
      outgoing.push({ place, id: `update:${thread}:${event.id}`, card: `update:${thread}`, body });
    }
  }
  return outgoing;
}

interface FollowerPorts {
  readonly repos: RepoFacts;
  readonly gate: Gate;
}

/** The followers of these events' repositories, as routing needs them. */
function createFollowers(deps: FeedDeps, { repos, gate }: FollowerPorts) {
  const { store, log, people } = deps;
  const logins = createLookUp<string | undefined>({ now: deps.now });

  return async function followersOf(
    source: Source,
    about: SourceAbout,
    events: readonly Event[],
  ): Promise<Map<number, Follower[]>> {
    const found = new Map<number, Follower[]>();
    for (const { repo } of events) {
      if (found.has(repo.id)) continue;
      const subs =
        source.kind === 'user'
          ? await store.subscriptions.of({ kind: 'user', id: source.id })
          : await store.subscriptions.candidates(repo.id, await ownerId(about, repo.fullName));
      found.set(repo.id, (await Promise.all(subs.map((sub) => followerOf(sub, repo)))).flat());
    }
    return found;
  };

  async function ownerId(about: SourceAbout, fullName: string): Promise<number> {
    if (about.ownerId !== undefined) return about.ownerId;
    return (await repos.read(fullName))?.owner?.id ?? 0;
  }

  async function followerOf(sub: Subscription, repo: RepoRef): Promise<Follower[]> {
    const filter = Filter.safeParse(sub.filter);
    const id = subscriptionId(sub);
    if (!filter.success) {
      log.error({ subscription: id }, 'a subscription cannot be read; create it again');
      return [];
    }
    const subscriber = filter.data.self === 'off' ? await loginOf(sub) : undefined;
    const paused = sub.paused?.reason ?? (await gate.reasonUnseen(sub, repo));
    return [
      {
        id,
        ...sub.place,
        filter: filter.data,
        ...(sub.target.kind === 'owner' && { pattern: sub.target.pattern }),
        ...(paused !== undefined && { paused }),
        ...(subscriber !== undefined && { subscriber }),
      },
    ];
  }

  function loginOf({ place: { team }, owner }: Subscription): Promise<string | undefined> {
    return logins(`${team}/${owner}`, () => people.loginOf({ team, user: owner }));
  }
}

const mostWaiting = 1_000;

/** A paused outbox may stay so for weeks: what it keeps is limited. */
async function isFull({ outbox }: Store, place: OutboxPlace): Promise<boolean> {
  return (await outbox.paused(place)) !== undefined && (await outbox.size(place)) >= mostWaiting;
}

/** Where an event goes now, and whether it came during a mute. */
interface EventOutbox {
  readonly place: OutboxPlace;
  readonly canWait: boolean;
  /** It is paused and keeps no more. */
  readonly full: boolean;
}

async function readOutbox({ outbox }: Store, place: Place, repo: number): Promise<EventOutbox> {
  const lane = { ...place, lane: repo };
  const [side, main] = await Promise.all([outbox.paused(lane), outbox.paused(place)]);
  const to = side ? lane : place;
  const canWait = (side ?? main) !== undefined;
  return { place: to, canWait, full: canWait && (await outbox.size(to)) >= mostWaiting };
}

/** One look-up per place and repository of a batch. */
function outboxFinder(store: Store) {
  const found = new Map<string, Promise<EventOutbox>>();
  return (place: Place, repo: number): Promise<EventOutbox> => {
    const key = outboxName({ ...place, lane: repo });
    const outbox = found.get(key) ?? readOutbox(store, place, repo);
    found.set(key, outbox);
    return outbox;
  };
}

/** @internal More than a paused outbox keeps: it is only counted, and the number is queued after everything else. */
export async function leaveOut({ outbox }: Store, place: OutboxPlace, id: string): Promise<void> {
  const left = await outbox.leaveOut(place, id);
  const words = md`${count(left, 'more update')} arrived while updates were paused here and ${left === 1 ? 'is' : 'are'} not shown.`;
  const body = { type: 'message', message: say(words) };
  await outbox.append(place, [{ id: `left:${id}:${left}`, card: 'left-out', body }]);
}

/** Direct messages that still fit; what only updates a card always does. */
async function fitting(store: Store, outgoing: readonly Outgoing[]): Promise<readonly Outgoing[]> {
  const kept: Outgoing[] = [];
  for (const each of outgoing) {
    const { place, id, body } = each;
    if (body.type === 'event' && (await isFull(store, place))) await leaveOut(store, place, id);
    else kept.push(each);
  }
  return kept;
}

const repeated: ReadonlySet<string> = new Set(['replied', 'activity']);

/** Items the person follows in their direct messages are posted by that subscription, not twice. */
async function followedIn(
  { subscriptions }: Pick<Store, 'subscriptions'>,
  place: Place,
  events: readonly InboxEvent[],
): Promise<ReadonlySet<InboxEvent>> {
  const found = await Promise.all(
    events.map(async (event) => {
      const { number } = event.item;
      if (number === undefined || !repeated.has(subOf(event.kind))) return [];
      const sub = await subscriptions.get({ place, target: { kind: 'repo', id: event.repo.id } });
      return sub && !sub.paused && Filter.safeParse(sub.filter).data?.items?.includes(number) ? [event] : [];
    }),
  );
  return new Set(found.flat());
}

const dayMs = 86_400_000;

/** Comments that may have caused the notification; a message without the text is better than none. */
async function commentsOf(api: Api, event: InboxEvent, card: number | undefined): Promise<readonly Comment[]> {
  const { repo, item, commentUrl, at } = event;
  if (commentUrl === undefined || item.number === undefined) return [];
  const { owner, repo: name } = splitFullName(repo.fullName);
  const caused = Date.parse(at) - causedMs;
  const since = new Date(card === undefined ? caused : Math.max(Math.min(card, caused), Date.parse(at) - dayMs));
  const comments = api.issues.listComments({ owner, repo: name, index: item.number, query: { since } }, detail());
  return (await ifAnswered(comments))?.items ?? [];
}

/** Longer than the interval of an idle inbox, so that nothing between two polls is missed. */
const betweenPollsMs = 600_000;
const mostEntries = 50;

/** The item's recent events, in one request; undefined if the forge does not say or too much happened. */
async function entriesOf(api: Api, { repo, item, at }: InboxEvent): Promise<readonly TimelineEntry[] | undefined> {
  if (item.number === undefined) return undefined;
  const { owner, repo: name } = splitFullName(repo.fullName);
  const query = { since: new Date(Date.parse(at) - betweenPollsMs), limit: mostEntries };
  const page = await ifAnswered(api.issues.timeline({ owner, repo: name, index: item.number, query }, detail()));
  return page?.hasMore ? undefined : page?.items;
}

const mostReviews = 100;

/** The review that caused the notification, if one did. */
async function latestReview(api: Api, { repo, item, at }: InboxEvent): Promise<PullReview | undefined> {
  if (item.kind !== 'pull' || item.number === undefined) return undefined;
  const { owner, repo: name } = splitFullName(repo.fullName);
  const since = Date.parse(at) - causedMs;
  let latest: PullReview | undefined;
  try {
    for await (const review of api.pulls.listReviews.each(
      { owner, repo: name, index: item.number },
      { max: mostReviews, ...detail() },
    )) {
      const time = (review.submitted_at ?? review.updated_at)?.getTime() ?? 0;
      if (time >= since && (!latest || latest.id < review.id)) latest = review;
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  return latest;
}

const singly = 20;
const searchPages = 40;
const itemsAtOnce = 4;

const searchPatienceMs = 15_000;

interface ItemStates {
  readonly states: ReadonlyMap<string, ItemState>;
  /** Threads whose item exists but could not be read now. */
  readonly unread: ReadonlySet<string>;
}

type ReadItems = (events: readonly Event[]) => Promise<ItemStates>;

/** @internal The current state of these events' items, by thread, within a bounded time. */
export function createItemReader({ store, service, has, log }: FeedDeps): ReadItems {
  // a problem may last for weeks: each is logged once a day
  const isNew = createSeldom({ forMs: 24 * 3_600_000 });
  const logUnreadable = createUnreadableLog(log);
  const pulls = createPullReader(service);
  const keep = (thread: string, state: ItemState, found: Map<string, ItemState>) =>
    found.set(thread, { ...state, readAt: store.now() });

  return async (events) => {
    const wanted = new Map<string, Event>();
    for (const event of events) if (aboutItem(event) && event.item.thread) wanted.set(event.item.thread, event);
    const states = new Map<string, ItemState>();
    const unread = new Set<string>();
    if (wanted.size > singly || !(await has('issues.get'))) {
      const failed = await attempt(() => bySearch([...wanted.values()], states));
      if (failed) for (const thread of wanted.keys()) if (!states.has(thread)) unread.add(thread);
    }
    const left = [...wanted].filter(([thread]) => !states.has(thread)).slice(0, singly * 5);
    await pMap(
      left,
      async ([thread, event]) => {
        if (await attempt(() => one(thread, event, states))) unread.add(thread);
        else unread.delete(thread);
      },
      { concurrency: itemsAtOnce },
    );
    return { states, unread };
  };

  /** True: it could not be read. A message without its item's state beats none, and beats a late one. */
  async function attempt(read: () => Promise<void>): Promise<boolean> {
    try {
      await read();
      return false;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isNew(error.message)) log.warn({ reason: error.message }, 'an item could not be read');
      return true;
    }
  }

  async function one(thread: string, { item, repo }: Event, found: Map<string, ItemState>): Promise<void> {
    const { owner, repo: name } = splitFullName(repo.fullName);
    const where = { owner, repo: name, index: item.number ?? 0 };
    if (item.kind === 'pull' && (await has('pulls.get'))) {
      const pull = await unlessAbsent(service.pulls.get(where, detail()));
      if (pull) keep(thread, await pulls.whole(where, pull), found);
    } else if (await has('issues.get')) {
      const issue = await unlessAbsent(service.issues.get(where, detail()));
      if (issue) keep(thread, issueState(issue), found);
    }
  }

  async function bySearch(about: readonly Event[], found: Map<string, ItemState>): Promise<void> {
    const owners = new Set(about.map(({ repo }) => splitFullName(repo.fullName).owner));
    const oldest = Math.min(...about.map(({ at }) => Date.parse(at))) - 60_000;
    const threads = new Set(about.map(({ item }) => item.thread));
    for (const owner of owners) {
      for await (const issue of service.issues.search.each(
        { query: { owner, state: 'all', since: new Date(oldest) } },
        { maxPages: searchPages, onUnreadable: logUnreadable('search'), ...detail(searchPatienceMs) },
      )) {
        const thread = issue.repository && itemThread(issue.repository.id, issue.number);
        if (thread && threads.has(thread)) keep(thread, issueState(issue), found);
      }
    }
  }
}

/** @internal Whether any filter gets far enough for the state to matter. */
export const stateMatters = (event: Event): boolean => aboutItem(event) && featureOf(event.kind) !== 'inbox';

const atOnce = 4;

const CardTime = z.object({ event: z.object({ at: z.string() }) });

const reviewLookMs = 1_000;

/** A person's notifications as direct messages, respecting their chosen kinds and quiet hours. */
async function outgoingNotifications(
  deps: FeedDeps,
  gate: Gate,
  person: Person,
  read: readonly Event[],
): Promise<Outgoing[]> {
  const { store, slack, as, now } = deps;
  const user = read.length === 0 ? undefined : await slack.user(person.user);
  const api = user && !user.deleted ? await as(person) : undefined;
  // nothing for people who have signed out since
  if (!user || !api) return [];
  const { kinds, quiet } = await store.settings.get(person);
  const place = { team: person.team, channel: await slack.directMessage(person.user) };
  // some servers still describe an item after its reader lost access
  const events = await pMap(read, async (event) => ((await mayRead(gate, place, event, person)) ? event : pMapSkip), {
    concurrency: atOnce,
  });
  const { states } = await createItemReader({ ...deps, service: api })(events);
  const itemOf = ({ item }: Event) => states.get(item.thread ?? '');
  const explained = await explain(deps, api, { person, place }, events.filter(isInbox), itemOf);
  // a review request is in no feed of its repository
  for (const { kind, repo, item } of explained)
    if (kind === 'inbox:review_requested' && item.thread !== undefined)
      await store.checks.wake(repo.id, { thread: item.thread }, reviewLookMs);
  const posted = await followedIn(store, place, explained);
  const isChosen = (event: InboxEvent) => isWanted(kinds, subOf(event.kind)) && !posted.has(event);
  const wanted = explained.filter((event) => isSilent(event) || isOver(event) || isChosen(event));
  if (wanted.length === 0) return [];
  const toPost = wanted.filter((event) => !isSilent(event) && isChosen(event));
  const canWait = toPost.length > 0 && (await waits(store, place, { person, quiet, zone: user.zone, now: now() }));
  return wanted.flatMap((event) => {
    const item = itemOf(event);
    if (isSilent(event) || !isChosen(event)) return followedDeliveries(place, event, item);
    const body = { type: 'event', event, style: 'card', threaded: true, ...(item && { item }) } as const;
    return [{ place, id: idOf(event), body: canWait ? { ...body, canWait } : body }];
  });
}

/** A comment is posted once, however often its thread is updated. */
const idOf = ({ id, source, did, commentUrl, repo }: InboxEvent): string => {
  if (did !== 'commented' || !commentUrl) return id;
  const [, comment] = /#issuecomment-(\d+)$/.exec(commentUrl) ?? [];
  return comment === undefined ? `${source}:${commentUrl}` : commentDelivery(repo, comment);
};

const isSilent = ({ read, quiet }: InboxEvent): boolean => read === true || quiet === true;

/** Existing cards show it, whether or not its end is worth a message. */
const isOver = ({ did }: InboxEvent): boolean => did === 'closed' || did === 'merged';

/** Nothing to post: the card shows the current state, and a read one needs nothing from its reader. */
function followedDeliveries(
  place: Place,
  { id, read, asOf, item: { thread } }: InboxEvent,
  item: Outgoing['body']['item'],
): Outgoing[] {
  if (thread === undefined) return [];
  const how = read ? { read, ...(asOf !== undefined && { asOf }) } : { now: true as const };
  const body = { type: 'update', thread, ...how, ...(item && { item }) } as const;
  return [{ place, id: `update:${thread}:${id}`, card: `update:${thread}`, body }];
}

async function explain(
  deps: FeedDeps,
  api: Api,
  { person, place }: { readonly person: Person; readonly place: Place },
  events: readonly InboxEvent[],
  itemOf: (event: Event) => Outgoing['body']['item'],
): Promise<InboxEvent[]> {
  const login = await deps.people.loginOf(person);
  /** Since when the direct messages have a card of the item. */
  const standing = async ({ item: { thread } }: InboxEvent): Promise<number | undefined> => {
    const card = thread === undefined ? undefined : await deps.store.threads.get(place, thread);
    const about = CardTime.safeParse(card?.about);
    return about.success ? Date.parse(about.data.event.at) : undefined;
  };
  const listed = await deps.has('issues.listComments');
  const hasTimeline = await deps.has('issues.timeline');
  const explained = await pMap(
    events,
    async (event) => {
      if (isSilent(event)) return [event];
      const card = listed ? await standing(event) : undefined;
      const comments = listed ? await commentsOf(api, event, card) : [];
      const latest = comments.find(({ html_url }) => html_url === event.commentUrl);
      const missed =
        card === undefined ? [] : comments.filter((each) => each !== latest && isMissed(each, card, login));
      const review = latest ? undefined : await latestReview(api, event);
      const entries = hasTimeline ? await entriesOf(api, event) : undefined;
      const item = itemOf(event);
      const requests = entries ? requestsFor(event, item, entries, login) : [];
      const moved = withReason(event, item, { comment: latest, review, entries }, login);
      const isSaid = requests.length > 0 && (moved.did === undefined || moved.did === 'opened');
      const earlier = [...missed.map((each) => commentEvent(event, item, each, login)), ...requests];
      earlier.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
      const news = isSaid ? earlier : [...earlier, moved];
      return login === undefined ? news : news.map((each) => ({ ...each, reader: login }));
    },
    { concurrency: atOnce },
  );
  return explained.flat();
}

/** A thread names only its latest comment: earlier ones since the card was posted are posted too, once. */
const isMissed = ({ created_at, user }: Comment, card: number, login: string | undefined): boolean =>
  created_at !== undefined && created_at.getTime() >= card && user?.login.toLowerCase() !== login?.toLowerCase();

function commentEvent(
  event: InboxEvent,
  item: ItemState | undefined,
  comment: Comment,
  login: string | undefined,
): InboxEvent {
  const { html_url, created_at } = comment;
  const at = created_at?.toISOString() ?? event.at;
  const said = { ...event, id: `${event.source}:${html_url}`, at, commentUrl: html_url };
  // regardless of the item's current state
  return withReason(said, item && { ...item, state: 'open' }, { comment }, login);
}

/** Remembers events whose item could not be read, so that they are completed later. */
async function noteIncomplete(
  { store, log }: FeedDeps,
  { source, about }: { readonly source: string; readonly about: SourceAbout },
  events: readonly Event[],
  unread: ReadonlySet<string>,
): Promise<void> {
  for (const event of events) {
    const { thread } = event.item;
    if (thread === undefined || !unread.has(thread)) continue;
    const row = { id: event.id, source, about: plainJson(about), event: plainJson(event) };
    if (!(await store.incomplete.add(thread, row)))
      log.warn({ source, thread }, 'too many items could not be read; this one is not completed later');
  }
}

export function incompleteEvent({ event }: IncompleteRow): Event {
  return event as unknown as Event; // written by `noteIncomplete` of this same program, versioned by `v`
}

/** A person's conversation with the bot; undefined if they left Slack. Any other failure is Slack's, and is tried again. */
async function directPlace({ slack, team }: FeedDeps, user: string): Promise<Place | undefined> {
  try {
    return { team, channel: await slack.directMessage(user) };
  } catch (error) {
    const person = await slack.user(user);
    if (person && !person.deleted) throw error;
    return undefined;
  }
}

const closing: ReadonlySet<Event['kind']> = new Set<Event['kind']>([
  'issues:closed',
  'issues:reopened',
  'pulls:closed',
  'pulls:merged',
  'pulls:reopened',
]);

const linksAfterMs = 1_000;

/** Cards under links show their item's current state. */
async function followLinks({ store }: FeedDeps, events: readonly Event[]): Promise<void> {
  const items = new Set(events.flatMap(({ item }) => item.thread ?? []));
  for (const item of items) await store.links.touch(item, linksAfterMs);
}

/** The forge notifies nobody of their own actions: the card in their direct messages is updated from the feed. */
async function followOwn(deps: FeedDeps, events: readonly Event[], states: ItemStates['states']): Promise<void> {
  const { store, team } = deps;
  for (const { kind, actor, item } of events) {
    const state = states.get(item.thread ?? '');
    if (!closing.has(kind) || !actor || !state || item.thread === undefined) continue;
    for (const { person } of await store.accounts.findByLogin(team, actor.login)) {
      const place = await directPlace(deps, person.user);
      if (place && (await store.threads.get(place, item.thread))) await followItem(store, place, item.thread, state);
    }
  }
}

const pushes: ReadonlySet<string> = new Set(['push', 'pull_request']);

/** A run of someone's own push failed: they get a direct message, wherever else it is posted. */
async function outgoingOwnRuns(deps: FeedDeps, gate: Gate, events: readonly Event[]): Promise<Outgoing[]> {
  const outgoing: Outgoing[] = [];
  for (const event of events) {
    if (event.kind !== 'runs:failure' || !event.actor || event.actor.bot || !pushes.has(event.run.trigger)) continue;
    const person = await pusher(deps, event.actor.login);
    if (!person) continue;
    const place = await directPlace(deps, person.user);
    if (!place || !(await mayRead(gate, place, event, person))) continue;
    const body = { type: 'event', event, style: 'card', threaded: true } as const;
    outgoing.push({ place, id: `own:${event.id}`, body });
  }
  return outgoing;
}

/** Linked, and not turned off. */
async function pusher({ people, store, team }: FeedDeps, login: string) {
  const user = await people.slackUserOf(team, login);
  if (user === undefined) return undefined;
  const person = { team, user };
  const [account, settings] = await Promise.all([store.accounts.get(person), store.settings.get(person)]);
  return account?.state === 'active' && isWanted(settings.kinds, 'run_failed') ? person : undefined;
}

async function mayRead(gate: Gate, place: Outgoing['place'], event: Event, person: { team: string; user: string }) {
  try {
    return (await gate.check(place, event.repo, { person, units: unitsOf(event) })).allowed;
  } catch (error) {
    if (error instanceof PostError || isRefused(error)) return false;
    throw error;
  }
}

const mostFiles = 100;
const workflowFile = /^\.(?:gitea|github|forgejo)\/workflows\//;

type EventOfRun = Extract<Event, { readonly run: RunFacts }>;

/** Who wants their run approved and what it changes, read once for everyone who gets the message. */
function createRunWaiting({ service, has, log }: Pick<FeedDeps, 'service' | 'has' | 'log'>) {
  const tryRead = <T>(asking: Promise<T>) =>
    ifAnswered(asking, ({ message }) => log.debug({ reason: message }, 'a waiting run could not be described in full'));

  async function details(owner: string, repo: string, { pull }: RunWaiting): Promise<RunWaiting> {
    const at = { owner, repo, index: pull };
    const [found, files] = await Promise.all([
      tryRead(service.pulls.get(at, detail())),
      tryRead(service.pulls.listFiles({ ...at, query: { limit: mostFiles } }, detail())),
    ]);
    const poster = found?.user?.login;
    const query = { state: 'closed' as const, poster: poster ?? '', limit: 50 };
    const past = poster === undefined ? undefined : await tryRead(service.pulls.list({ owner, repo, query }, detail()));
    return {
      pull,
      ...(found && { url: found.html_url, title: found.title }),
      ...(poster !== undefined && { author: poster }),
      ...(past && { firstTime: !past.items.some(({ merged, user }) => merged && user?.login === poster) }),
      ...(files && { files: files.items.map(({ filename }) => filename).filter((name) => workflowFile.test(name)) }),
    };
  }

  return async (event: EventOfRun): Promise<EventOfRun> => {
    const { waiting } = event.run;
    if (!waiting) return event;
    const { owner, repo } = splitFullName(event.repo.fullName);
    const [approve, described] = await Promise.all([has('runs.approve'), details(owner, repo, waiting)]);
    const offers = approve ? { approve } : {};
    return { ...event, run: { ...event.run, offers, waiting: described } };
  };
}

const mostLines = 5;
const mostCommits = 10;
const recentJobs = 50;
const latelyMs = 24 * 3_600_000;

type RunEvent = EventOf<'runs:failure'>;
const isFailedRun = (event: Event): event is RunEvent => event.kind === 'runs:failure';

const authorOf = ({ author, commit }: RepoCommit) => author?.login ?? commit?.author?.name ?? '';

/** Why a run failed: its job, step, log lines and commits since the last success; read once for all recipients. */
function createRunWhy({ service, has, log }: Pick<FeedDeps, 'service' | 'has' | 'log'>) {
  const tryRead = <T>(asking: Promise<T>) =>
    ifAnswered(asking, ({ message }) => log.debug({ reason: message }, 'why a run failed could not be read in full'));

  async function failedJob(at: { owner: string; repo: string; run: number }): Promise<WorkflowJob | undefined> {
    if (!(await has('runs.listJobs'))) return undefined;
    const jobs = await tryRead(service.runs.listJobs({ ...at, query: { limit: recentJobs } }, detail()));
    return jobs?.items.find(({ conclusion }) => conclusion === 'failure');
  }

  async function linesOf(
    at: { owner: string; repo: string },
    job: WorkflowJob,
  ): Promise<Pick<RunWhy, 'step' | 'lines'>> {
    const text = (await has('runs.jobLog'))
      ? await tryRead(service.runs.jobLog({ ...at, job_id: job.id }, detail()))
      : undefined;
    if (!text) return { lines: [] };
    const { step, lines } = excerptOf(text.text, { most: 40, whole: text.whole });
    return { ...(step !== undefined && { step }), lines: [...tellingLines(lines, mostLines)] };
  }

  /** The commits since the last green run, newest first. */
  async function commitsSince(at: { owner: string; repo: string }, red: string, green: string | undefined) {
    if (green === undefined || green === red || green === '') return [];
    const query = { sha: red, not: green, limit: mostCommits, stat: false, verification: false, files: false };
    const page = await tryRead(service.repos.listCommits({ ...at, query }, detail()));
    return (page?.items ?? []).map((each) => ({
      sha: each.sha,
      message: each.commit?.message.split('\n', 1)[0] ?? '',
      author: authorOf(each),
      ...(each.author?.login && { login: each.author.login }),
    }));
  }

  /** Other branches where a job of the same name failed recently: then these commits are hardly the cause. */
  async function elsewhere(at: { owner: string; repo: string }, job: WorkflowJob, branch: string): Promise<string[]> {
    if (!(await has('runs.listRepoJobs'))) return [];
    const query = { status: ['failure' as const], sort: 'id' as const, order: 'desc' as const, limit: recentJobs };
    const page = await tryRead(service.runs.listRepoJobs({ ...at, query }, detail()));
    const since = (job.completed_at ?? new Date()).getTime() - latelyMs;
    const isRecent = ({ completed_at }: WorkflowJob) => (completed_at?.getTime() ?? 0) >= since;
    const same = (page?.items ?? []).filter(
      (each) => each.name === job.name && each.head_branch !== branch && isRecent(each),
    );
    return [...new Set(same.map(({ head_branch }) => head_branch).filter((name) => name !== ''))].slice(0, 5);
  }

  return async (event: RunEvent): Promise<RunEvent> => {
    const { owner, repo } = splitFullName(event.repo.fullName);
    const { run } = event;
    const broke = run.transition?.to === 'red';
    const [canRerun, hasLog, job, commits] = await Promise.all([
      has('runs.rerunFailed'),
      has('runs.jobLog'),
      failedJob({ owner, repo, run: run.id }),
      broke ? commitsSince({ owner, repo }, run.sha, run.transition?.green) : [],
    ]);
    const offers = { ...(canRerun && { rerun: true as const }), ...(hasLog && { log: true as const }) };
    if (!job) return { ...event, run: { ...run, offers, ...(commits.length > 0 && { why: { lines: [], commits } }) } };
    const [lines, others] = await Promise.all([
      linesOf({ owner, repo }, job),
      broke ? elsewhere({ owner, repo }, job, run.branch) : undefined,
    ]);
    const why: RunWhy = { job: job.name, ...lines, commits, ...(others && { elsewhere: others }) };
    return { ...event, run: { ...run, offers, why } };
  };
}

interface DecidedEvent {
  readonly event: Event;
  readonly to: readonly { readonly delivery?: unknown }[];
}

/** Jobs and logs are read only for failed runs that are posted, authors and files only for waiting ones. */
function createExplained(deps: Pick<FeedDeps, 'service' | 'has' | 'log'>) {
  const withWhy = createRunWhy(deps);
  const withWaiting = createRunWaiting(deps);
  return async <D extends DecidedEvent>(plain: D, decide: (event: Event) => D): Promise<D> => {
    const { event, to } = plain;
    if (!to.some(({ delivery }) => delivery !== undefined)) return plain;
    if (isFailedRun(event)) return decide(await withWhy(event));
    return event.kind === 'runs:waiting' ? decide(await withWaiting(event)) : plain;
  };
}

/** Routes events into outboxes; safe to repeat and to run concurrently. */
export interface Fanout {
  /** A source's log; events just `written` are not read back. */
  run(source: Source, about: SourceAbout, written?: readonly LoggedEvent[]): Promise<void>;
  /** Events that were posted without their item: outboxes drop duplicates. `late`: stop waiting for it. */
  again(source: Source, about: SourceAbout, events: readonly Event[], late: boolean): Promise<RoutingResult>;
}

interface RoutingResult extends ItemStates {
  readonly outgoing: readonly Outgoing[];
}

interface FanoutPorts {
  readonly repos: RepoFacts;
  readonly gate: Gate;
  readonly checks: Pick<ChecksWatch, 'follow'>;
}

const batch = 500;

export function createFanout(deps: FeedDeps, { repos, gate, checks }: FanoutPorts): Fanout {
  const { store } = deps;
  const followersOf = createFollowers(deps, { repos, gate });
  const readItems = createItemReader(deps);
  const explained = createExplained(deps);
  const members = createLookUp<Awaited<ReturnType<typeof teamMembers>>>({ now: deps.now });

  async function run(source: Source, about: SourceAbout, written?: readonly LoggedEvent[]): Promise<void> {
    const key = sourceKey(source);
    for (let from = 0; ; from += batch) {
      const rows = written?.slice(from, from + batch) ?? (await store.marks.unread(key, batch));
      const last = rows.at(-1);
      if (!last) return;
      const events = rows.map((row) => markBot(eventOf(row), deps.policy.bots));
      const outgoing =
        source.kind === 'inbox'
          ? await fitting(store, await outgoingNotifications(deps, gate, source, events))
          : (await routeEvents(source, about, events)).outgoing;
      const own = source.kind === 'runs' ? await fitting(store, await outgoingOwnRuns(deps, gate, events)) : [];
      await appendAll(store, [...outgoing, ...own]);
      await store.marks.advance(key, last.seq);
      if (rows.length < batch) return;
    }
  }

  return {
    run,
    async again(source, about, events, late) {
      const result = await routeEvents(source, about, events, late);
      await appendAll(store, result.outgoing);
      return result;
    },
  };

  async function routeEvents(
    source: Source,
    about: SourceAbout,
    events: readonly Event[],
    late = false,
  ): Promise<RoutingResult> {
    const followers = await followersOf(source, about, events);
    const known = events.filter((event) => (followers.get(event.repo.id)?.length ?? 0) > 0);
    const [quiet, loud] = [known.filter(isQuietRequest), known.filter((event) => !isQuietRequest(event))];
    const wanted = loud.filter((event) => !isUnfinished(event));
    const after = await outgoingRunChanges(store, known, followers);
    const { states, unread } = await readItems([...wanted, ...quiet].filter(stateMatters));
    const [now] = await Promise.all([
      withEarlier(wanted, states),
      noteIncomplete(deps, { source: sourceKey(source), about }, wanted, unread),
    ]);
    const findOutbox = outboxFinder(store);
    const members = await membersFor(now, followers);
    const decide = (event: Event, files?: ChangedFiles) => {
      const { thread = '' } = event.item;
      const known = {
        item: states.get(thread),
        defaultBranch: about.defaultBranch,
        unreadable: unread.has(thread),
        wait: unread.has(thread) && !late,
        files,
        members,
      };
      return { event, to: route(event, followers.get(event.repo.id) ?? [], known) };
    };
    const mayAsk = ({ repo }: Event) => followers.get(repo.id)?.some(({ filter }) => asksForFiles(filter)) ?? false;
    const asking = now.filter(
      (event) =>
        mayAsk(event) &&
        decide(event).to.some(({ follower, decision }) => decision.keep && asksForFiles(follower.filter)),
    );
    const files = await readFiles(asking, states);
    const decided = await Promise.all(
      now.map((event) => explained(decide(event, files.get(event.id)), (each) => decide(each, files.get(each.id)))),
    );
    const toAll = (event: Event) => ({
      event,
      to: (followers.get(event.repo.id) ?? []).map((follower) => ({ follower })),
    });
    const [kept, cards] = await Promise.all([
      Promise.all(decided.map(({ event, to }) => keep(event, to, findOutbox))),
      outgoingCards(store, [...decided, ...quiet.map(toAll)], states),
      followOwn(deps, now, states),
      followLinks(deps, now),
      checks.follow(decided, states),
    ]);
    await store.decisions.record(kept.map(({ why }) => why));
    return { states, unread, outgoing: [...kept.flatMap(({ outgoing }) => outgoing), ...cards, ...after] };
  }

  /** Members of the teams that filters name, for reviews requested from people; read once in ten minutes. */
  async function membersFor(events: readonly Event[], followers: ReadonlyMap<number, readonly Follower[]>) {
    const asking = events.filter((event) => event.kind === 'reviews:requested' && event.asked.people.length > 0);
    const filters = asking.flatMap((event) =>
      (followers.get(event.repo.id) ?? [])
        .map(({ filter }) => filter)
        .filter((filter) => !namesReviewer(filter, event)),
    );
    const teams = new Set(filters.flatMap(teamsIn));
    const read = [...teams].map(async (team) => {
      const found = await members(team, () => ifAnswered(teamMembers(deps.service, team)));
      return [team, found?.map(({ login }) => login)] as const;
    });
    return new Map(await Promise.all(read));
  }

  /** What these events changed, by event: one request for each pull request and commit. */
  async function readFiles(events: readonly Event[], states: ItemStates['states']) {
    const read = new Map<string, Promise<ChangedFiles>>();
    const found = new Map<string, ChangedFiles>();
    const one = async (event: Event) => {
      const change = changeIn(event, states.get(event.item.thread ?? ''));
      if (!change) return;
      const key = `${event.repo.id} ${JSON.stringify(change)}`;
      const reading = read.get(key) ?? changedFiles(deps.service, splitFullName(event.repo.fullName), change, detail());
      read.set(key, reading);
      found.set(event.id, await reading);
    };
    await pMap(events, one, { concurrency: itemsAtOnce });
    return found;
  }

  /** Events that waited for a now readable item go before later ones. */
  async function withEarlier(events: readonly Event[], read: ReadonlyMap<string, unknown>): Promise<readonly Event[]> {
    const before = (await store.incomplete.waiting([...read.keys()])).map(incompleteEvent);
    const had = new Set(events.map(({ id }) => id));
    return [...before.filter(({ id }) => !had.has(id)), ...events];
  }

  async function keep(
    event: Event,
    decided: readonly Routed[],
    findOutbox: ReturnType<typeof outboxFinder>,
  ): Promise<{ readonly outgoing: readonly Outgoing[]; readonly why: Decided }> {
    const outgoing: Outgoing[] = [];
    const made: Decided['made'][number][] = [];
    for (const each of decided) {
      const { follower, decision, delivery } = each;
      const { team, channel } = follower;
      const outbox = delivery && (await findOutbox({ team, channel }, event.repo.id));
      if (delivery && outbox?.full) await leaveOut(store, outbox.place, delivery.id);
      const full = outbox?.full ? 'updates are paused here and too many are waiting' : undefined;
      const before = full ?? (startsToMatch(event) ? await shownAlready(event, each) : undefined);
      made.push({
        team,
        channel,
        subscription: follower.id,
        kept: decision.keep && before === undefined,
        clause: before ?? decision.clause,
      });
      if (!delivery || !outbox || before !== undefined) continue;
      outgoing.push({
        place: outbox.place,
        id: delivery.id,
        body: outbox.canWait ? { ...delivery.body, canWait: true } : delivery.body,
      });
    }
    return { outgoing, why: { address: event.item.url, event: event.id, kind: event.kind, made } };
  }

  /** An item the channel already shows does not start to match there. */
  async function shownAlready(event: Event, { follower, delivery }: Routed): Promise<string | undefined> {
    if (!delivery || !event.item.thread) return undefined;
    const { team, channel } = follower;
    return (await store.threads.get({ team, channel }, event.item.thread)) ? 'it is already shown here' : undefined;
  }
}

/** The log holds what the feed wrote into it. */
export function eventOf({ body }: LoggedEvent): Event {
  return body as Event; // written by the poller of this same program, versioned by `v`
}
