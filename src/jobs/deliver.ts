import { z } from 'zod';
import { isAwaited } from '../features/pulls/nudge.js';
import type { AwaitedReview, Delivery, EventDelivery } from '../feed/delivery.js';
import { type Event, type Kind, unitsOf } from '../feed/event.js';
import { PostError } from '../feed/ports.js';
import { ApiError } from '../forge/index.js';
import {
  type Intent,
  type Lease,
  type OutboxEntry,
  type OutboxPlace,
  type OutboxView,
  type Place,
  type Store,
  stoppedTheWorker,
  type Trouble,
} from '../store/index.js';
import { type Message, say } from '../view/message.js';
import { link, md } from '../view/text.js';
import type { Guard } from './deliver/guard.js';
import { addRemark, createPlanner, digestId, type Plan } from './deliver/plan.js';
import { type FeedDeps, mostDeaths } from './feed-deps.js';
import { reminderMessage } from './remind.js';

/** How often each form of a message is tried: unchanged, as plain text, only its link. */
const tries = { full: 3, plain: 2, link: 1 } as const;
const longestWaitMs = 60_000;
/** Limits copies that cannot be told from their original. */
const mostCopies = 3;

/** @internal A digest that Slack refuses in every form is split. */
export const isSeveral = ({ kind, entries }: Plan): boolean => kind === 'digest' && entries.length > 1;

/** @internal Undefined: Slack refuses it in every form. */
export function formOf(plan: Plan, failures: number): Plan | undefined {
  if (failures < tries.full) return plan;
  if (plan.kind === 'update') return undefined;
  if (failures < tries.full + tries.plain) return { ...plan, message: plainly(plan) };
  // one link could not represent all of them
  if (isSeveral(plan)) return undefined;
  const [first] = plan.events;
  if (failures >= tries.full + tries.plain + tries.link || !first) return undefined;
  return { ...plan, message: { ...say(md`New activity: ${link(first.address, first.address)}`), blocks: [] } };
}

/** @internal Slack clearly refused this form, so the next one is tried at once. */
export function nextForm(failures: number): number {
  if (failures < tries.full) return tries.full;
  return failures < tries.full + tries.plain ? tries.full + tries.plain : tries.full + tries.plain + tries.link;
}

/** @internal Tested on its own. */
export const waitAfter = (failures: number, firstMs: number): number =>
  Math.min(longestWaitMs, firstMs * 2 ** Math.min(16, Math.max(0, failures - 1)));

/** Links are only in the blocks; a digest's title is only in its text. */
function plainly({ kind, message }: Plan): Message {
  const lines = message.blocks.flatMap((block) => (block.type === 'section' && block.text ? [block.text.text] : []));
  const text = kind === 'digest' || lines.length === 0 ? [message.text, ...lines] : lines;
  return { text: text.join('\n'), blocks: [] };
}

/** The commands whose public answer says the same as the event. */
const doneBy: { readonly [K in Kind]?: readonly string[] } = {
  'issues:closed': ['issue close'],
  'issues:reopened': ['issue reopen'],
  'pulls:closed': ['issue close', 'pr close'],
  'pulls:reopened': ['issue reopen', 'pr reopen'],
  'pulls:merged': ['pr merge'],
  'reviews:requested': ['pr review'],
  'reviews:approved': ['pr approve'],
  'reviews:rejected': ['pr request-changes'],
  'comments:issue': ['issue comment'],
  'comments:pull': ['issue comment'],
};
const sameDeedMs = 60_000;

const AnyDelivery = z.looseObject({ type: z.enum(['event', 'update', 'message', 'reminder']) });

/** @internal The outbox holds what fan-out wrote into it. */
export function bodyOf({ body }: OutboxEntry): Delivery {
  AnyDelivery.parse(body);
  return body as Delivery; // written by this same program; its type was just checked
}

/** @internal A finished message: never part of a digest. */
export const isWhole = ({ type }: Delivery): boolean => type === 'message' || type === 'reminder';

/** @internal Tested on its own. */
export const isEvent = (body: Delivery): body is EventDelivery => body.type === 'event';

/** A view of an outbox by the holder of its lease. */
interface Turn {
  readonly place: OutboxPlace;
  readonly token: Lease;
  readonly view: OutboxView;
  /** Something here stopped a worker: no digests, so that it shows which. */
  readonly alone?: boolean;
}

/** The entries of the post that was begun. */
const begunIn = ({ intent, entries }: OutboxView): readonly OutboxEntry[] =>
  intent ? entries.filter(({ id }) => intent.entries.includes(id)) : [];

/** What a process that died was sending, or would have sent. */
const nextIn = (view: OutboxView): readonly OutboxEntry[] => (view.intent ? begunIn(view) : view.entries.slice(0, 1));

/** What was set aside before gets one try, so that it does not stop as many workers again. */
const mostDeathsOf = (view: OutboxView): number => (nextIn(view).some(({ asides }) => asides) ? 1 : mostDeaths);

/** The post that was begun may be there, and nobody may look: its entries say so from now on. */
function markDoubtful({ view, ...turn }: Turn): Turn {
  const begun = new Set(begunIn(view));
  const entries = view.entries.map((entry) => (begun.has(entry) ? { ...entry, unsure: true as const } : entry));
  return { ...turn, view: { ...view, entries } };
}

/** How often Slack refused the message that starts with this entry. */
const troubleOf = ({ trouble }: OutboxView, first: string | undefined): Trouble | undefined =>
  trouble?.id === first ? trouble : undefined;

/** The post that was begun is not resumed: its entries wait for another try. */
const again = ({ outbox }: Store, { place, token, view }: Turn, id: string, at?: number): Promise<boolean> =>
  outbox.again(place, token, id, { at, posted: begunIn(view).filter(({ unsure }) => unsure) });

type EventEntry = OutboxEntry & { readonly delivery: EventDelivery };

const eventsOf = (entries: readonly OutboxEntry[]): EventEntry[] =>
  entries.flatMap((entry) => {
    const delivery = bodyOf(entry);
    return isEvent(delivery) ? [{ ...entry, delivery }] : [];
  });

/** Chooses what is sent next, and in which form. */
function createChooser(deps: FeedDeps, guard: Guard) {
  const { store, policy } = deps;
  const planner = createPlanner(deps);

  /** Drops the entry; a post that was begun ends with it. */
  async function drop({ place, token, view }: Turn, id: string): Promise<undefined> {
    await (view.intent ? store.outbox.finish(place, token, view.intent.id) : store.outbox.drop(place, token, [id]));
    return undefined;
  }

  /** Undefined if the entry was dropped instead. */
  async function single(turn: Turn, entry: OutboxEntry): Promise<Plan | undefined> {
    const { place } = turn;
    const body = bodyOf(entry);
    if (body.type === 'update' || body.type === 'message') {
      const shown = !body.of || (await guard.about(place, body.of)).allowed;
      if (!shown) return drop(turn, entry.id);
      if (body.type === 'message')
        return !body.awaits || (await stillAwaits(place, body.awaits))
          ? planner.message(place, entry, body)
          : drop(turn, entry.id);
      return (await planner.update(place, entry, body)) ?? drop(turn, entry.id);
    }
    if (body.type === 'reminder') {
      const parts = await guard.reminder(place, body);
      if (parts.length === 0) return drop(turn, entry.id);
      return planner.message(place, entry, { type: 'message', message: reminderMessage(parts) });
    }
    if (await isEcho(place, body)) {
      // nothing is posted, but its card shows it
      const mark = await (await planner.event(place, entry, body)).posted('');
      if (mark?.ts) await store.threads.put(place, mark);
      return drop(turn, entry.id);
    }
    const allowed = await guard.event(place, body);
    if (allowed.allowed) return planner.event(place, entry, body);
    // that is about the channel, not this entry: everything waits
    if (allowed.reason === 'shared') throw new PostError('channel', 'shared');
    await guard.withhold(place, body, allowed);
    return drop(turn, entry.id);
  }

  /** Those who signed out, or whose account the forge refuses, remind nobody. */
  async function stillAwaits(place: Place, review: AwaitedReview): Promise<boolean> {
    if (review.until !== undefined && deps.now() > review.until) return false;
    const api = review.by ? await deps.as(review.by) : deps.service;
    if (!api || !(await guard.review(place, review))) return false;
    return isAwaited(review, api).catch((error: unknown) => {
      if (error instanceof ApiError && (error.kind === 'forbidden' || error.kind === 'unauthorized')) return false;
      throw error;
    });
  }

  /** Whether a comment came from a reply in this channel's thread; while a reply is being posted, nobody can tell yet. */
  async function isEcho(place: Place, body: EventDelivery): Promise<boolean> {
    const { event, threaded } = body;
    if (threaded && (await isAnswered(place, event))) return true;
    if (await planner.isOnCard(place, body)) return true;
    if (!('comment' in event) || event.comment === undefined || event.item.thread === undefined) return false;
    if (await store.replies.isFromHere(place, event.comment)) return true;
    if (await store.replies.isUnderWay(place, event.item.thread)) throw new PostError('unknown', 'reply_under_way');
    return false;
  }

  /** Whether an answer in its item's thread here already says it. */
  async function isAnswered(place: Place, { kind, actor, item, at }: Event): Promise<boolean> {
    if (actor === null || item.thread === undefined) return false;
    for (const command of doneBy[kind] ?? []) {
      const said = await store.replies.saidAt(place, item.thread, actor.login, command);
      if (said !== undefined && Math.abs(Date.parse(at) - said) < sameDeedMs) return true;
    }
    return false;
  }

  const waiting = ({ view }: Turn): number => eventsOf(view.entries).length + view.size - view.entries.length;

  /** Events sent as one: a long backlog, or what piled up while the channel was paused. */
  async function together({ place, view: { entries } }: Turn): Promise<EventEntry[]> {
    const stop = entries.findIndex((entry) => isWhole(bodyOf(entry)));
    const events = eventsOf(stop === -1 ? entries : entries.slice(0, stop));
    const loud = events.findIndex(({ delivery }) => !delivery.canWait);
    const quiet = loud === -1 ? events : events.slice(0, loud);
    // a channel that is back gets everything it missed at once
    const back = events.length > 1 && (await store.lostChannels.has(place));
    const many = events.length > policy.feed.digestAbove || place.lane !== undefined || back ? events : quiet;
    return keepPermitted(place, many);
  }

  /** Entries that may not be shown are left for `single`, which withholds them. */
  async function keepPermitted(place: Place, events: readonly EventEntry[]): Promise<EventEntry[]> {
    const alike = ({ subscription, event }: EventDelivery) =>
      `${event.repo.id} ${unitsOf(event)} ${subscription ?? ''}`;
    const refused = new Set<string>();
    for (const [key, delivery] of new Map(events.map(({ delivery }) => [alike(delivery), delivery])))
      if (!(await guard.event(place, delivery)).allowed) refused.add(key);
    const shown = events.filter(({ delivery }) => !refused.has(alike(delivery)));
    const echoes = await Promise.all(shown.map(({ delivery }) => isEcho(place, delivery)));
    return shown.filter((_, at) => !echoes[at]);
  }

  /** A digest that was begun is posted unchanged, or replaced by what may be shown now. */
  async function sameDigest(turn: Turn, entries: readonly OutboxEntry[], posted: boolean): Promise<Plan | undefined> {
    const { place, view, alone } = turn;
    const recompose = async (): Promise<undefined> => {
      await again(store, turn, view.intent?.id ?? '');
      return undefined;
    };
    if (alone && !posted) return recompose();
    const events = eventsOf(entries);
    const plan = await planner.digest(place, events, waiting(turn));
    if (
      posted ||
      ((await keepPermitted(place, events)).length === events.length && plan.entries.length === events.length)
    )
      return plan;
    return recompose();
  }

  return {
    async next(turn: Turn): Promise<Plan | undefined> {
      const [first] = turn.view.entries;
      if (!first) return undefined;
      const most = troubleOf(turn.view, first.id)?.most;
      const many = turn.alone || isWhole(bodyOf(first)) ? [] : (await together(turn)).slice(0, most);
      const joined = many.length > (turn.place.lane !== undefined && most === undefined ? 0 : 1);
      return joined ? planner.digest(turn.place, many, waiting(turn)) : single(turn, first);
    },

    /** The same plan for a post that was begun before and may already be there. */
    async again(
      turn: Turn,
      kind: Plan['kind'],
      entries: readonly OutboxEntry[],
      posted: boolean,
    ): Promise<Plan | undefined> {
      const [first] = entries;
      if (kind === 'digest') return sameDigest(turn, entries, posted);
      return first && single(turn, first);
    },
  };
}

/** Continue, wait this many milliseconds, or stop; empty: nothing is left, and the lease has ended. */
type Verdict = 'on' | 'stop' | 'empty' | number;

const tokenPauseMs = 5 * 60_000;

/** One call to Slack under a recorded intent, and what each outcome means for the outbox. */
function createSender({ store, poster, now, tempo, log, count }: FeedDeps) {
  const { outbox, pace } = store;

  const scopeOf = (place: Place, { kind }: Plan): string =>
    kind === 'update' ? `update:${place.team}` : `post:${place.team}:${place.channel}`;
  const rateOf = ({ kind }: Plan) => (kind === 'update' ? tempo.updates : tempo.posts.channel);

  const failuresOf = ({ view }: Turn, plan: Plan): Trouble | undefined => troubleOf(view, plan.entries[0]);

  const mayRepeat = ({ view }: Turn, { kind, entries }: Plan): boolean =>
    kind !== 'update' && view.entries.some(({ id, unsure }) => unsure && entries.includes(id));

  /** What was set aside before is tried once, so that it holds up nothing. */
  const formFor = (turn: Turn, plan: Plan, failures: number): Plan | undefined => {
    const isRetry = turn.view.entries.some(({ id, asides }) => asides && plan.entries.includes(id));
    return isRetry && failures > 0 ? undefined : formOf(plan, failures);
  };

  async function send(turn: Turn, id: string, wanted: Plan): Promise<Verdict> {
    const form = formFor(turn, wanted, failuresOf(turn, wanted)?.count ?? 0);
    if (!form) return giveUp(turn, id, wanted, failuresOf(turn, wanted)?.code ?? 'unknown', true);
    const plan = mayRepeat(turn, form) ? addRemark(form) : form;
    try {
      if (plan.kind === 'update') {
        await poster.update(turn.place, plan.parent ?? '', plan.message);
        count('updates');
        return await finish(turn, id, plan, plan.parent ?? '');
      }
      const { ts } = await poster.post(turn.place, { message: plan.message, id, thread: plan.parent });
      count(plan.kind === 'digest' ? 'digests' : 'posts');
      return await finish(turn, id, plan, ts);
    } catch (error) {
      if (!(error instanceof PostError)) throw error;
      return handleFailure(turn, id, wanted, error);
    }
  }

  async function finish(turn: Turn, id: string, plan: Plan, ts: string): Promise<Verdict> {
    const { place, token } = turn;
    const mark = await plan.posted(ts);
    const shown = { ts, events: plan.events };
    const ends = turn.view.aside === 0;
    const left = await outbox.finish(place, token, id, { mark, shown, ends });
    if (left === undefined) return 'stop';
    if (ends) return left === 0 ? 'empty' : 'on';
    await outbox.revive(place, token, true);
    return 'on';
  }

  /** Slack answered but refused it: counted, then tried in another form, then set aside. */
  async function handleRefusal(turn: Turn, id: string, plan: Plan, { code, kind }: PostError): Promise<Verdict> {
    const before = failuresOf(turn, plan);
    const failures = kind === 'message' ? nextForm(before?.count ?? 0) : (before?.count ?? 0) + 1;
    const since = before?.since ?? now();
    const most = before?.most === undefined ? {} : { most: before.most };
    await outbox.note(turn.place, { id: plan.entries[0] ?? '', count: failures, since, code, ...most });
    const over = !formFor(turn, plan, failures);
    const wait = over ? tempo.confirmMs : waitAfter(failures, tempo.confirmMs);
    if (kind === 'unknown') {
      // looked for before it is split or set aside
      await outbox.wait(turn.place, now() + wait);
      return Math.max(1, wait);
    }
    if (over) return giveUp(turn, id, plan, code, kind !== 'message');
    await again(store, turn, id, kind === 'message' ? undefined : now() + wait);
    return kind === 'message' ? 'on' : Math.max(1, wait);
  }

  /** A single entry may spoil a digest: half of them are tried next. */
  async function giveUp(turn: Turn, id: string, plan: Plan, code: string, retry: boolean): Promise<Verdict> {
    if (!isSeveral(plan)) return aside(turn, id, plan, code, retry);
    const { place } = turn;
    const most = Math.floor(plan.entries.length / 2);
    log.warn(
      { channel: place.channel, entries: plan.entries.length, reason: code },
      'Slack rejected a digest: splitting it',
    );
    await outbox.note(place, { id: plan.entries[0] ?? '', count: 0, since: now(), code, most });
    return (await again(store, turn, id)) ? 'on' : 'stop';
  }

  /** Kept and listed for a week; the rest continues. */
  async function aside(turn: Turn, id: string, plan: Plan, code: string, retry: boolean): Promise<Verdict> {
    const { place, token, view } = turn;
    const entries = view.entries.filter((entry) => plan.entries.includes(entry.id));
    const addresses = plan.events.map(({ address }) => address);
    log.error(
      { channel: place.channel, entries: plan.entries, addresses, reason: code },
      'a message could not be posted: set aside',
    );
    count('aside', entries.length);
    // of what may be there already, no more copies than one other try makes
    const isCopied = entries.some(({ unsure, asides }) => unsure && asides);
    const retried = retry && plan.kind !== 'update' && !isCopied;
    return (await outbox.setAside(place, token, { intent: id, entries, code, retry: retried })) ? 'on' : 'stop';
  }

  async function handleFailure(turn: Turn, id: string, plan: Plan, error: PostError): Promise<Verdict> {
    const { place, token } = turn;
    log.warn({ channel: place.channel, reason: error.code, kind: error.kind }, 'Slack rejected a message');
    switch (error.kind) {
      case 'limited':
        await pace.hold(scopeOf(place, plan), rateOf(plan), error.retryAfterMs);
        // an earlier attempt with unknown outcome stays on record
        if (turn.view.intent) await outbox.wait(place, now() + error.retryAfterMs);
        else await again(store, turn, id, now() + error.retryAfterMs);
        return Math.max(1, error.retryAfterMs);
      case 'unknown':
      case 'unlisted':
      case 'message':
        return handleRefusal(turn, id, plan, error);
      case 'gone':
        if (plan.item !== undefined) await store.threads.forget(place, plan.item);
        await (plan.kind === 'update' ? outbox.finish(place, token, id) : again(store, turn, id));
        return 'on';
      case 'channel':
        await again(store, turn, id);
        throw error;
      case 'token':
        await again(store, turn, id);
        await outbox.pause(place, `Slack refuses the bot (${error.code}).`, now() + tokenPauseMs);
        return 'stop';
    }
  }

  return {
    send,
    finish,
    aside,
    /** 0: go. Each scope has its own pace, so that none waits for another. */
    async takePace(place: Place, plan: Plan): Promise<number> {
      const own = [scopeOf(place, plan), rateOf(plan)] as const;
      return pace.takeAll(plan.kind === 'update' ? [own] : [own, [`post:${place.team}`, tempo.posts.team]]);
    },
  };
}

/** Milliseconds until there is more to do; undefined if this outbox needs nothing now. `touched`: how often it was added to. */
export type Deliver = (place: OutboxPlace, touched?: number) => Promise<number | undefined>;

const viewSize = 200;
const stepsPerTurn = 100;
const waitForOthersMs = 10_000;

const Note = z.object({ kind: z.enum(['post', 'digest', 'update']), thread: z.string().optional() });

/** Drains one channel's outbox in order; only one worker at a time. */
export function createDeliver(deps: FeedDeps, guard: Guard): Deliver {
  const { store, poster, now, tempo, log } = deps;
  const { outbox } = store;
  const chooser = createChooser(deps, guard);
  const sender = createSender(deps);

  return async (place, touched) => {
    // before it is looked at: what is added after that stays known
    const seen = touched ?? (await outbox.additionsOf(place));
    const opened = await outbox.open(place, tempo.leaseMs, viewSize);
    if (!opened) return undefined;
    const { token, deaths } = opened;
    let end: Verdict | undefined;
    try {
      const first = deaths >= mostDeathsOf(opened.view) ? await withoutFirst(place, opened) : opened.view;
      end = await drain({ place, token, view: first, alone: deaths > 0 });
    } finally {
      if (end !== 'empty') await outbox.lease(place).release(token);
    }
    if (end === 'empty' && seen !== undefined) await outbox.rest(place, seen);
    return typeof end === 'number' ? end : undefined;
  };

  /** The first entry may be what stops the worker; the others continue without it, and it is tried again later. */
  async function withoutFirst(place: OutboxPlace, { token, view }: Pick<Turn, 'token' | 'view'>): Promise<OutboxView> {
    const { intent } = view;
    const begun = nextIn(view);
    log.error({ channel: place.channel, entries: begun.map(({ id }) => id) }, 'set aside: it stopped the worker');
    deps.count('aside', begun.length);
    await outbox.setAside(place, token, {
      ...(intent && { intent: intent.id }),
      entries: begun,
      code: stoppedTheWorker,
      retry: true,
    });
    return outbox.view(place, viewSize);
  }

  /** `alone`: a process died on this outbox, so entries are sent one at a time until the culprit comes first. */
  async function drain({ place, token, view: first, alone = false }: Turn): Promise<Verdict> {
    for (let step = 0; step < stepsPerTurn; step++) {
      // the entry that was first is not the culprit
      if (alone && step > 0) await outbox.lease(place).forgive(token);
      const view = step === 0 ? first : await outbox.viewAgain(place, token, tempo.leaseMs, viewSize);
      if (!view || view.pause) return 'stop';
      if (view.notBefore !== undefined) return Math.max(1, view.notBefore - now());
      if (step === 0 && view.aside > 0 && (await outbox.revive(place, token)) > 0) continue;
      if (view.size === 0) {
        await outbox.lease(place).release(token);
        return 'empty';
      }
      const verdict = await take({ place, token, view, alone });
      if (verdict !== 'on') return verdict;
    }
    return 1;
  }

  async function take(turn: Turn): Promise<Verdict> {
    try {
      return await (turn.view.intent ? resume(turn, turn.view.intent) : begin(turn));
    } catch (error) {
      if (error instanceof PostError && error.kind === 'channel') {
        await guard.lose(turn.place, error.code);
        return 'stop';
      }
      // neither Slack nor the forge could say whether this may be shown: it waits
      if (error instanceof PostError || error instanceof ApiError) {
        log.warn({ channel: turn.place.channel, reason: error.message }, 'a delivery is waiting');
        return waitForOthersMs;
      }
      throw error;
    }
  }

  /** The lease must outlive the following call, or another worker would take over the post. */
  function stillOurs(place: OutboxPlace, token: Lease): Promise<boolean> {
    return outbox.lease(place).renew(token, tempo.leaseMs);
  }

  async function begin(turn: Turn): Promise<Verdict> {
    const plan = await chooser.next(turn);
    if (!plan) return 'on';
    const wait = await sender.takePace(turn.place, plan);
    if (wait > 0) return wait;
    const id = plan.kind === 'digest' ? digestId(plan.entries) : (plan.entries[0] ?? '');
    const note = { kind: plan.kind, ...(plan.kind === 'post' && plan.parent !== undefined && { thread: plan.parent }) };
    const { place, token } = turn;
    const begun = await outbox.begin(place, token, { id, entries: [...plan.entries], note }, tempo.leaseMs);
    return begun ? sender.send(turn, id, plan) : 'stop';
  }

  /** A post was begun and its outcome never recorded: check before posting again. */
  async function resume(begun: Turn, intent: Intent): Promise<Verdict> {
    const { place, token, view } = begun;
    const early = intent.at + tempo.confirmMs - now();
    if (early > 0) return early;
    const entries = begunIn(view);
    const note = Note.safeParse(intent.note);
    if (entries.length === 0 || !note.success) {
      await outbox.finish(place, token, intent.id);
      return 'on';
    }
    const { kind, thread } = note.data;
    const wanted = { id: intent.id, since: intent.at, thread };
    // drawing a card twice does no harm
    const found = kind === 'update' ? 'absent' : await poster.find(place, wanted);
    const turn = found === 'unreadable' ? markDoubtful(begun) : begun;
    const plan = await chooser.again(turn, kind, entries, typeof found === 'object');
    if (!plan) return 'on';
    if (!(await stillOurs(place, token))) return 'stop';
    if (kind === 'update') return sender.send(turn, intent.id, plan);
    deps.count('settled');
    if (typeof found === 'object') return sender.finish(turn, intent.id, plan, found.ts);
    if (found === 'absent') return sender.send(turn, intent.id, plan);
    const copies = troubleOf(view, intent.entries[0]);
    // it may well be there, several times; tried again once
    if (copies && copies.count >= mostCopies) return sender.aside(turn, intent.id, plan, copies.code, true);
    deps.count('repeated');
    return sender.send(turn, intent.id, plan);
  }
}
