import { z } from 'zod';
import { realPlace } from '../feed/lanes.js';
import { PostError } from '../feed/ports.js';
import { ApiError } from '../forge/index.js';
import { type Intent, type Lease, type Place, stoppedTheWorker } from '../store/index.js';
import type { Guard } from './deliver/guard.js';
import { mostCopies } from './deliver/ladder.js';
import { createChooser } from './deliver/next.js';
import { digestId } from './deliver/plan.js';
import { createSender, type Verdict } from './deliver/send.js';
import { begunIn, doubted, type Turn, troubleOf } from './deliver/turn.js';
import { type FeedDeps, mostDeaths } from './feed-deps.js';

/** Milliseconds until there is more to do; undefined if this outbox needs nothing now. */
export type Deliver = (place: Place) => Promise<number | undefined>;

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

  return async (place) => {
    const lease = outbox.lease(place);
    const opened = await lease.open(tempo.leaseMs);
    if (!opened) return undefined;
    const { token, deaths } = opened;
    try {
      if (deaths >= mostDeaths) await setFirstAside(place, token);
      return await drain(place, token, deaths > 0);
    } finally {
      await lease.release(token);
    }
  };

  /** The first entry may be what stops the worker; the others continue without it, and it is tried again later. */
  async function setFirstAside(place: Place, token: Lease): Promise<void> {
    const view = await outbox.view(place, viewSize);
    const { intent } = view;
    const begun = intent ? begunIn(view) : view.entries.slice(0, 1);
    log.error({ channel: place.channel, entries: begun.map(({ id }) => id) }, 'set aside: it stopped the worker');
    deps.count('aside', begun.length);
    await outbox.setAside(place, token, {
      ...(intent && { intent: intent.id }),
      entries: begun,
      code: stoppedTheWorker,
      retry: true,
    });
  }

  /** `alone`: a process died on this outbox, so entries are sent one at a time until the culprit comes first. */
  async function drain(place: Place, token: Lease, alone: boolean): Promise<number | undefined> {
    for (let step = 0; step < stepsPerTurn; step++) {
      // the entry that was first is not the culprit
      if (alone && step > 0) await outbox.lease(place).forgive(token);
      const [view, ours] = await Promise.all([outbox.view(place, viewSize), stillOurs(place, token)]);
      if (!ours || view.pause) return undefined;
      if (view.notBefore !== undefined) return Math.max(1, view.notBefore - now());
      if (step === 0 && view.aside > 0 && (await outbox.revive(place, token)) > 0) continue;
      if (view.size === 0) {
        await Promise.all([outbox.rest(place), store.lostChannels.countAnew(place)]);
        return undefined;
      }
      const verdict = await take({ place, token, view, alone });
      if (verdict === 'stop') return undefined;
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
  function stillOurs(place: Place, token: Lease): Promise<boolean> {
    return outbox.lease(place).renew(token, tempo.leaseMs);
  }

  async function begin(turn: Turn): Promise<Verdict> {
    const plan = await chooser.next(turn);
    if (!plan) return 'on';
    const wait = await sender.paced(turn.place, plan);
    if (wait > 0) return wait;
    const id = plan.kind === 'digest' ? digestId(plan.entries) : (plan.entries[0] ?? '');
    const note = { kind: plan.kind, ...(plan.kind === 'post' && plan.parent !== undefined && { thread: plan.parent }) };
    const { place, token } = turn;
    const [begun] = await Promise.all([
      outbox.begin(place, token, { id, entries: [...plan.entries], note }),
      stillOurs(place, token),
    ]);
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
      await outbox.done(place, token, intent.id);
      return 'on';
    }
    const { kind, thread } = note.data;
    const wanted = { id: intent.id, since: intent.at, thread };
    // drawing a card twice does no harm
    const found = kind === 'update' ? 'absent' : await poster.find(realPlace(place), wanted);
    const turn = found === 'unreadable' ? doubted(begun) : begun;
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
