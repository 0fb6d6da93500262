import { beforeEach, describe, expect, it } from 'vitest';
import { parseFilter } from '../../src/feed/filter.js';
import { plainJson } from '../../src/store/index.js';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const timeout = 60_000;
const names = Array.from({ length: 11 }, (_, at) => `acme/part-${at}`);
const filter = plainJson(parseFilter('issues'));
const feeds = 'GET /repos/{owner}/{repo}/activities/feeds';

describe('many repositories of one owner', () => {
  const services = useFeed({ policy: 'feed: { busySeconds: 15, idleSeconds: 300 }' });

  /** Lives through some time like a worker, from one due source to the next. */
  async function live(seconds: number): Promise<void> {
    const { store, jobs } = services;
    const end = services.now() + seconds * 1_000;
    for (let looked = 0; services.now() < end; ) {
      const due = (await store.sources.list()).map(({ dueAt }) => dueAt);
      services.pass(Math.max(1, Math.min(end, ...due) - services.now()));
      if (services.now() - looked > 300_000) {
        await jobs.steps.reconcile();
        looked = services.now();
      }
      for (const due of await store.sources.claimDue(1_000, 60_000)) await jobs.steps.poll(due);
    }
    await services.deliver();
  }
  /** A long time without activity. */
  async function rest(): Promise<void> {
    await services.poll();
    for (const { source, state } of await services.store.sources.list())
      await services.store.sources.note(source, { ...state, tempoMs: 3_600_000 });
    await services.poll();
  }
  const issue = (repo: string, title: string) => services.forge.world.openIssue({ as: 'grace', repo, title });
  const follow = async (isPrivate = false) => {
    for (const full of names) {
      const name = full.replace('acme/', '');
      services.forge.world.createRepo({ as: 'ada', owner: 'acme', name, private: isPrivate });
      // not all in one second, or a page of ten could hide what is behind it
      services.pass(1_000);
      const place = { team: services.slack.teamId, channel: isPrivate ? 'C0PRIVATE1' : engine };
      const target = { kind: 'repo', id: services.forge.world.repo(full).id } as const;
      await services.store.subscriptions.put({ place, target, owner: 'U0ADA00001', filter }, full);
    }
    services.pass(61_000);
    await rest();
  };

  describe('that are public', () => {
    beforeEach(() => follow(), timeout);

    it('are hardly polled while nothing happens, and posted soon, because the owner’s feed shows what had activity', {
      timeout,
    }, async () => {
      services.forge.requests.clear();
      await live(3_600);
      // polled separately it would be twelve an hour, and six more to check the name
      expect(services.forge.requests.of(feeds).length).toBeLessThanOrEqual(2 * names.length);
      expect(services.forge.requests.all.length).toBeLessThan(8 * names.length);
      issue('acme/part-7', 'Leak');
      await live(105);
      expect(services.shown(engine)).toEqual([expect.stringContaining('Leak')]);
    });

    it('are not read again for what a webhook made them read before, and for anything else they are', {
      timeout,
    }, async () => {
      const id = services.forge.world.repo('acme/part-7').id;
      const read = async (wake: () => Promise<unknown>) => {
        services.forge.requests.clear();
        await wake();
        for (const due of await services.store.sources.claimDue(1_000, 60_000)) await services.jobs.steps.poll(due);
        return services.forge.requests.of(feeds).length;
      };
      const ownerFeed = async () => {
        const owner = (await services.store.sources.list()).find(({ source }) => source.startsWith('owner-'));
        await services.store.sources.wake(owner?.source ?? '');
        for (const due of await services.store.sources.claimDue(1_000, 60_000)) await services.jobs.steps.poll(due);
      };
      issue('acme/part-7', 'Leak');
      expect(await read(() => services.jobs.wakeRepository(id))).toBe(1);
      expect(await read(ownerFeed)).toBe(0);
      // in the same second, and without a webhook
      issue('acme/part-7', 'Flood');
      expect(await read(ownerFeed)).toBeGreaterThan(0);
      await services.deliver();
      expect(services.shown(engine)).toEqual([expect.stringContaining('Leak'), expect.stringContaining('Flood')]);
      // in another second, with as many rows as were read before
      services.pass(5_000);
      issue('acme/part-7', 'Drip');
      expect(await read(ownerFeed)).toBeGreaterThan(0);
      await services.deliver();
      expect(services.shown(engine).at(-1)).toContain('Drip');
    });

    it('are woken even if the worker dies right after it read the owner’s feed', { timeout }, async () => {
      const { store } = services;
      issue('acme/part-7', 'Leak');
      const { wake } = store.sources;
      let calls = 0;
      store.sources.wake = async (...keys) => {
        calls += 1;
        if (calls === 1) throw new Error('Connection is closed.');
        return wake(...keys);
      };
      await live(410);
      expect(calls).toBeGreaterThan(1);
      expect(services.shown(engine)).toEqual([expect.stringContaining('Leak')]);
    });

    it('are told from their first event, even if the worker dies between owner’s feed and mark', {
      timeout,
    }, async () => {
      await services.subscribe(engine, 'acme/*', 'issues');
      await live(5);
      services.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'part-new' });
      services.pass(1_000);
      issue('acme/part-new', 'Leak');
      const { marks } = services.store;
      const { begin } = marks;
      let calls = 0;
      marks.begin = async (...args) => {
        calls += 1;
        if (calls === 1) throw new Error('Connection is closed.');
        return begin(...args);
      };
      await live(700);
      expect(calls).toBeGreaterThan(1);
      expect(services.shown(engine)).toEqual([expect.stringContaining('Leak')]);
    });

    it('are polled as often as before while the owner’s feed cannot be read', { timeout }, async () => {
      const trouble = { status: 500 };
      services.forge.faults.add({ on: /users\/acme\/activities/, times: 10_000, trouble });
      await live(45 * 60);
      issue('acme/part-7', 'Leak');
      await live(345);
      expect(services.shown(engine)).toEqual([expect.stringContaining('Leak')]);
    });

    it('stay with the owner’s feed if their own is read before it could have shown the event', {
      timeout,
    }, async () => {
      // as far off as it likes: only the forge's own clock counts
      services.setForgeClock(-3_600_000);
      const part = (await services.store.sources.list()).find(({ state }) => JSON.stringify(state).includes('part-7"'));
      if (!part) throw new Error('it is polled');
      await services.store.sources.note(part.source, { ...part.state, askedAt: 0, told: true });
      issue('acme/part-7', 'Leak');
      services.pass(100_000);
      await services.store.sources.wake(part.source);
      for (const due of await services.store.sources.claimDue(1, 60_000)) await services.jobs.steps.poll(due);
      expect(await services.store.sources.get(part.source)).toMatchObject({ told: true, newAt: services.now() });
    });

    it('are polled more often again if the owner’s feed missed one', { timeout }, async () => {
      const { world } = services.forge;
      const [bot, owner] = [world.user('ada'), world.user('acme')];
      if (!bot || !owner) throw new Error('nobody there');
      bot.admin = false;
      owner.hideActivity = true;
      issue('acme/part-7', 'Leak');
      await live(50 * 60);
      expect(services.shown(engine)).toEqual([expect.stringContaining('Leak')]);
      await rest();
      issue('acme/part-7', 'Drip');
      await live(345);
      expect(services.shown(engine)).toEqual([expect.stringContaining('Leak'), expect.stringContaining('Drip')]);
    });
  });

  it('are polled as before while they are private and the owner’s feed never showed them', {
    timeout,
  }, async () => {
    const bot = services.forge.world.user('ada');
    if (bot) bot.admin = false;
    await follow(true);
    services.forge.requests.clear();
    await live(1_200);
    expect(services.forge.requests.of(feeds).length).toBeGreaterThanOrEqual(3 * names.length);
  });
});
