import { beforeEach, describe, expect, it } from 'vitest';
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
    expect(again.map(({ source }) => source)).toEqual([inboxOf(grace)]);
    for (const each of again) await services.jobs.steps.poll(each);
    expect(services.counts.get('events')).toBe(1);
    services.pass(1_500);
    await services.store.sources.claimDue(10, 60_000);
    expect(await due()).toEqual([]);
  });

  it('polls only for the people it names if many are linked', async () => {
    for (let n = 0; n < 60; n++) await link(`U0MANY${n}`, `many${n}`, 100 + n);
    await services.jobs.steps.reconcile();
    await services.store.sources.claimDue(1_000, 60_000);
    await services.jobs.wakeRepository(1, undefined, ['Grace', 'many7', 'nobody']);
    expect((await due()).sort()).toEqual([inboxOf(grace), inboxOf('U0MANY7')].sort());
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
    expect(await dueNow()).toHaveLength(1);
  });
});
