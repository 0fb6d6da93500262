import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, type Store, type TakenReview } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

const repo = 'acme/engine';
const core = '<!subteam^S0CORE0001>';
const asks = 'POST /repos/{owner}/{repo}/pulls/{index}/requested_reviewers';
const withdraws = 'DELETE /repos/{owner}/{repo}/pulls/{index}/requested_reviewers';

let bellows: Bellows;
let store: Store;
const { type, click } = talkTo(() => bellows);
const world = () => bellows.forge.world;
const messages = (title: string) =>
  bellows.slack.state.messages('engine').filter((each) => each.byBot && !each.onlyFor && words(each).includes(title));
const card = (title: string, part = '') =>
  bellows.slack.until(() => messages(title).find((each) => each.threadTs === undefined && words(each).includes(part)));

const hour = 3_600_000;
/** Holidays: claims end the day after tomorrow, at two. */
const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
const [today, tomorrow, later] = [day(0), day(1), day(2)];
const indexOf = (name: string) => Number(name.split('#')[1]);
const threadOf = (name: string) => `r1-n${indexOf(name)}`;
/** A claim by Alan, as it is stored. */
const claimOf = (name: string, more: Partial<TakenReview> = {}): TakenReview => {
  const { id, owner } = world().repo(repo);
  return {
    repo: { id, ownerId: owner.id, fullName: repo },
    index: indexOf(name),
    person: { team: bellows.slack.teamId, user: 'U0ALAN0001' },
    login: 'margaret',
    at: Date.now(),
    until: Date.now() + hour,
    requested: false,
    asked: false,
    ...more,
  };
};

let branches = 0;
function open(title: string, who: { from?: string[]; teams?: string[] } = {}): string {
  branches += 1;
  const head = `take-${branches}`;
  world().push({ as: 'grace', repo, branch: head, commits: [title] });
  const { index } = world().openPull({ as: 'grace', repo, title, head });
  if (who.from || who.teams) world().requestReview({ as: 'grace', repo, index, ...who });
  return `${repo}#${index}`;
}

beforeAll(async () => {
  bellows = await startBellows({
    policy: [
      'roles:\n  admin:\n    users: [U0ADA00001]\nteams:\n  acme/core: S0CORE0001',
      'reviews:\n  - repository: acme/engine\n    claim: 2h',
      'workingHours: { days: [mon, tue, wed, thu, fri, sat, sun], from: "00:00", to: "24:00",',
      `  holidays: ["${today}", "${tomorrow}"] }\n`,
    ].join('\n'),
    pollMs: 500,
    tempo: { followMs: 300 },
    slack: {
      allowMention: ({ kind }) => kind !== 'broadcast',
      seed: { userGroups: [{ id: 'S0CORE0001', handle: 'core', users: ['U0ADA00001'] }] },
    },
  });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  await bellows.link('ada');
  await bellows.link('grace');
  await bellows.link('alan', 'margaret');
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});

describe('subscribe … reviews:requested', () => {
  it('refuses reviewers that the forge does not know', async () => {
    const says = async (who: string) => (await type('ada', `subscribe acme/e* reviews:requested reviewer:${who}`)).text;
    expect(await says('acme/cora')).toBe('acme has no team named cora. Did you mean core?');
    expect(await says('nosuch')).toBe('I can’t find nosuch. Check the login.');
    expect(await store.subscriptions.inChannel({ team: 'T0BELLOWS1', channel: 'C0ENGINE01' })).toEqual([]);
  });

  it('previews the requests of the past, by team and by person', async () => {
    open('Past for the team', { teams: ['core'] });
    open('Past for her', { from: ['margaret'] });
    const posted = async (words_: string) => {
      const answer = words(await type('ada', `subscribe ${repo} reviews:requested ${words_} --preview`));
      return /would have posted \*(\d+) message/.exec(answer)?.[1] ?? answer;
    };
    const all = await posted('');
    expect(await posted('reviewer:acme/core')).toBe('1');
    // one is in the sandbox from the start
    expect(await posted('reviewer:<@U0ALAN0001|alan>')).toBe('2');
    expect(await posted('reviewer:acme/review')).toBe('2');
    expect(Number(all)).toBeGreaterThanOrEqual(2);
  });

  it('posts one card, and why says which word kept it', async () => {
    await type('ada', 'subscribe acme/e* reviews:requested reviewer:acme/core,<@U0ALAN0001|alan>');
    await bellows.slack.until(() => messages('reviewer:acme/core,margaret').length > 0 || undefined);
    const name = open('Wanted', { teams: ['core'] });
    const unwanted = open('Unwanted', { teams: ['service'] });
    expect(words(await card('Wanted'))).toContain('requested a review from *acme/core* on');
    expect(words(await type('ada', `why ${name}`))).toContain('reviews:requested');
    await expect
      .poll(async () => words(await type('ada', `why ${unwanted}`)))
      .toMatch(/Not posted when a review was requested[^"]*reviewer:acme\/core,margaret/);
    expect(messages('Unwanted')).toEqual([]);
  });

  it('can be narrowed to other reviewers later, if the forge knows them', async () => {
    const edit = (who: string) => type('ada', `subscribe edit acme/e* --filters "reviewer:${who}"`);
    expect((await edit('acme/nosuch')).text).toContain('acme has no team named nosuch.');
    await edit('acme/core,margaret');
  });

  it('says a request made in Slack once, and mentions the group once', async () => {
    const name = open('From Slack', { from: ['margaret'] });
    const { ts } = await card('From Slack');
    expect(words(await type('grace', `pr review ${name} --teams core`))).toContain('Requested a review from');
    await card('From Slack', core);
    const replies = () => bellows.slack.state.messages('engine').filter(({ threadTs }) => threadTs === ts);
    await bellows.slack.until(() => replies().length > 0 || undefined);
    await type('ada', `why ${name}`);
    expect(replies().map((each) => words(each))).toEqual([
      expect.stringContaining(`requested a review from ${core} on`),
    ]);
  });
});

describe('review take', () => {
  let [anyway, slow] = ['', ''];
  beforeAll(() => {
    // their cards come at the same time
    open('Take me', { teams: ['core'] });
    anyway = open('Asked anyway', { from: ['margaret'], teams: ['core'] });
    slow = open('Too slow', { teams: ['core'] });
  });

  it('makes the clicker a reviewer, shows everyone, and hands it back', async () => {
    const answer = await click('ada', await card('Take me', 'Take it'), 'Take it');
    expect(words(answer)).toContain('You’re reviewing');
    expect(bellows.forge.requests.of(asks).at(-1)?.body).toEqual({ reviewers: ['ada'] });
    const taken = await card('Take me', 'is reviewing since');
    expect(words(taken)).toMatch(/👀 <@U0ADA00001> is reviewing since <!date/);
    expect(words(taken)).not.toContain('Take it');
    expect((await click('alan', taken, 'Hand back')).text).toMatch(/^ada is reviewing .* Only ada can hand it back\.$/);
    expect(words(await click('ada', taken, 'Hand back'))).toContain('You handed back the review of');
    expect(bellows.forge.requests.of(withdraws).at(-1)?.body).toEqual({ reviewers: ['ada'] });
    expect(words(await card('Take me', 'Take it'))).not.toContain('is reviewing since');
    expect(messages('Take me')).toHaveLength(1);
  });

  it('leaves a request that was there before, when it is handed back', async () => {
    await type('alan', `review take ${anyway}`);
    const before = bellows.forge.requests.of(withdraws).length;
    await type('alan', `review hand-back ${anyway}`);
    expect(bellows.forge.requests.of(withdraws)).toHaveLength(before);
    expect(words(await card('Asked anyway', 'Take it'))).toContain('waiting on');
  });

  it('lets one of many have it, and the next once it was reviewed', async () => {
    const name = open('One of many', { teams: ['core'] });
    const answers = await Promise.all(
      ['ada', 'alan', 'ada', 'alan'].map((user) => type(user, `review take ${name}`).then((each) => words(each))),
    );
    expect(new Set(answers).size).toBeGreaterThan(0);
    const held = await store.reviews.read(`r1-n${name.split('#')[1]}`);
    expect(held.value?.requested).toBe(true);
    const [winner, loser] = held.value?.login === 'ada' ? ['ada', 'alan'] : ['margaret', 'ada'];
    expect(bellows.forge.requests.of(asks).filter(({ path }) => path.includes(`/${name.split('#')[1]}/`))).toSatisfy(
      (sent: readonly { body: unknown }[]) => sent.every(({ body }) => JSON.stringify(body).includes(winner ?? '')),
    );
    expect((await type(loser ?? '', `review take ${name}`)).text).toContain(`${winner} is already reviewing ${name}`);
    world().review({ as: winner ?? '', repo, index: Number(name.split('#')[1]), verdict: 'comment', body: 'A word' });
    expect(words(await type(loser ?? '', `review take ${name}`))).toContain('You’re reviewing');
  });

  it('offers it again when the time is over', async () => {
    await card('Too slow', 'Take it');
    await type('ada', `review take ${slow}`);
    await card('Too slow', 'is reviewing since');
    const thread = threadOf(slow);
    const held = await store.reviews.read(thread);
    // two hours of work
    expect(held.value?.until).toBe(Date.parse(`${later}T02:00:00Z`));
    if (!held.value) throw new Error('not taken');
    await store.reviews.swap(thread, held, { ...held.value, until: Date.now() - 1 }, -1);
    expect(words(await card('Too slow', 'Take it'))).not.toContain('is reviewing since');
    await expect.poll(() => store.reviews.get(thread)).toBeUndefined();
    expect(words(await type('alan', `review take ${slow}`))).toContain('You’re reviewing');
  });

  it('keeps it for someone whose request is under way, and for a namesake in another workspace', async () => {
    const name = open('Being taken', { teams: ['core'] });
    await store.reviews.put(threadOf(name), claimOf(name), hour);
    expect((await type('ada', `review take ${name}`)).text).toContain(`margaret is already reviewing ${name}`);
    const person = { team: 'T0ELSEWHER', user: 'U0ADA00001' };
    await store.reviews.put(threadOf(name), claimOf(name, { person }), hour);
    expect((await type('ada', `review take ${name}`)).text).toContain(`margaret is already reviewing ${name}`);
    expect((await type('ada', `review hand-back ${name}`)).text).toContain('Only margaret can hand it back.');
    // it is over at its time, even before anyone offers it again
    await store.reviews.put(threadOf(name), claimOf(name, { until: Date.now() - 1 }), hour);
    expect((await type('alan', `review hand-back ${name}`)).text).toContain(`Nobody is reviewing ${name} now.`);
    expect(words(await type('ada', `review take ${name}`))).toContain('You’re reviewing');
  });

  it.each([
    ['confirmed', undefined],
    ['refused', { status: 403, done: true } as const],
  ])('leaves alone what someone else took before a slow request was %s', async (word, trouble) => {
    const name = open(`Slow to be ${word}`, { teams: ['core'] });
    const next = claimOf(name);
    bellows.forge.faults.add({ on: asks, trouble: { hold: () => store.reviews.put(threadOf(name), next, hour) } });
    if (trouble) bellows.forge.faults.add({ on: asks, trouble });
    await type('ada', `review take ${name}`);
    expect(await store.reviews.get(threadOf(name))).toEqual(next);
  });

  it('refuses in a sentence, and changes nothing', async () => {
    const name = open('Refused', { teams: ['core'] });
    const index = Number(name.split('#')[1]);
    expect((await type('grace', `review take ${name}`)).text).toBe(`You opened ${name}, so you can’t review it.`);
    expect((await type('ada', `review hand-back ${name}`)).text).toContain(`Nobody is reviewing ${name} now.`);
    expect(await store.reviews.read(`r1-n${index}`)).toMatchObject({ value: undefined });
    world().merge({ as: 'ada', repo, index });
    expect((await type('alan', `review take ${name}`)).text).toBe(`${name} is already merged: it needs no review.`);
  });

  it('trusts no record that it did not write', async () => {
    const name = open('Forged', { teams: ['core'] });
    const thread = `r1-n${name.split('#')[1]}`;
    await store.redis.hset('bellows:{main:reviews}:all', thread, JSON.stringify({ login: 'grace' }));
    expect(words(await type('ada', `review take ${name}`))).toContain('You’re reviewing');
  });

  it('says what to do if the forge lets nobody choose themselves, and leaves it free', async () => {
    await bellows.link('alan', 'linus');
    const name = open('For insiders', { teams: ['core'] });
    expect((await type('alan', `review take ${name}`)).text).toContain(
      'Ask its author to request your review, then take it again.',
    );
    expect(words(await type('ada', `review take ${name}`))).toContain('You’re reviewing');
    // asked already, they need not choose themselves
    const asked = open('For one outsider', { from: ['linus'], teams: ['core'] });
    const before = bellows.forge.requests.of(asks).length;
    expect(words(await type('alan', `review take ${asked}`))).toContain('You’re reviewing');
    expect(bellows.forge.requests.of(asks).slice(before)).toMatchObject([{ who: 'linus', status: expect.any(Number) }]);
    expect(await store.reviews.get(threadOf(asked))).toMatchObject({ login: 'linus', requested: true });
  });
});
