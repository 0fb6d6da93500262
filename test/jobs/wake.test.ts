import { beforeEach, describe, expect, it } from 'vitest';
import type { Announcement } from '../../src/feed/ports.js';
import { createQueue, createWorker } from '../../src/jobs/queues.js';
import { takeUpNow } from '../../src/jobs/wake.js';
import { close, connect } from '../../src/store/index.js';
import { createLatch } from '../support/latch.js';
import { useFeed } from './feed-services.js';

const grace = 'U0GRACE001';

describe('a repository’s webhook', () => {
  const services = useFeed({ people: { grace } });
  const inboxOf = (user: string) => `inbox-${services.slack.teamId}-${user}`;
  const link = (user: string, login: string, forgeUserId: number) =>
    services.store.accounts.put(
      { team: services.slack.teamId, user },
      { login, forgeUserId, verified: true, credential: { kind: 'token', token: 'x' } },
    );
  const due = async () =>
    (await services.store.sources.claimDue(1_000, 60_000))
      .map(({ source }) => source)
      .filter((key) => key.startsWith('inbox'));

  beforeEach(async () => {
    await link(grace, 'grace', 3);
    await services.poll();
    services.pass(1_000);
  });

  it('polls direct messages at once', async () => {
    expect(await due()).toEqual([]);
    await services.jobs.wakeRepository(1);
    expect(await due()).toEqual([inboxOf(grace)]);
  });

  it('polls once more if the forge writes the notification after the webhook', async () => {
    await services.jobs.wakeRepository(1);
    for (const each of await services.store.sources.claimDue(10, 60_000)) await services.jobs.steps.poll(each);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Valve', assignees: ['grace'] });
    services.pass(1_000);
    const again = await services.store.sources.claimDue(10, 60_000);
    expect(again).toMatchObject([{ source: inboxOf(grace), woken: true }]);
    for (const each of again) await services.jobs.steps.poll(each);
    expect(services.counts.get('events')).toBe(1);
    services.pass(1_500);
    await services.store.sources.claimDue(10, 60_000);
    expect(await due()).toEqual([]);
  });

  it('is about nothing new to a person who did it in Slack', async () => {
    const { marks, sources } = services.store;
    const inbox = inboxOf(grace);
    const before = await marks.get(inbox);
    const read = async () => {
      await sources.wake(inbox);
      for (const each of await sources.claimDue(10, 60_000)) await services.jobs.steps.poll(each);
    };
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Valve', assignees: ['grace'] });
    await read();
    expect(services.counts.get('events')).toBe(1);
    const seen = (await marks.get(inbox))?.seen ?? [];
    await marks.drop(inbox);
    if (before) await marks.begin(inbox, before);
    await marks.recordOwn(
      inbox,
      seen.map((each) => each.slice(each.indexOf(' ') + 1)),
    );
    await read();
    expect(services.counts.get('events')).toBe(1);
  });

  it('polls only for the people it names if many are linked', async () => {
    for (let n = 0; n < 60; n++) await link(`U0MANY${n}`, `many${n}`, 100 + n);
    await services.jobs.steps.reconcile();
    for (const each of await services.store.sources.claimDue(1_000, 60_000))
      await services.store.sources.schedule(each, { at: services.now() + 300_000 });
    await services.jobs.wakeRepository(1, { people: ['Grace', 'many7', 'nobody'] });
    expect((await due()).sort()).toEqual([inboxOf(grace), inboxOf('U0MANY7')].sort());
  });

  it('has a merge queue that waits looked at now, and leaves one alone that is being worked on', async () => {
    const { queues } = services.store;
    const of = { repository: 1, base: 'main' };
    const empty = { ...of, owner: 'acme', repo: 'engine', entries: [], asked: [], recent: [] };
    const branches = [{ name: 'bellows-queue/main/1', by: { team: 'T', user: 'U', login: null, forgeUserId: 1 } }];
    await queues.change(of, () => ({ ...empty, branches }));
    services.pass(1_000);
    const [held] = await queues.due(45_000);
    await services.jobs.wakeRepository(1, { hasItem: true });
    expect(await queues.due(45_000)).toEqual([]);
    await queues.step(of, held?.turn ?? '', (before) => before, 20_000);
    await services.jobs.wakeRepository(2, { checked: 'a'.repeat(40) });
    expect(await queues.due(45_000)).toEqual([]);
    await services.jobs.wakeRepository(1);
    expect(await queues.due(45_000)).toEqual([]);
    await services.jobs.wakeRepository(1, { checked: 'a'.repeat(40) });
    const [again] = await queues.due(45_000);
    expect(again).toMatchObject({ id: of });
    await queues.step(of, again?.turn ?? '', (before) => before, 20_000);
    await services.jobs.wakeRepository(1, { hasItem: true });
    expect(await queues.due(45_000)).toMatchObject([{ id: of }]);
  });

  it('polls for labels and drafts only if it is about an issue or pull request', async () => {
    await services.subscribe('C0ENGINE01', 'acme/engine', 'issues +label:bug');
    await services.poll();
    const { id, owner } = services.forge.world.repo('acme/engine');
    const items = `items-${owner.id}`;
    const woken = async (hasItem: boolean) => {
      services.pass(1_000);
      await services.jobs.wakeRepository(id, { ownerId: owner.id, hasItem });
      return (await services.store.sources.claimDue(100, 60_000)).map(({ source }) => source);
    };
    expect(await woken(false)).not.toContain(items);
    expect(await woken(true)).toContain(items);
  });

  it('polls its feed and its runs, and its owner’s feed only if it is not polled itself', async () => {
    await services.subscribe('C0ENGINE01', 'acme/e*', 'issues runs');
    await services.poll();
    const { id, owner } = services.forge.world.repo('acme/engine');
    const other = services.forge.world.repo('acme/website').id;
    const woken = async (repo: number, announced: Announcement) => {
      services.pass(1_000);
      await services.jobs.wakeRepository(repo, announced);
      const due = await services.store.sources.claimDue(100, 60_000);
      for (const each of due) await services.store.sources.schedule(each, { at: services.now() + 300_000 });
      return due.map(({ source }) => source).filter((source) => !source.startsWith('inbox'));
    };
    expect((await woken(id, { ownerId: owner.id })).sort()).toEqual([`repo-${id}`, `runs-${id}`]);
    expect(await woken(other, { ownerId: owner.id })).toEqual([`owner-${owner.id}`]);
    expect(await woken(other, {})).toEqual([]);
    expect(await woken(other, { ownerId: owner.id, isRequest: true })).toEqual([]);
  });

  it('has the pull requests looked at that show the commit it checked', async () => {
    const sha = 'a'.repeat(40);
    const { checks } = services.store;
    const pull = { fullName: 'acme/engine', number: 3, head: 'gauge', sha, shown: '', changedAt: services.now() };
    await checks.put(1, 'item-1-3', pull, undefined);
    await checks.put(1, 'item-1-4', { ...pull, number: 4, sha: 'b'.repeat(40) }, undefined);
    const woken = async (announced: Announcement) => {
      await services.jobs.wakeRepository(1, announced);
      services.pass(1_000);
      return (await checks.due(10, 60_000)).map(({ thread }) => thread);
    };
    expect(await woken({})).toEqual([]);
    expect(await woken({ checked: sha })).toEqual(['item-1-3']);
  });

  it('reads no feed for a review request, which is in none', async () => {
    await services.subscribe('C0ENGINE01', 'acme/engine', 'pulls reviews:requested runs');
    await services.poll();
    const { id, owner } = services.forge.world.repo('acme/engine');
    services.pass(1_000);
    await services.jobs.wakeRepository(id, { ownerId: owner.id, hasItem: true, isRequest: true });
    const due = await services.store.sources.claimDue(100, 60_000);
    expect(due.map(({ source }) => source).filter((source) => !source.startsWith('inbox'))).toEqual([
      `items-${owner.id}`,
    ]);
  });

  describe('that announces what is in an inbox', () => {
    const minute = 60_000;
    const tempo = async () => (await services.store.sources.get(inboxOf(grace)))?.tempoMs ?? 0;
    const assign = (title: string) =>
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title, assignees: ['grace'] });
    const pollDue = async (afterMs = 0) => {
      services.pass(afterMs);
      for (const each of await services.store.sources.claimDue(10, 60_000)) await services.jobs.steps.poll(each);
    };
    const announced = async () => {
      assign('Valve');
      await services.jobs.wakeRepository(1);
      await pollDue();
    };

    it('leaves it to be read ever less often: half-hourly after a day, six-hourly after two weeks', async () => {
      await announced();
      await pollDue(5 * minute);
      expect(await tempo()).toBe(5 * minute);
      await pollDue(24 * 60 * minute);
      expect(Math.round((await tempo()) / minute)).toBe(30);
      await pollDue(14 * 24 * 60 * minute);
      expect(await tempo()).toBe(6 * 60 * minute);
    });

    it('does not hurry it again if nothing was for its person', async () => {
      await announced();
      await pollDue(24 * 60 * minute);
      await services.jobs.wakeRepository(1);
      await pollDue();
      expect(await tempo()).toBeLessThan(minute);
      await pollDue(1_000);
      expect(Math.round((await tempo()) / minute)).toBe(30);
    });

    it('is no longer relied on once a regular poll found something', async () => {
      await announced();
      await pollDue(24 * 60 * minute);
      assign('Pump');
      await pollDue(60 * minute);
      expect(services.counts.get('events')).toBe(2);
      for (let polls = 0; polls < 10; polls++) await pollDue(24 * 60 * minute);
      expect(await tempo()).toBe(5 * minute);
    });
  });
});

describe('many webhooks at once', () => {
  const services = useFeed();

  it('are one job for the worker, and one more if they come while it runs', async () => {
    const connection = connect(services.url);
    const place = { connection, forgeId: 'f0' };
    const sweep = createQueue('sweep', place);
    let runs = 0;
    let end = () => {};
    for (let nth = 0; nth < 3; nth++) await takeUpNow(sweep);
    expect(await sweep.getWaitingCount()).toBe(1);
    const worker = createWorker('sweep', place, () => {
      runs += 1;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    await expect.poll(() => runs).toBe(1);
    for (let nth = 0; nth < 3; nth++) await takeUpNow(sweep);
    end();
    await expect.poll(() => runs).toBe(2);
    end();
    // hints leave nothing behind
    await expect.poll(() => sweep.getJobCountByTypes()).toBe(0);
    expect(runs).toBe(2);
    await worker.close();
    await sweep.close();
    await close(connection);
  });
});

describe('an inbox to which no webhook has announced anything yet', () => {
  const services = useFeed({ people: { grace }, hooked: true });

  it('is read at least half-hourly: the webhooks may be about other repositories', async () => {
    await services.store.accounts.put(
      { team: services.slack.teamId, user: grace },
      { login: 'grace', forgeUserId: 3, verified: true, credential: { kind: 'token', token: 'x' } },
    );
    await services.poll();
    for (let polls = 0; polls < 20; polls++) {
      services.pass(24 * 3_600_000);
      for (const each of await services.store.sources.claimDue(10, 60_000)) await services.jobs.steps.poll(each);
    }
    const { tempoMs } = (await services.store.sources.get(`inbox-${services.slack.teamId}-${grace}`)) ?? {};
    expect(tempoMs).toBe(30 * 60_000);
  });
});

describe('a forge that asks to wait', () => {
  const services = useFeed({ people: { grace }, requestsPerSecond: 20 });
  const wait = (on: RegExp, status: number) =>
    services.forge.faults.add({ on, trouble: { status, headers: { 'retry-after': '20' } } });
  const wakeAll = async () => {
    const keys = (await services.store.sources.list()).map(({ source }) => source);
    await services.store.sources.wake(...keys);
    return keys;
  };
  const claim = () => services.store.sources.claimDue(100, 60_000);
  const pollAll = async (jobs = services.jobs) => {
    const due = await claim();
    for (const each of due) await jobs.steps.poll(each);
    return due.map(({ source }) => source);
  };
  const forgeRate = { intervalMs: 50, burst: 20 };

  beforeEach(async () => {
    for (const repo of ['acme/engine', 'acme/website', 'linus/notes'])
      await services.subscribe('C0ENGINE01', repo, 'issues runs');
    await services.poll();
    services.pass(1_000);
    services.forge.requests.clear();
  });

  it('is left alone by every worker for as long as it said, also for what is woken and already claimed', async () => {
    wait(/activities\/feeds/, 429);
    const keys = await wakeAll();
    const first = await pollAll();
    expect(first).toHaveLength(keys.length);
    expect(services.forge.requests.all).toHaveLength(1);
    expect(await services.store.pace.look('forge', forgeRate)).toBeGreaterThan(19_000);
    services.pass(11 * 60_000);
    await services.jobs.wakeRepository(1);
    const other = services.another();
    await other.steps.tick();
    await other.steps.reconcile();
    await other.steps.checks();
    expect(services.forge.requests.all).toHaveLength(1);
    // what nobody may read now stays due
    expect(await pollAll(other)).not.toEqual([]);
    expect(services.forge.requests.all).toHaveLength(1);
    // nobody is blamed for it
    expect((await services.store.sources.list()).filter(({ state }) => state.error !== undefined)).toHaveLength(1);
  });

  it('is left alone too when the list of what is followed meets its limit', async () => {
    wait(/./, 429);
    services.pass(11 * 60_000);
    await expect(services.jobs.steps.reconcile()).rejects.toThrow('429');
    expect(services.forge.requests.all).toHaveLength(1);
    expect(await services.store.pace.look('forge', forgeRate)).toBeGreaterThan(19_000);
  });

  it('waits as long for one repository, whoever wakes it, while the others are read', async () => {
    wait(/acme\/engine\/activities/, 503);
    const keys = await wakeAll();
    await pollAll();
    services.pass(19_000);
    await wakeAll();
    const others = await pollAll();
    expect(others).toHaveLength(keys.length - 1);
    services.pass(1_000);
    expect(keys).toEqual(expect.arrayContaining([...others, ...(await pollAll())]));
    expect(services.forge.requests.all.filter(({ path }) => path.includes('acme/engine/activities'))).toHaveLength(2);
  });

  it('is not asked earlier at the regular pace either, and then first for what a webhook announced', async () => {
    const headers = { 'retry-after': '3000' };
    services.forge.faults.add({ on: /acme\/engine\/activities/, trouble: { status: 503, headers } });
    await wakeAll();
    await pollAll();
    const due = (await services.store.sources.list()).find(({ state }) => state.error !== undefined)?.dueAt;
    expect(due).toBe(services.now() + 3_000_000);
    // and then first for what a webhook announced and it failed to show
    services.pass(3_000_000);
    await wakeAll();
    services.forge.faults.add({ on: /acme\/engine\/activities/, trouble: { status: 503 } });
    await pollAll();
    services.pass(600_000);
    const woken = (await claim()).filter((each) => each.woken);
    expect(woken).toMatchObject([{ state: { error: expect.stringContaining('503') } }]);
  });

  it('stops only the inbox of a person who met a limit of their own', async () => {
    const { store, slack } = services;
    const person = { team: slack.teamId, user: grace };
    const account = { login: 'grace', forgeUserId: 3, verified: true } as const;
    await store.accounts.put(person, { ...account, credential: { kind: 'token', token: 'x' } });
    wait(/notifications/, 429);
    await services.poll();
    expect(await store.sources.get(`inbox-${slack.teamId}-${grace}`)).toMatchObject({
      error: expect.stringContaining('429'),
    });
    expect(await store.pace.look('forge', forgeRate)).toBeLessThan(1_000);
  });
});

describe('more sources than the forge permits', () => {
  const services = useFeed({ requestsPerSecond: 20 });

  it('leave room for what is woken: a worker claims no more than it can read at once', async () => {
    const { store, jobs, forge } = services;
    for (let n = 100; n < 400; n++) await store.sources.ensure(`repo-${n}`, { owner: 'acme', name: `part-${n}` });
    services.pass(1_000);
    let held = 0;
    const answered = createLatch();
    const hold = () => {
      held += 1;
      return answered.opened;
    };
    forge.faults.add({ on: /part-/, times: 400, trouble: { hold } });
    await jobs.steps.tick();
    await expect.poll(() => held).toBe(8);
    await store.sources.wake('repo-399');
    const [next] = await store.sources.claimDue(1, 60_000);
    expect(next?.source).toBe('repo-399');
    answered.open();
  });
});

describe('a webhook about a repository that is being read', () => {
  const services = useFeed({ tempo: { soonMs: 1_000 } });

  it('leads to another read a second later, and says nothing about the state it did not read', async () => {
    await services.subscribe('C0ENGINE01', 'acme/engine', 'issues');
    await services.poll();
    const { store } = services;
    const key = (await store.sources.list()).map(({ source }) => source).find((each) => each.startsWith('repo-')) ?? '';
    const before = await store.sources.get(key);
    const dueNow = async () => (await store.sources.claimDue(1_000, 60_000)).filter(({ source }) => source === key);
    services.pass(100);
    expect(await store.marks.open(key, 30_000)).toBeDefined();
    await services.jobs.wakeRepository(Number(key.slice('repo-'.length)));
    const woken = await dueNow();
    expect(await Promise.all(woken.map(services.jobs.steps.poll))).toEqual([1_000]);
    expect(await store.sources.get(key)).toEqual(before);
    expect(await dueNow()).toEqual([]);
    services.pass(1_000);
    expect(await dueNow()).toMatchObject([{ woken: true }]);
  });
});
