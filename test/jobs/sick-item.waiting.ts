import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

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
  const services = useFeed();
  const open = (title: string, labels: string[] = []) => {
    services.pass(1_000);
    return services.forge.world.openIssue({ as: 'grace', repo, title, labels }).index;
  };
  const sicken = (index: number, trouble: (typeof troubles)[keyof typeof troubles]) =>
    services.forge.faults.add({ on: new RegExp(`GET .*issues/${index}$`), trouble, times: 1_000 });
  const card = (channel: string, title: string) =>
    JSON.stringify(services.slack.state.messages(channel).find(({ text }) => text.includes(title))?.blocks ?? []);

  it.each<(keyof typeof troubles)[]>([
    ['429'],
    ['a stall'],
    // none of these keeps Bellows from asking again at once
    ['502', '504', '500', 'a reset', 'bad JSON', 'an unknown shape'],
  ])('(%s) holds up nothing, and is completed later', async (...names) => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    const sick = names.map((name) => `Sick by ${name}`);
    for (const name of names) sicken(open(`Sick by ${name}`, ['bug']), troubles[name]);
    open('Well', ['bug']);
    await services.round();
    expect(services.shown(engine)).toEqual([...sick, 'Well'].map((title) => expect.stringContaining(title)));
    for (const title of sick) expect(card(engine, title)).not.toContain('bug');
    expect(card(engine, 'Well')).toContain('bug');
    services.forge.faults.clear();
    services.pass(10_000);
    await services.jobs.steps.complete();
    await services.deliver();
    expect(services.shown(engine)).toHaveLength(sick.length + 1);
    for (const title of sick) expect(card(engine, title)).toContain('bug');
    expect(await services.store.incomplete.count()).toBe(0);
  });

  it('opens the circuit for nobody else', async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    for (let at = 0; at < 12; at++) sicken(open(`Sick ${at}`), { html: 502 });
    await services.round();
    expect(services.shown(engine)).toHaveLength(12);
    await expect(services.service.repos.get({ owner: 'acme', repo: 'engine' })).resolves.toBeDefined();
  });

  it('is waited for if a filter needs its labels, and posted anyway after a minute', async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.subscribe(general, repo, 'issues +label:bug');
    await services.round();
    sicken(open('Other', ['docs']), { html: 502 });
    sicken(open('Leak', ['bug']), { html: 502 });
    await services.round();
    expect(services.shown(engine)).toHaveLength(2);
    expect(services.shown(general)).toEqual([]);
    services.pass(30_000);
    await services.jobs.steps.complete();
    await services.deliver();
    expect(services.shown(general)).toEqual([]);
    services.pass(60_000);
    await services.jobs.steps.complete();
    await services.deliver();
    const titles = services.shown(general).map((text) => text.replace(/^.*#\d+ /, ''));
    expect(titles.toSorted()).toEqual(['Leak', 'Other']);
    expect(services.shown(engine)).toHaveLength(2);
  });

  it('keeps the order of its own events when it can be read again', async () => {
    await services.subscribe(general, repo, 'issues comments +label:bug thread:off');
    await services.round();
    const index = open('Leak', ['bug']);
    sicken(index, { html: 502 });
    await services.round();
    expect(services.shown(general)).toEqual([]);
    services.forge.faults.clear();
    services.pass(1_000);
    services.forge.world.close({ as: 'ada', repo, index });
    await services.round();
    // Its label may be seen before its opening: either way it comes first.
    expect(services.shown(general)).toEqual([
      expect.stringMatching(/opened|Labeled/),
      expect.stringContaining('closed'),
    ]);
  });

  it('is dropped after a day', async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    sicken(open('Sick'), troubles['an unknown shape']);
    await services.round();
    expect(await services.store.incomplete.count()).toBe(1);
    services.pass(25 * 3_600_000);
    await services.jobs.steps.complete();
    expect(await services.store.incomplete.count()).toBe(0);
  });
});

describe('a feed row of unknown shape', () => {
  const services = useFeed();

  it('is posted as far as possible, and does not affect the others', async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    services.pass(1_000);
    services.forge.world.openIssue({ as: 'grace', repo, title: 'Well' });
    const feed = `${services.forge.apiUrl}/repos/${repo}/activities/feeds?limit=10`;
    const rows: { id: number }[] = JSON.parse(await (await fetch(feed)).text());
    const [first = { id: 0 }] = rows;
    const strange = { ...first, id: first.id + 1_000, content: '77|Strange', act_user: { id: 'nobody' }, comment: 7 };
    services.forge.faults.add({
      on: /activities\/feeds/,
      trouble: { text: JSON.stringify([strange, ...rows]), type: 'application/json' },
      times: 4,
    });
    await services.round();
    expect(services.shown(engine).toSorted()).toEqual([
      expect.stringContaining('Someone opened issue #77 Strange'),
      expect.stringContaining('Well'),
    ]);
  });
});

describe('one row of unknown shape does not affect the others', () => {
  const services = useFeed({ people: { grace: 'U0GRACE001' } });
  const { shown, subscribe, round } = services;
  type Bend = (row: object) => object;
  /** Changes the first row of each answer; if the answer wraps its list, of the list in it. */
  const bendFirst = (on: RegExp, bend: Bend) => {
    const bent = (body: unknown): unknown => {
      if (Array.isArray(body)) return body.map((row, at) => (at === 0 ? bend(row) : row));
      if (typeof body !== 'object' || body === null) return body;
      return Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? bent(value) : value]),
      );
    };
    services.forge.faults.add({ on, trouble: { bend: bent }, times: 1_000 });
  };
  const failed = (branch: string) => {
    services.pass(1_000);
    const { id } = services.forge.world.startRun({ as: 'ada', repo, workflow: 'ci.yml', branch });
    services.forge.world.finishRun({ run: id, conclusion: 'failure' });
  };
  const directMessages = () =>
    [...services.slack.state.channels.values()]
      .filter(({ kind }) => kind === 'im')
      .flatMap(({ id }) => services.slack.state.messages(id))
      .map(({ text }) => text);

  it('of runs: it is shown as far as possible', async () => {
    await subscribe(engine, repo, 'runs');
    await round();
    failed('one');
    failed('two');
    bendFirst(/GET .*actions\/runs$/, (row) => ({ ...row, actor: { id: 'nobody' }, pull_requests: 7 }));
    await round();
    expect(shown(engine)).toHaveLength(2);
  });

  it('of runs: without a state it is left out', async () => {
    await subscribe(engine, repo, 'runs');
    await round();
    failed('one');
    failed('two');
    bendFirst(/GET .*actions\/runs$/, (row) => ({ ...row, status: { word: 'completed' } }));
    await round();
    expect(shown(engine)).toHaveLength(1);
  });

  it('of runs: one that is followed separately is dropped', async () => {
    await subscribe(engine, repo, 'runs');
    await round();
    services.pass(1_000);
    services.forge.world.startRun({ as: 'ada', repo, workflow: 'ci.yml', branch: 'slow' });
    await round();
    bendFirst(/GET .*actions\/runs$/, () => ({ id: 'none' }));
    services.forge.faults.add({
      on: /GET .*actions\/runs\/\d+$/,
      trouble: { bend: () => ({ id: 'none' }) },
      times: 1_000,
    });
    failed('two');
    failed('three');
    await round();
    expect(shown(engine)).toHaveLength(1);
  });

  it('of searches for labels', async () => {
    await subscribe(engine, repo, 'issues +label:bug');
    await round();
    services.pass(1_000);
    const first = services.forge.world.openIssue({ as: 'grace', repo, title: 'Strange' }).index;
    const second = services.forge.world.openIssue({ as: 'grace', repo, title: 'Well' }).index;
    await round();
    services.pass(1_000);
    services.forge.world.label({ as: 'grace', repo, index: second, labels: ['bug'] });
    services.forge.world.label({ as: 'grace', repo, index: first, labels: ['bug'] });
    bendFirst(/GET \/repos\/issues\/search$/, (row) => ({ ...row, state: 'asleep' }));
    await round();
    expect(shown(engine)).toHaveLength(1);
  });

  it.each([
    ['notifications', /GET \/notifications$/, (row: object) => ({ ...row, unread: 'yes' }), 1],
    [
      'searches that say why a thread moved',
      /GET \/repos\/issues\/search$/,
      (row: object) => ({ ...row, labels: 7 }),
      2,
    ],
  ] as const)('of %s', async (_, on, bend, messages) => {
    await services.store.accounts.put(
      { team: services.slack.teamId, user: 'U0GRACE001' },
      { login: 'grace', forgeUserId: 3, verified: true, credential: { kind: 'token', token: 'x' } },
    );
    await round();
    services.pass(2_000);
    for (const title of ['One', 'Two'])
      services.forge.world.openIssue({ as: 'ada', repo, title, assignees: ['grace'] });
    bendFirst(on, bend);
    await round();
    expect(directMessages()).toHaveLength(messages);
  });

  it('of an owner’s repositories', async () => {
    services.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'web' });
    await subscribe(engine, 'acme/*', 'issues');
    const bend = (body: unknown) => JSON.parse(JSON.stringify(body).replace('"acme/web"', '7'));
    services.forge.faults.add({ on: /GET \/repos\/search$/, trouble: { bend }, times: 1_000 });
    await round();
    services.pass(1_000);
    services.forge.world.openIssue({ as: 'grace', repo, title: 'Well' });
    await round();
    expect(shown(engine)).toHaveLength(1);
  });
});
