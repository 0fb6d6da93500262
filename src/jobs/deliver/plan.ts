import { createHash } from 'node:crypto';
import { groupOf } from '../../config/file.js';
import { reasonOf } from '../../errors.js';
import { eventButtons } from '../../features/event-buttons.js';
import { dueAt } from '../../features/reviews/clock.js';
import type { EventDelivery, MessageDelivery, UpdateDelivery } from '../../feed/delivery.js';
import { digest } from '../../feed/digest.js';
import type { Event, RepoRef } from '../../feed/event.js';
import { draw } from '../../feed/events.js';
import type { Style } from '../../feed/filter.js';
import { isNamed, isWanted } from '../../feed/inbox-why.js';
import type { DrawPorts } from '../../feed/ports.js';
import { addItem, applyItem, asRead, runGoesOn, type Standing, stand } from '../../feed/standing.js';
import { createLookUp } from '../../memory.js';
import { type OutboxEntry, type Place, type Posted, plainJson, type ThreadMark } from '../../store/index.js';
import { context } from '../../view/blocks.js';
import { type Message, message } from '../../view/message.js';
import type { FeedDeps } from '../feed-deps.js';

type Mentions = ReturnType<typeof createMentions>;

/** @internal Slack users by forge login; an unknown login stays a plain name. */
export function createMentions({ people, log, now }: Pick<FeedDeps, 'people' | 'log' | 'now'>) {
  const lookUp = createLookUp<string | undefined>({ now });
  return async (team: string, logins: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    for (const login of new Set(logins.map((name) => name.toLowerCase()))) {
      try {
        const user = await lookUp(`${team}/${login}`, () => people.slackUserOf(team, login));
        if (user !== undefined) found.set(login, user);
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'a person could not be looked up');
      }
    }
    return found;
  };
}

/** Authors whose commits may have broken a default branch, if they opted in to being mentioned. */
async function authorsToMention(
  { store }: FeedDeps,
  mentions: Mentions,
  team: string,
  event: Event,
): Promise<string[]> {
  if (event.kind !== 'runs:failure' || !event.run.main) return [];
  const authors = (event.run.why?.commits ?? []).flatMap((commit) => commit.login ?? []);
  const chosen: string[] = [];
  for (const [login, user] of await mentions(team, authors)) {
    const { kinds } = await store.settings.get({ team, user });
    if (isWanted(kinds, 'broke_branch')) chosen.push(login);
  }
  return chosen;
}

/** What a card shows, stored with its thread. */
interface CardRecord {
  readonly event: Event;
  readonly style: Style;
  readonly standing: Standing;
  /** The card says so for as long as it exists. */
  readonly repeat?: true;
  /** Whose requested reviews were posted here: logins, and teams as `org/team`. */
  readonly told?: readonly string[];
}

interface Card {
  readonly ts: string;
  readonly hash?: string;
  readonly about: CardRecord;
}

/** @internal Detects whether a card would look different. */
export const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);

const repeatRemark = 'Slack lost track of an earlier try: this may be a repeat.';

/** @internal A message without blocks shows only its text, so the remark goes there. */
export const withRemark = ({ text, blocks }: Message): Message =>
  blocks.length === 0
    ? { text: `${text}\n${repeatRemark}`, blocks }
    : { text, blocks: message({ text, blocks: [...blocks, context([repeatRemark])] }).blocks };

/** @internal A card stores what it needs to be redrawn, without a push's commits and long texts. */
export function slim(event: Event): Event {
  const clipped =
    'text' in event
      ? { ...event, text: event.text.slice(0, 400) }
      : 'words' in event && event.words !== undefined
        ? { ...event, words: event.words.slice(0, 400) }
        : event;
  return 'push' in clipped && clipped.push
    ? { ...clipped, push: { ...clipped.push, commits: clipped.push.commits.slice(0, 5) } }
    : clipped;
}

/** @internal Updates a card after its repository was renamed or transferred. */
export function moveToRepo(event: Event, repo: RepoRef): Event {
  const { url } = event.item;
  const at = url.startsWith(`${event.repo.url}/`) ? `${repo.url}${url.slice(event.repo.url.length)}` : url;
  return event.repo.fullName === repo.fullName ? event : { ...event, repo, item: { ...event.item, url: at } };
}

/** @internal Tested on its own. */
export const loginsOf = ({ item, approvedBy = [], rejectedBy = [] }: Standing): string[] => [
  ...(item ? [...item.assignees, ...item.reviewers, ...(item.author ? [item.author.login] : [])] : []),
  ...approvedBy,
  ...rejectedBy,
];

/** A card's state after a change that is not an event. */
function afterUpdate(before: Standing, { item, read, asOf, run, fixed, now }: UpdateDelivery): Standing {
  if (read !== undefined) return asRead(before, item, read, asOf);
  if (item) return (now ? applyItem : addItem)(before, item);
  if (run) return runGoesOn(before, run);
  return fixed ? { ...before, fixedBy: fixed } : before;
}

/** A card with new data that is not redrawn yet. */
const stillDrawn = (card: Card, item: string, more: Partial<CardRecord>): ThreadMark => ({
  item,
  ts: card.ts,
  about: plainJson({ ...card.about, ...more }),
  ...(card.hash !== undefined && { hash: card.hash }),
});

const opening: ReadonlySet<Event['kind']> = new Set<Event['kind']>([
  'pulls:opened',
  'pulls:reopened',
  'pulls:ready',
  'reviews:requested',
]);

const reviewersOf = ({ item }: Standing): readonly string[] =>
  item?.state === 'open' ? [...item.reviewers, ...(item.teams ?? [])] : [];

/** What was posted here about requests that are still open, after this event. */
function toldAfter(event: Event, before: CardRecord | undefined, standing: Standing): readonly string[] {
  const open = reviewersOf(standing);
  if (!before) return opening.has(event.kind) ? open : [];
  const named = 'asked' in event ? [...event.asked.people, ...event.asked.teams] : [];
  return [...new Set([...(before.told ?? []), ...named])].filter((name) => open.includes(name));
}

/** Requests that come with the opening, as of code owners, are on its card. */
const openedMs = 60_000;

/** Mentioning a group makes no sense where only one person sees it. */
const isDirect = ({ channel }: Place): boolean => channel.startsWith('D');

/** @internal Teams whose review request is new in this channel: their group is mentioned now, and not in every later message. */
export function newlyAsked(
  place: Place,
  event: Event,
  before: Pick<CardRecord, 'standing' | 'told'> | undefined,
  now: Standing,
): readonly string[] {
  const isOpening = before !== undefined || opening.has(event.kind);
  if (!isOpening || isDirect(place) || now.item?.state !== 'open') return [];
  const open = now.item.teams ?? [];
  // the card may show the request before it is posted
  if ('asked' in event && before)
    return event.asked.teams.filter((team) => open.includes(team) && !before.told?.includes(team));
  const known = before?.standing.item?.teams ?? [];
  return open.filter((team) => !known.includes(team));
}

/** One call to Slack and what it means for the outbox. */
export interface Plan {
  readonly kind: 'post' | 'digest' | 'update';
  readonly entries: readonly string[];
  readonly message: Message;
  /** The parent's ts: for a reply, or the card to redraw. */
  readonly parent?: string;
  /** Whose thread that is: forgotten if Slack no longer has it. */
  readonly item?: string | undefined;
  readonly events: readonly Posted[];
  /** Runs after Slack accepted it and before its entries are removed; safe to repeat. */
  posted(ts: string): Promise<ThreadMark | undefined>;
}

export const digestId = (ids: readonly string[]): string => `digest:${hash(ids)}`;

/** Without permission to read back, a repeat cannot be ruled out, so the message says so. */
export function addRemark(plan: Plan): Plan {
  const said = withRemark(plan.message);
  return {
    ...plan,
    message: said,
    async posted(ts) {
      const mark = await plan.posted(ts);
      // a card of its own, not the parent of a reply
      if (mark?.ts !== ts || typeof mark.about !== 'object' || mark.about === null) return mark;
      return { ...mark, hash: hash(said), about: { ...mark.about, repeat: true } };
    },
  };
}

/** Plans how entries would be posted now. */
export function createPlanner(deps: FeedDeps) {
  const { store, now, policy } = deps;
  const mentions = createMentions(deps);

  async function ports(
    { team }: Place,
    { event, standing }: { readonly event?: Event; readonly standing?: Standing } = {},
    teams: readonly string[] = [],
  ): Promise<DrawPorts> {
    const authors = event ? await authorsToMention(deps, mentions, team, event) : [];
    const known = await mentions(team, [...(standing ? loginsOf(standing) : []), ...authors]);
    return {
      now: new Date(now()),
      mention: (login) => known.get(login.toLowerCase()),
      group: (name) => (teams.includes(name) ? groupOf(policy.teams, name) : undefined),
      actions: eventButtons,
    };
  }

  const isTimed = policy.reviews.some(({ firstReview }) => firstReview !== undefined);

  /** Who took the review and when one is due, as long as requests are open. */
  async function withReview(place: Place, thread: string | undefined, standing: Standing): Promise<Standing> {
    const { reviewing: _, reviewDue: __, ...rest } = standing;
    const { state, reviewers = [], teams = [] } = standing.item ?? {};
    const isAwaited = state === 'open' && reviewers.length + teams.length > 0;
    if (thread === undefined || !isAwaited || isDirect(place)) return rest;
    const [taken, reviewDue] = await Promise.all([
      store.reviews.get(thread),
      isTimed ? dueAt(store, thread, policy.workingHours) : undefined,
    ]);
    const isTaken = taken && taken.until > now() && isNamed(reviewers, taken.login);
    return {
      ...rest,
      ...(isTaken && { reviewing: { login: taken.login, since: taken.at } }),
      ...(reviewDue !== undefined && { reviewDue }),
    };
  }

  const isGrouped = (team: string) => groupOf(policy.teams, team) !== undefined;

  const threadOf = async (place: Place, item: string | undefined): Promise<Card | undefined> => {
    const found = item === undefined ? undefined : await store.threads.get(place, item);
    if (found?.about === undefined) return undefined;
    const about = found.about as unknown as CardRecord; // as `posted` below wrote it
    return { ts: found.ts, about, ...(found.hash !== undefined && { hash: found.hash }) };
  };

  const keep = (place: Place, card: Card, item: string, standing: Standing) =>
    store.threads.put(place, stillDrawn(card, item, { standing }));

  /** Redraws a card soon, in no lane, once for several changes; under its own name, or it would replace an update with news. */
  const redraw = ({ team, channel }: Place, item: string, because: string) =>
    store.outbox.append({ team, channel }, [
      { id: `update:${item}:${because}`, card: `redraw:${item}`, body: { type: 'update', thread: item } },
    ]);

  return {
    /** Whether the card of a pull request showed these reviewers when it was posted for its opening. */
    async isOnCard(place: Place, { event, threaded }: EventDelivery): Promise<boolean> {
      if (event.kind !== 'reviews:requested' || !threaded) return false;
      const { about } = (await threadOf(place, event.item.thread)) ?? {};
      if (!about || about.event.kind === event.kind || !opening.has(about.event.kind)) return false;
      const isClose = Math.abs(Date.parse(event.at) - Date.parse(about.event.at)) < openedMs;
      return isClose && [...event.asked.people, ...event.asked.teams].every((name) => about.told?.includes(name));
    },

    async event(place: Place, entry: OutboxEntry, body: EventDelivery): Promise<Plan> {
      const { event, style } = body;
      const item = body.threaded ? event.item.thread : undefined;
      const parent = await threadOf(place, item);
      const after = stand(parent?.about.standing, event, body.item);
      const standing = await withReview(place, event.item.thread, after);
      const asked = newlyAsked(place, event, parent?.about, standing).filter(isGrouped);
      const told = { told: [...toldAfter(event, parent?.about, standing), ...(parent ? asked : [])] };
      const drawing = { event, style, standing, reply: parent !== undefined, asked };
      const message = draw(drawing, await ports(place, { event, standing }, asked));
      return {
        kind: 'post',
        entries: [entry.id],
        message,
        events: [{ address: event.item.url, event: event.id }],
        ...(parent && { parent: parent.ts }),
        ...(item !== undefined && { item }),
        async posted(ts) {
          if (item === undefined) return undefined;
          if (!parent)
            return {
              item,
              ts,
              hash: hash(message),
              about: plainJson({ event: slim(event), style, standing, ...told }),
            };
          await redraw(place, item, entry.id);
          return stillDrawn(parent, item, { event: moveToRepo(parent.about.event, event.repo), standing, ...told });
        },
      };
    },

    /** Undefined: the card no longer exists, or is already up to date. */
    async update(place: Place, entry: OutboxEntry, change: UpdateDelivery): Promise<Plan | undefined> {
      const { thread: item } = change;
      const parent = await threadOf(place, item);
      if (!parent) return undefined;
      const before = parent.about.standing;
      const standing = await withReview(place, item, afterUpdate(before, change));
      const told = parent.about.told?.filter((name) => reviewersOf(standing).includes(name));
      const about = { ...parent.about, standing, ...(told && { told }) };
      // people mentioned when it was posted stay mentioned; an edit notifies nobody
      const teams = isDirect(place) ? [] : standing.item?.teams;
      const drawn = draw(about, await ports(place, about, teams));
      const message = about.repeat ? withRemark(drawn) : drawn;
      if (hash(message) === parent.hash) {
        // it looks the same, but answers from before no longer count
        if (standing.readAsOf !== before.readAsOf) await keep(place, parent, item, standing);
        return undefined;
      }
      return {
        kind: 'update',
        entries: [entry.id],
        message,
        events: [],
        parent: parent.ts,
        item,
        posted: async () => ({ item, ts: parent.ts, hash: hash(message), about: plainJson(about) }),
      };
    },

    async digest(
      place: Place,
      entries: readonly (OutboxEntry & { readonly delivery: EventDelivery })[],
      waiting: number,
    ): Promise<Plan> {
      const { message, count } = digest(
        entries.map(({ delivery: { event, item } }) => ({ event, item })),
        waiting,
        await ports(place),
      );
      const shown = entries.slice(0, count);
      return {
        kind: 'digest',
        entries: shown.map(({ id }) => id),
        message,
        events: shown.map(({ delivery: { event } }) => ({ address: event.item.url, event: event.id })),
        async posted() {
          for (const { id, delivery } of shown) {
            const item = delivery.threaded ? delivery.event.item.thread : undefined;
            const parent = await threadOf(place, item);
            if (!parent || item === undefined) continue;
            const standing = stand(parent.about.standing, delivery.event, delivery.item);
            await keep(place, parent, item, standing);
            await redraw(place, item, id);
          }
          return undefined;
        },
      };
    },

    async message(place: Place, entry: OutboxEntry, { message, card, under }: MessageDelivery): Promise<Plan> {
      const common = { entries: [entry.id], message, events: [] };
      const above = under === undefined ? undefined : await store.threads.get(place, under);
      const reply = above && { parent: above.ts, item: under };
      if (card === undefined) return { ...common, ...reply, kind: 'post', posted: async () => undefined };
      const known = await store.threads.get(place, card);
      const mark = { item: card, hash: hash(message) };
      if (known) {
        return {
          ...common,
          kind: 'update',
          parent: known.ts,
          item: card,
          posted: async () => ({ ...mark, ts: known.ts }),
        };
      }
      return { ...common, item: card, ...reply, kind: 'post', posted: async (ts) => ({ ...mark, ts }) };
    },
  };
}
