import { realPlace } from '../../feed/lanes.js';
import { PostError } from '../../feed/ports.js';
import type { Place, Trouble } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';
import { formOf, isSeveral, nextForm, waitAfter } from './ladder.js';
import { type Plan, remarked } from './plan.js';
import { again, type Turn, troubleOf } from './turn.js';

/** Continue, wait this many milliseconds, or stop. */
export type Verdict = 'on' | 'stop' | number;

const tokenPauseMs = 5 * 60_000;

/** One call to Slack under a recorded intent, and what each outcome means for the outbox. */
export function createSender({ store, poster, now, tempo, log, count }: FeedDeps) {
  const { outbox, pace } = store;

  const scopeOf = (place: Place, { kind }: Plan): string =>
    kind === 'update' ? `update:${place.team}` : `post:${place.team}:${realPlace(place).channel}`;
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
    const plan = mayRepeat(turn, form) ? remarked(form) : form;
    const spot = realPlace(turn.place);
    try {
      if (plan.kind === 'update') {
        await poster.update(spot, plan.parent ?? '', plan.message);
        count('updates');
        return await finish(turn, id, plan, plan.parent ?? '');
      }
      const { ts } = await poster.post(spot, { message: plan.message, id, thread: plan.parent });
      count(plan.kind === 'digest' ? 'digests' : 'posts');
      return await finish(turn, id, plan, ts);
    } catch (error) {
      if (!(error instanceof PostError)) throw error;
      return failed(turn, id, wanted, error);
    }
  }

  async function finish(turn: Turn, id: string, plan: Plan, ts: string): Promise<Verdict> {
    const mark = await plan.posted(ts);
    if (!(await outbox.done(turn.place, turn.token, id, mark))) return 'stop';
    await store.decisions.recordMessage(realPlace(turn.place), ts, plan.events);
    if (turn.view.aside > 0) await outbox.revive(turn.place, turn.token, true);
    return 'on';
  }

  /** Slack answered but refused it: counted, then tried in another form, then set aside. */
  async function refused(turn: Turn, id: string, plan: Plan, { code, kind }: PostError): Promise<Verdict> {
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

  async function failed(turn: Turn, id: string, plan: Plan, error: PostError): Promise<Verdict> {
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
      case 'strange':
      case 'message':
        return refused(turn, id, plan, error);
      case 'gone':
        for (const where of plan.item === undefined ? [] : [place, realPlace(place)])
          await store.threads.forget(where, plan.item ?? '');
        await (plan.kind === 'update' ? outbox.done(place, token, id) : again(store, turn, id));
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
    async paced(place: Place, plan: Plan): Promise<number> {
      const wait = await pace.take(scopeOf(place, plan), rateOf(plan));
      return wait > 0 || plan.kind === 'update' ? wait : pace.take(`post:${place.team}`, tempo.posts.team);
    },
  };
}
