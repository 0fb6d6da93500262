import { beforeEach } from 'vitest';
import { readPolicyFile } from '../../../src/config/file.js';
import type { Delivery, EventDelivery } from '../../../src/feed/delivery.js';
import type { Event, Unit } from '../../../src/feed/event.js';
import { PostError, type Poster } from '../../../src/feed/ports.js';
import { createForge } from '../../../src/forge/index.js';
import { createGuard } from '../../../src/jobs/deliver/guard.js';
import { createDeliver } from '../../../src/jobs/deliver.js';
import { type FeedDeps, type FeedTempo, withDefaults } from '../../../src/jobs/feed-deps.js';
import { createGate } from '../../../src/jobs/gate.js';
import { createLostChannels } from '../../../src/jobs/lost-channels.js';
import { createWithholding } from '../../../src/jobs/subscription-state.js';
import { createLog } from '../../../src/log.js';
import { type OutboxPlace, type Place, plainJson, type Subscription } from '../../../src/store/index.js';
import type { Message } from '../../../src/view/message.js';
import { events } from '../../feed/samples/events.js';
import { useStore } from '../../support/redis.js';

export const room: Place = { team: 'T1', channel: 'C0ROOM0001' };
export const owner = 'U0ADA00001';

export interface Call {
  readonly kind: 'post' | 'update';
  readonly channel: string;
  readonly id?: string;
  readonly thread?: string | undefined;
  readonly ts: string;
  readonly message: Message;
}

export const mayRepeat = ({ message }: Call): boolean => JSON.stringify(message).includes('may be a repeat');

/** Slack's answer to a call: accepted (undefined), refused, or accepted with the answer lost. */
type Answer = PostError | 'lost' | undefined;

const quick = { intervalMs: 1, burst: 1_000 };

/** Delivery between a real store and an in-memory Slack port; the clock stands still unless a test moves it. */
export function useDelivery(options: { readonly policy?: string; readonly tempo?: Partial<FeedTempo> } = {}) {
  const at = useStore();
  const calls: Call[] = [];
  const counts = new Map<string, number>();
  const asked: { readonly id: string; readonly since: number; readonly thread?: string | undefined }[] = [];
  const world = {
    answer: (_call: Call): Answer => undefined,
    /** The result of reading a channel back if nothing is found. */
    unfound: 'absent' as 'absent' | 'unreadable',
    hidden: false,
    /** Of every repository. */
    ownerId: 3,
    sees: true as boolean | undefined,
    /** The parts of a repository that its owner sees; all if absent. */
    units: undefined as readonly Unit[] | undefined,
    kind: 'public' as 'public' | 'private',
    shared: false,
  };
  const taken: Call[] = [];
  let made: { readonly deps: FeedDeps; readonly deliver: ReturnType<typeof createDeliver> } | undefined;
  const here = () => {
    if (!made) throw new Error('useDelivery() gives its services inside tests only.');
    return made;
  };

  const call = (given: Call): void => {
    calls.push(given);
    const answer = world.answer(given);
    if (answer === undefined || answer === 'lost') taken.push(given);
    if (answer === 'lost') throw new PostError('unknown', 'timeout');
    if (answer) throw answer;
  };
  const poster: Poster = {
    async post({ channel }, { message, id, thread }) {
      const ts = `${calls.length + 1}.0`;
      call({ kind: 'post', channel, id, thread, ts, message });
      return { ts };
    },
    update: async ({ channel }, ts, message) => call({ kind: 'update', channel, ts, message }),
    async find({ channel }, wanted) {
      asked.push(wanted);
      const there = taken.find((each) => each.channel === channel && each.id === wanted.id);
      return world.unfound === 'absent' && there ? { ts: there.ts } : world.unfound;
    },
  };

  beforeEach(() => {
    for (const list of [calls, taken, asked]) list.length = 0;
    counts.clear();
    Object.assign(world, {
      answer: () => undefined,
      unfound: 'absent',
      hidden: false,
      ownerId: 3,
      sees: true,
      units: undefined,
      kind: 'public',
      shared: false,
    });
    // nothing here calls the forge itself
    const service = createForge({ url: 'http://127.0.0.1:9' }).as({ kind: 'anonymous' });
    const deps = withDefaults({
      store: at.store,
      connection: at.redis,
      service,
      has: async () => true,
      as: async () => service,
      poster,
      slack: {
        channel: async () => ({
          kind: world.kind,
          shared: world.shared,
          member: true,
          archived: false,
          checkedAt: at.now(),
        }),
        user: async () => ({ zone: 0, deleted: false }),
        directMessage: async (user) => `D${user}`,
      },
      people: {
        slackUserOf: async (_team, login) => (login === 'grace' ? 'U0GRACE001' : undefined),
        loginOf: async () => undefined,
      },
      policy: readPolicyFile(options.policy ?? '', 'bellows.yaml'),
      team: room.team,
      log: createLog({ level: 'silent' }),
      now: at.now,
      tempo: { posts: { team: quick, channel: quick }, updates: quick, ...options.tempo },
      count: (name, amount = 1) => counts.set(name, (counts.get(name) ?? 0) + amount),
    });
    const gate = createGate(deps, { isHidden: async () => world.hidden }, async (_who, _repo, unit) =>
      unit && world.units ? world.units.includes(unit) : world.sees,
    );
    const withholding = createWithholding(deps, gate);
    const repos = { ownerOf: async () => world.ownerId };
    const guard = createGuard(deps, { gate, withholding, lost: createLostChannels(deps), repos });
    made = { deps, deliver: createDeliver(deps, guard) };
  });

  /** As fan-out would write it. */
  const body = (event: Event, more: Partial<EventDelivery> = {}): EventDelivery => ({
    type: 'event',
    event,
    style: 'card',
    threaded: true,
    ...more,
  });

  return {
    at,
    world,
    calls,
    counts,
    asked,
    body,
    get deps() {
      return here().deps;
    },
    deliver: (place: OutboxPlace = room) => here().deliver(place),
    /** Until nothing is queued or everything waits for someone else; the clock follows. */
    async deliverAll(): Promise<void> {
      for (let wait = await here().deliver(room); wait !== undefined; wait = await here().deliver(room)) at.pass(wait);
    },
    /** For each call: whether its message says that it may be a repeat. */
    repeats: () => calls.map(mayRepeat),
    view: (place: OutboxPlace = room) => at.store.outbox.view(place, 100),
    posts: () => taken.filter(({ kind }) => kind === 'post').map(({ message }) => message.text),
    put: (id: string, given: Delivery, place: OutboxPlace = room, card?: string) =>
      at.store.outbox.append(place, [{ id, ...(card && { card }), body: plainJson(given) }]),
    /** Opened issues, each a separate item. */
    async open(...titles: readonly string[]): Promise<void> {
      for (const title of titles) {
        const { item, ...event } = events['issues:opened'];
        const opened = {
          ...event,
          id: `e-${title}`,
          item: { ...item, title, thread: `i-${title}`, url: `${item.url}-${title}` },
        };
        await at.store.outbox.append(room, [{ id: `e-${title}`, body: plainJson(body(opened)) }]);
      }
    },
    async subscribe(more: Partial<Pick<Subscription, 'target' | 'paused'>> = {}): Promise<Subscription> {
      const sub = { place: room, target: { kind: 'repo', id: 12 }, owner, filter: {}, ...more } as const;
      return at.store.subscriptions.put(sub, 'acme/engine');
    },
  };
}
