import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { credentialOf } from '../../src/chat/credential.js';
import { readPolicyFile } from '../../src/config/file.js';
import { createForge, type Forge } from '../../src/forge/index.js';
import { createRemindJobs, timesOf } from '../../src/jobs/remind.js';
import { createLog } from '../../src/log.js';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';

let bellows: Bellows;
let store: Store;
let forge: Forge;
const team = 'T0BELLOWS1';
const channel = 'C0ENGINE01';
beforeAll(async () => {
  bellows = await startBellows({ slack: { allowMention: ({ kind }) => kind !== 'broadcast' } });
  store = createStore({
    redis: connect(bellows.redisUrl),
    forgeId: 'main',
    seal: createSeal(testKeys),
  });
  forge = createForge({ url: bellows.forge.url });
  await Promise.all([bellows.link('ada'), bellows.link('grace')]);
  const { world } = bellows.forge;
  const pull = (title: string, head: string, labels: string[] = []) => {
    world.push({ as: 'grace', repo: 'acme/engine', branch: head, commits: [title] });
    const made = world.openPull({ as: 'grace', repo: 'acme/engine', title, head, labels });
    world.requestReview({ as: 'grace', repo: 'acme/engine', index: made.index, from: ['ada'], teams: ['core'] });
  };
  world.at(Math.floor(Date.now() / 1000) - 5 * 86_400, () => pull('An old and urgent one', 'old', ['urgent']));
  pull('A fresh one', 'fresh');
  pull('WIP: not done yet', 'wip');
});
afterAll(async () => {
  await forge.close();
  await close(store.redis);
  await bellows.close();
});

/** Types it and returns the answer. */
async function asked(user: string, text: string, answer: string, where = 'engine') {
  const actor = bellows.slack.as(user);
  const before = new Set(actor.sees(where).map(({ ts }) => ts));
  await actor.command(where, '/forge', text);
  return bellows.slack.until(() =>
    actor.sees(where).find((each) => !before.has(each.ts) && JSON.stringify(each).includes(answer)),
  );
}

/** Makes a reminder due without waiting. */
async function strike(id: string, at = Date.now()): Promise<void> {
  const redis = connect(bellows.redisUrl);
  const jobs = createRemindJobs({
    connection: redis,
    store,
    service: forge.as({ kind: 'token', token: bellows.config.forge.token }),
    as: async (person) => {
      const credential = await credentialOf({ store, forge, log: createLog({ level: 'silent' }) }, person);
      return credential && forge.as(credential);
    },
    people: { slackUserOf: async (_team, login) => (login === 'ada' ? 'U0ADA00001' : undefined) },
    policy: readPolicyFile('teams: { acme/core: S0CORE0001 }', 'bellows.yaml'),
    log: createLog({ level: 'silent' }),
  });
  await jobs.remind(id, at);
  await jobs.queue.close();
  await close(redis);
}

/** Its outbox entries, posted or still queued. */
const posted = async (where: string) =>
  JSON.stringify([
    (await store.outbox.view({ team, channel: where }, 20)).entries,
    bellows.slack.state.messages(where).filter(({ byBot, text }) => byBot && text.includes('for')),
  ]);

const only = async () => {
  const [reminder] = await store.reminders.all();
  if (!reminder) throw new Error('no reminder is kept');
  return reminder;
};

describe('remind reviews', () => {
  it('says what it needs if the channel follows nothing', async () => {
    await asked('grace', 'remind reviews daily 9:30', 'This channel has no subscriptions yet');
    expect(await store.reminders.all()).toEqual([]);
  });

  it('keeps days, time and zone of the person who asked', async () => {
    await asked('grace', 'remind reviews weekdays 9.30 --repository acme/engine', 'will get a reminder');
    expect(await only()).toMatchObject({
      channel,
      time: '09:30',
      days: ['weekdays'],
      zone: 'Etc/UTC',
      personal: false,
    });
  });

  it('is one reminder when requested twice', async () => {
    await asked('grace', 'remind reviews weekdays 9:30 --repository acme/engine', 'will get a reminder');
    expect(await store.reminders.all()).toHaveLength(1);
  });

  it('posts what is waiting, oldest first, without drafts, and mentions the reviewers', async () => {
    const { id } = await only();
    await strike(id);
    await expect.poll(() => posted(channel)).toContain('An old and urgent one');
    const text = await posted(channel);
    expect(text).toContain('A fresh one');
    expect(text).not.toContain('not done yet');
    expect(text).toContain('waiting on <@U0ADA00001>, <!subteam^S0CORE0001>');
  });

  it('posts once, however often its timer fires', async () => {
    const { id } = await only();
    const at = Date.now() - 1_000;
    await strike(id, at);
    await strike(id, at);
    const ids = (await store.outbox.had({ team, channel }, [`remind:${id}:${at}:0`])).length;
    expect(ids).toBe(1);
  });

  it('skips a time that passed long ago', async () => {
    const { id } = await only();
    const at = Date.now() - 4 * 3_600_000;
    await strike(id, at);
    expect(await store.outbox.had({ team, channel }, [`remind:${id}:${at}:0`])).toEqual([]);
  });

  it('is due by the time shared by all processes, whatever this one’s clock says', async () => {
    const redis = connect(bellows.redisUrl);
    let shared = Date.UTC(2027, 0, 4, 9, 20);
    const { queue, look } = createRemindJobs({
      connection: redis,
      store,
      service: forge.as({ kind: 'anonymous' }),
      as: async () => undefined,
      people: { slackUserOf: async () => undefined },
      policy: readPolicyFile('', 'bellows.yaml'),
      log: createLog({ level: 'silent' }),
      now: () => shared,
    });
    await queue.pause();
    const { id } = await only();
    const due = async () => (await queue.getJobs()).map((job) => job.id);
    const at = Date.UTC(2027, 0, 4, 9, 30);
    await store.reminders.recordLook(shared);
    await look();
    expect(await due()).toEqual([]);
    shared = at + 4_000;
    await look();
    await store.reminders.recordLook(at - 60_000);
    await look();
    expect(await due()).toEqual([`${id}-${at}`]);
    await store.reminders.remove(id);
    shared += 86_400_000;
    await look();
    expect(await due()).toEqual([`${id}-${at}`]);
    await queue.obliterate({ force: true });
    await queue.resume();
    await queue.close();
    await close(redis);
  });

  it('filters by age and label, and includes drafts on request', async () => {
    const words = 'remind reviews mon,thu 14 --repository acme/engine --older-than 2d --labels urgent,-wip --drafts';
    await asked('grace', words, 'labels urgent', 'general');
    const reminder = await only();
    expect(reminder).toMatchObject({ olderThan: 172_800, labels: ['urgent'], without: ['wip'], drafts: true });
    await strike(reminder.id);
    await expect.poll(() => posted('C0GENERAL1')).toContain('An old and urgent one');
    expect(await posted('C0GENERAL1')).not.toContain('A fresh one');
    await store.reminders.remove(reminder.id);
  });

  it('refuses to remind everyone of something private', async () => {
    await asked('ada', 'remind reviews daily 9:30 --repository acme/vault', 'private');
    expect(await store.reminders.all()).toEqual([]);
  });

  it('reminds a person of their own, as a direct message', async () => {
    await asked('ada', 'remind reviews daily 8:00 --me', 'You’ll get a reminder');
    const reminder = await only();
    expect(reminder).toMatchObject({ personal: true, owner: 'U0ADA00001', channel: bellows.slack.as('ada').dm });
    await strike(reminder.id);
    await expect.poll(() => posted(reminder.channel)).toContain('wait for your review');
  });

  it('does not remind people who have reviewed, though the forge still lists them', async () => {
    const repo = 'acme/engine';
    const { world } = bellows.forge;
    world.push({ as: 'grace', repo, branch: 'given', commits: [{ message: 'x', files: ['given.go'] }] });
    const { index } = world.openPull({ as: 'grace', repo, title: 'Reviewed by now', head: 'given' });
    world.requestReview({ as: 'grace', repo, index, from: ['ada'] });
    const own = await only();
    await asked('grace', 'remind reviews daily 9:00 --repository acme/engine', 'will get a reminder', 'general');
    const shared = (await store.reminders.all()).find(({ personal }) => !personal);
    if (!shared) throw new Error('no reminder for the channel');
    const strikes = async (at: number) => {
      for (const { id } of [own, shared]) await strike(id, at);
      return Promise.all([posted(own.channel), posted(shared.channel)]);
    };
    const at = Date.now();
    for (const shown of await strikes(at - 2)) expect(shown).toContain('Reviewed by now');
    world.review({ as: 'ada', repo, index, verdict: 'approve' });
    const listed = await forge
      .as({ kind: 'token', token: bellows.config.forge.token })
      .pulls.get({ owner: 'acme', repo: 'engine', index });
    expect(listed.requested_reviewers.map(({ login }) => login)).toContain('ada');
    const before = await Promise.all([posted(own.channel), posted(shared.channel)]);
    const after = await strikes(at - 1);
    const times = (text: string | undefined) => text?.split('Reviewed by now').length ?? 0;
    // a reminder that is still queued is replaced by the next one
    for (const [which, text] of after.entries()) expect(times(text)).toBeLessThanOrEqual(times(before[which]));
    await store.reminders.remove(shared.id);
  });

  it('lists and removes, each person their own', async () => {
    const { id } = await only();
    expect(JSON.stringify(await asked('ada', 'remind list', id))).toContain('daily at 08:00');
    await asked('grace', 'remind list', 'No reminders in this channel');
    await asked('grace', `remind remove ${id}`, 'I can’t find the reminder');
    await asked('ada', `remind remove ${id}`, 'Removed');
    expect(await store.reminders.all()).toEqual([]);
  });

  it('deletes a person’s own with the person', async () => {
    await asked('grace', 'remind reviews daily 8:00 --me', 'You’ll get a reminder');
    await asked('grace', 'signout', 'Signed out');
    expect(await store.reminders.all()).toEqual([]);
  });

  it('opens a form if something is missing and says what is not a time', async () => {
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', 'remind reviews daily');
    expect(ada.openView()).toBeDefined();
    await ada.close();
    await ada.command('engine', '/forge', 'remind reviews daily 25:00');
    await bellows.slack.until(() => ada.sees('engine').some(({ text }) => text.includes('I can’t read that time')));
  });

  it('breaks none of Slack’s rules', () => {
    expect(bellows.slack.failures.all).toEqual([]);
  });
});

describe('the times of a reminder', () => {
  const day = (date: string) => [Date.parse(`${date}T00:00:00Z`), Date.parse(`${date}T23:59:00Z`)] as const;
  it.each([
    ['every day', ['daily'], '09:30', 'Etc/UTC', '2027-01-03', ['2027-01-03T09:30:00.000Z']],
    ['a workday', ['weekdays'], '00:05', 'Etc/UTC', '2027-01-04', ['2027-01-04T00:05:00.000Z']],
    ['no workday', ['weekdays'], '00:05', 'Etc/UTC', '2027-01-03', []],
    ['a day that is named', ['mon', 'thu'], '14:00', 'Etc/UTC', '2027-01-04', ['2027-01-04T14:00:00.000Z']],
    ['elsewhere', ['daily'], '08:00', 'America/New_York', '2027-01-04', ['2027-01-04T13:00:00.000Z']],
    ['a time that clocks skip', ['daily'], '02:30', 'Europe/Berlin', '2027-03-28', ['2027-03-28T01:00:00.000Z']],
    ['an hour that comes twice', ['daily'], '02:30', 'Europe/Berlin', '2027-10-31', ['2027-10-31T00:30:00.000Z']],
    [
      'half an hour that comes twice',
      ['daily'],
      '01:40',
      'Australia/Lord_Howe',
      '2027-04-03',
      ['2027-04-03T14:40:00.000Z'],
    ],
    ['a midnight that clocks skip', ['daily'], '00:00', 'Africa/Cairo', '2027-04-29', ['2027-04-29T22:00:00.000Z']],
  ])('%s', (_, days, time, zone, date, times) => {
    expect(timesOf({ days, time, zone }, ...day(date)).map((at) => new Date(at).toISOString())).toEqual(times);
  });

  it('are looked up only when a minute began: thousands are looked at every few seconds', () => {
    const asked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    const daily = { days: ['daily'], time: '09:30', zone: 'Europe/Berlin' };
    const due = Date.parse('2027-01-04T08:30:00Z');
    expect(timesOf(daily, due, due + 59_999)).toEqual([]);
    expect(asked).not.toHaveBeenCalled();
    expect(timesOf(daily, due - 1, due)).toEqual([due]);
    asked.mockRestore();
  });
});
