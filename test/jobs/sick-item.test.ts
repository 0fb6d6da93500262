import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-house.js';

const engine = 'C0ENGINE01';
const general = 'C0GENERAL1';
const repo = 'acme/engine';

const troubles = {
  '502': { html: 502 },
  '504': { status: 504 },
  '500': { status: 500 },
  '429': { status: 429, headers: { 'retry-after': '3600' } },
  'a stall': { delay: 60_000 },
  'a reset': { drop: 'after' },
  'bad JSON': { cut: 0.5 },
  'an unknown shape': { text: '{"id":"nine","number":{},"title":7}', type: 'application/json' },
} as const;

describe('an item that cannot be read', () => {
  const house = useFeed();
  const open = (title: string, labels: string[] = []) => {
    house.pass(1_000);
    return house.forge.world.openIssue({ as: 'grace', repo, title, labels }).index;
  };
  const sicken = (index: number, trouble: (typeof troubles)[keyof typeof troubles]) =>
    house.forge.faults.add({ on: new RegExp(`GET .*issues/${index}$`), trouble, times: 1_000 });
  const card = (channel: string, title: string) =>
    JSON.stringify(house.slack.state.messages(channel).find(({ text }) => text.includes(title))?.blocks ?? []);

  it.each(Object.entries(troubles))(
    '(%s) holds up nothing, and is completed later',
    { timeout: 30_000 },
    async (_name, trouble) => {
      await house.subscribe(engine, repo, 'issues');
      await house.round();
      const sick = open('Sick', ['bug']);
      sicken(sick, trouble);
      open('Well', ['bug']);
      await house.round();
      expect(house.shown(engine)).toEqual([expect.stringContaining('Sick'), expect.stringContaining('Well')]);
      expect(card(engine, 'Sick')).not.toContain('bug');
      expect(card(engine, 'Well')).toContain('bug');
      house.forge.faults.clear();
      house.pass(10_000);
      await house.jobs.steps.complete();
      await house.deliver();
      expect(house.shown(engine)).toHaveLength(2);
      expect(card(engine, 'Sick')).toContain('bug');
      expect(await house.store.incomplete.count()).toBe(0);
    },
  );

  it('opens the circuit for nobody else', { timeout: 30_000 }, async () => {
    await house.subscribe(engine, repo, 'issues');
    await house.round();
    for (let at = 0; at < 12; at++) sicken(open(`Sick ${at}`), { html: 502 });
    await house.round();
    expect(house.shown(engine)).toHaveLength(12);
    await expect(house.service.repos.get({ owner: 'acme', repo: 'engine' })).resolves.toBeDefined();
  });

  it('is waited for where a filter asks for its labels, and told anyway after a minute', async () => {
    await house.subscribe(engine, repo, 'issues');
    await house.subscribe(general, repo, 'issues +label:bug');
    await house.round();
    sicken(open('Other', ['docs']), { html: 502 });
    sicken(open('Leak', ['bug']), { html: 502 });
    await house.round();
    expect(house.shown(engine)).toHaveLength(2);
    expect(house.shown(general)).toEqual([]);
    house.pass(30_000);
    await house.jobs.steps.complete();
    await house.deliver();
    expect(house.shown(general)).toEqual([]);
    house.pass(60_000);
    await house.jobs.steps.complete();
    await house.deliver();
    const titles = house.shown(general).map((text) => text.replace(/^.*#\d+ /, ''));
    expect(titles.toSorted()).toEqual(['Leak', 'Other']);
    expect(house.shown(engine)).toHaveLength(2);
  });

  it('keeps the order of its own events when it can be read again', async () => {
    await house.subscribe(general, repo, 'issues comments +label:bug thread:off');
    await house.round();
    const index = open('Leak', ['bug']);
    sicken(index, { html: 502 });
    await house.round();
    expect(house.shown(general)).toEqual([]);
    house.forge.faults.clear();
    house.pass(1_000);
    house.forge.world.close({ as: 'ada', repo, index });
    await house.round();
    // Its label may be seen before its opening: either way it comes first.
    expect(house.shown(general)).toEqual([
      expect.stringMatching(/opened|was put on/),
      expect.stringContaining('closed'),
    ]);
  });

  it('is let go after a day', async () => {
    await house.subscribe(engine, repo, 'issues');
    await house.round();
    sicken(open('Sick'), troubles['an unknown shape']);
    await house.round();
    expect(await house.store.incomplete.count()).toBe(1);
    house.pass(25 * 3_600_000);
    await house.jobs.steps.complete();
    expect(await house.store.incomplete.count()).toBe(0);
  });
});

describe('a row of a feed in a shape that is not known', () => {
  const house = useFeed();

  it('is told as far as it can be, and costs nobody the others', async () => {
    await house.subscribe(engine, repo, 'issues');
    await house.round();
    house.pass(1_000);
    house.forge.world.openIssue({ as: 'grace', repo, title: 'Well' });
    const feed = `${house.forge.apiUrl}/repos/${repo}/activities/feeds?limit=10`;
    const rows: { id: number }[] = JSON.parse(await (await fetch(feed)).text());
    const [first = { id: 0 }] = rows;
    const strange = { ...first, id: first.id + 1_000, content: '77|Strange', act_user: { id: 'nobody' }, comment: 7 };
    house.forge.faults.add({
      on: /activities\/feeds/,
      trouble: { text: JSON.stringify([strange, ...rows]), type: 'application/json' },
      times: 4,
    });
    await house.round();
    expect(house.shown(engine).toSorted()).toEqual([
      expect.stringContaining('Someone opened issue #77 Strange'),
      expect.stringContaining('Well'),
    ]);
  });
});
