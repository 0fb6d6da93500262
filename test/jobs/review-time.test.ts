import { describe, expect, it } from 'vitest';
import type { Services } from '../../src/chat/session.js';
import { createReviewWatch, dueAt, leftFor } from '../../src/features/reviews/clock.js';
import type { Clock } from '../../src/store/index.js';
import { words } from '../commands/talk.js';
import { useFeed } from './feed-services.js';

const always = 'days: [mon, tue, wed, thu, fri, sat, sun], from: "00:00", to: "24:00"';
const policy = (hours: string) =>
  [
    `workingHours: { ${hours} }`,
    'reviews:',
    '  - { repository: grace/diary, firstReview: 10h, remind: 9h }',
    '  - { repository: acme/calm, firstReview: 10h, remind: 9h }',
    '  - { repository: acme/loud, firstReview: 1h, escalate: C0ENGINE01 }',
    '  - { repository: acme/*, team: acme/core, firstReview: 1h, escalate: U0GRACE001 }',
    '  - { repository: acme/web, firstReview: 1h, escalate: C0ENGINE01 }',
    '  - { repository: grace/closet, firstReview: 1h, escalate: C0PRIVATE1 }',
    '  - { repository: grace/*, firstReview: 1h, escalate: C0ENGINE01 }',
    '',
  ].join('\n');
const people = { ada: 'U0ADA00001', grace: 'U0GRACE001', linus: 'U0ALAN0001' };
const minute = 60_000;
const hour = 60 * minute;

function useReviews(hours: string) {
  const services = useFeed({ people, policy: policy(hours) });
  const world = () => services.forge.world;
  let branches = 0;
  const id = (repo: string) => world().repo(repo).id;
  const posts = (part: string, channel = 'C0ENGINE01') =>
    services.slack.state.messages(channel).filter((each) => words(each).includes(part));
  return {
    services,
    world,
    id,
    repository(name: string, owner = 'acme') {
      world().createRepo({ as: owner === 'acme' ? 'ada' : owner, owner, name, private: owner !== 'acme' });
      const repo = `${owner}/${name}`;
      for (const login of ['linus', 'ada', 'grace'])
        if (login !== owner) world().setCollaborator({ repo, login, level: 'write' });
      return repo;
    },
    open(repo: string, title: string, asked: { from?: string[]; teams?: string[] }) {
      branches += 1;
      const head = `time-${branches}`;
      world().push({ as: 'grace', repo, branch: head, commits: [title] });
      const { index } = world().openPull({ as: 'grace', repo, title, head });
      const on = { as: 'grace', repo, index };
      world().requestReview({ ...on, ...asked });
      return { repo, index, head, on };
    },
    /** Some time later: one look at all that is open, and what it has to say is posted. */
    async later(ms: number) {
      services.pass(ms);
      const { store, service, shared, now, slack } = services;
      // the watch uses no more than these
      const given = { ...shared, store, service, now: () => new Date(now()) } as unknown as Services;
      await createReviewWatch(given, slack.teamId, 0)();
      await services.deliver();
    },
    clock: async (repo: string, name: string) => (await services.store.clocks.of(id(repo))).get(name),
    posts,
    direct: (user: string, part: string) => posts(part, services.slack.state.dm(user).id),
  };
}

describe('the time for a first review', () => {
  const { services, world, id, repository, open, later, clock, posts, direct } = useReviews(always);

  it('is each pull request’s own, however alike their numbers are', async () => {
    const { store, now, shared } = services;
    const late: Clock = { asked: now(), used: 2, at: now(), running: true, limit: 1, said: [] };
    await store.clocks.put(9_999, new Map([['12 team core', late]]));
    const { workingHours } = shared.policy;
    expect(await dueAt(store, 'r9999-n12', workingHours)).toBe('late');
    expect(await dueAt(store, 'r9999-n1', workingHours)).toBeUndefined();
    const items = [1, 12].map((number) => ({ id: number, number, repository: { id: 9_999 } }));
    const left = await leftFor(items, 'ada', { store, policy: shared.policy, now: new Date(now()) });
    expect([...left.keys()]).toEqual([12]);
  });

  it('is told once before it is late, and again when the review is requested again', async () => {
    const repo = repository('calm');
    const { index, on } = open(repo, 'Once more', { from: ['linus'] });
    const told = () => direct('alan', '⏰ Your review of').map(words);
    await later(59 * minute);
    expect(told()).toEqual([]);
    await later(2 * minute);
    expect(told()).toEqual([expect.stringMatching(/Once more> is due in 8 h 59 min\./)]);
    // a crash before it was noted
    await services.store.clocks.put(id(repo), new Map());
    await later(minute);
    await later(minute);
    expect(told()).toHaveLength(1);
    world().review({ as: 'linus', repo, index, verdict: 'comment', body: 'Hm.' });
    services.pass(minute);
    world().requestReview({ ...on, from: ['linus'] });
    await later(30 * minute);
    expect(await clock(repo, `${index} user linus`)).toMatchObject({ used: 30 * minute, said: [] });
    await later(31 * minute);
    expect(told()).toHaveLength(2);
  });

  it('tells no reviewer who can no longer see the repository', async () => {
    const diary = repository('diary', 'grace');
    open(diary, 'Not for you', { from: ['linus'] });
    open(repository('calm'), 'For you', { from: ['linus'] });
    world().setCollaborator({ repo: diary, login: 'linus', level: 'none' });
    await later(2 * hour);
    expect(await clock(diary, '1 user linus')).toMatchObject({ said: ['due'] });
    expect(direct('alan', '⏰ Your review of').map(words)).toEqual([expect.stringContaining('For you')]);
  });

  it('tells no reviewer who does not want it, and nobody in their quiet hours', async () => {
    const { store } = services;
    const { teamId: team } = services.slack;
    const alan = { team, user: people.linus };
    const grace = { team, user: people.grace };
    const quiet = { from: '00:00', to: '23:59' };
    const unwanted = { assigned: true, review_requested: false };
    const place = { team, channel: services.slack.state.dm('alan').id };
    await store.settings.put(alan, { kinds: unwanted, quiet: null });
    await store.settings.put(grace, { kinds: {}, quiet });
    const { repo, index } = open(repository('calm'), 'Unwanted', { from: ['linus'] });
    const asleep = open(repository('web'), 'Asleep', { teams: ['core'] });
    await later(minute);
    // each reason before the last one is gone
    await later(2 * hour);
    await store.settings.put(alan, { kinds: {}, quiet });
    await later(minute);
    await store.outbox.pause(place, 'muted', services.now() + 9 * hour);
    await store.settings.put(alan, { kinds: {}, quiet: null });
    await later(minute);
    expect(await clock(repo, `${index} user linus`)).toMatchObject({ said: [] });
    expect(await clock(asleep.repo, `${asleep.index} team core`)).toMatchObject({ running: true, said: [] });
    await store.outbox.resume(place);
    await store.settings.put(grace, { kinds: {}, quiet: null });
    expect([...direct('alan', 'Unwanted'), ...direct('grace', 'Asleep')]).toEqual([]);
    await later(minute);
    expect(direct('alan', 'Unwanted')).toHaveLength(1);
    expect(direct('grace', 'is waiting for a review from team core')).toHaveLength(1);
    // the lead is told, not the channel
    expect(posts('Asleep')).toEqual([]);
  });

  it('stands still for drafts, and tells the channel once when it is late', async () => {
    const repo = repository('web');
    const late = open(repo, 'WIP: Too late', { from: ['ada', 'linus'] });
    await later(5 * hour);
    await later(5 * hour);
    expect(await clock(repo, `${late.index} user ada`)).toMatchObject({ used: 0, running: false });
    world().edit({ ...late.on, title: 'Too late' });
    await later(5 * hour);
    // no time in which it stood still at either end
    expect(await clock(repo, `${late.index} user ada`)).toMatchObject({ used: 0, running: true });
    expect(posts('Too late')).toEqual([]);
    for (const ms of [hour, minute, minute]) await later(ms);
    expect(posts('Too late').map(words).sort()).toEqual([
      expect.stringMatching(/⏰ .*Too late> is waiting for a review from <@U0ADA00001>: .* late\./),
      expect.stringMatching(/⏰ .*Too late> is waiting for a review from <@U0ALAN0001>: .* late\./),
    ]);
    world().review({ as: 'linus', repo, index: late.index, verdict: 'approve' });
    await later(minute);
    expect(await clock(repo, `${late.index} user linus`)).toBeUndefined();
  });

  it('shows on the card when it is due, and that it is late', async () => {
    const repo = repository('web');
    await services.subscribe('C0ENGINE01', repo, 'pulls reviews');
    await services.round();
    open(repo, 'Overdue', { from: ['ada'] });
    services.pass(2 * hour);
    open(repo, 'Becomes late', { from: ['ada'] });
    await services.round();
    await later(minute);
    expect(posts('⏰ review due').map(words)).toEqual([expect.stringContaining('Becomes late')]);
    expect(posts('⏰ review late').map(words)).toEqual([expect.stringContaining('Overdue')]);
    await later(hour);
    expect(posts('⏰ review late')).toHaveLength(2);
    // what was late before the first look is not announced
    expect(posts('is waiting for a review').map(words)).toEqual([expect.stringContaining('Becomes late')]);
  });

  it('stands still while checks are red, and while it waits for its author', async () => {
    const repo = repository('web');
    const red = open(repo, 'Red', { from: ['ada'] });
    const sha = () => world().repo(repo).branches.get(red.head) ?? '';
    const ci = (state: 'success' | 'failure') =>
      world().commitStatus({ as: 'grace', repo, sha: sha(), context: 'ci', state });
    const titles = ['Rejected', 'Asked again', 'Dismissed'];
    const [rejected, asked, dismissed] = titles.map((title) => open(repo, title, { from: ['ada', 'linus'] }));
    if (!rejected || !asked || !dismissed) throw new Error('not opened');
    ci('failure');
    for (const { index } of [rejected, asked, dismissed])
      world().review({ as: 'linus', repo, index, verdict: 'reject', body: 'No.' });
    world().requestReview({ ...asked.on, from: ['linus'] });
    world().dismissReview({ as: 'ada', repo, index: dismissed.index, of: 'linus' });
    await later(2 * minute);
    await later(2 * hour);
    expect(await clock(repo, `${red.index} user ada`)).toMatchObject({ used: 0, running: false });
    expect(await clock(repo, `${rejected.index} user ada`)).toMatchObject({ used: 0, running: false });
    const waiting = () => posts('is waiting for a review').map((each) => /#\d+ ([^>]*)>.*?<@(\w+)>/.exec(words(each)));
    const told = () => waiting().map((each) => `${each?.[1]}: ${each?.[2]}`);
    // the request to Ada is older than the rejection, the new one to Linus is not
    expect(told().sort()).toEqual(['Asked again: U0ALAN0001', 'Dismissed: U0ADA00001']);
    ci('success');
    world().push({ as: 'grace', repo, branch: rejected.head, commits: ['Better'] });
    await later(minute);
    await later(2 * hour);
    expect(told()).toEqual(expect.arrayContaining(['Red: U0ADA00001', 'Rejected: U0ADA00001']));
  });

  it('says nothing about a request that ended while the channel was muted', async () => {
    const repo = repository('loud');
    const [over, still] = ['Over', 'Still there'].map((title) => open(repo, title, { teams: ['core'] }));
    await later(minute);
    const place = { team: services.slack.teamId, channel: 'C0ENGINE01' };
    await services.store.outbox.pause(place, 'muted', services.now() + 9 * hour);
    await later(2 * hour);
    for (const each of [over, still]) expect((await clock(repo, `${each?.index} team core`))?.said).toEqual(['late']);
    world().withdrawRequest({ as: 'grace', repo, index: over?.index ?? 0, teams: ['core'] });
    await services.store.outbox.resume(place);
    await services.deliver();
    expect(posts('is waiting for a review').map(words)).toEqual([expect.stringContaining('Still there')]);
  });

  it('shows nothing hidden in a public channel', async () => {
    const [secret, closet] = [repository('secret', 'grace'), repository('closet', 'grace')];
    open(secret, 'Hidden plans', { from: ['linus'] });
    open(closet, 'Among us', { from: ['linus'] });
    await later(minute);
    await later(2 * hour);
    expect((await clock(secret, '1 user linus'))?.said).toEqual(['late']);
    expect(posts('Hidden plans')).toEqual([]);
    expect(posts('Among us', 'C0PRIVATE1')).toHaveLength(1);
  });
});

describe('outside working hours', () => {
  const { services, id, repository, open, later, direct } = useReviews(
    `${always}, holidays: ["2026-11-09", "2026-11-10", "2026-11-11"]`,
  );

  it('nothing is counted, asked or told', async () => {
    const { repo } = open(repository('calm'), 'On a holiday', { from: ['linus'] });
    services.forge.requests.clear();
    await later(2 * hour);
    expect(services.forge.requests.all).toEqual([]);
    expect(await services.store.clocks.of(id(repo))).toEqual(new Map());
    expect(direct('alan', '⏰')).toEqual([]);
    // until people work again
    for (const ms of [37 * hour, 2 * hour]) await later(ms);
    expect(direct('alan', 'is due in 8 h')).toHaveLength(1);
  });
});
