import { describe, expect, it } from 'vitest';
import { strayKeys } from '../support/redis.js';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const general = 'C0GENERAL1';

describe('the feed', () => {
  const services = useFeed({ people: { grace: 'U0GRACE001' } });
  const { subscribe, round } = services;
  const first = () => services.slack.state.messages(engine)[0];
  const say = () => services.shown(engine);

  it('posts nothing old, and then each thing once', async () => {
    await subscribe(engine, 'acme/engine');
    await round();
    expect(say()).toEqual([]);
    const { index: number } = services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Steam' });
    await round();
    await round();
    expect(say()).toEqual([`grace opened issue #${number} Steam`]);
    expect(services.slack.failures.filter(() => true)).toEqual([]);
  });

  it('keeps one thread per item, with its card up to date', async () => {
    await subscribe(engine, 'acme/engine', 'issues comments');
    await round();
    const { index: number } = services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Steam' });
    await round();
    services.forge.world.comment({ as: 'ada', repo: 'acme/engine', index: number, body: 'I see <!channel> it' });
    await round();
    services.pass(2_000);
    services.forge.world.close({ as: 'ada', repo: 'acme/engine', index: number });
    await round();
    expect(say()).toHaveLength(1);
    expect(services.replies(engine, first()?.ts)).toEqual([
      `ada commented on issue #${number} Steam`,
      `ada closed issue #${number} Steam`,
    ]);
    expect(JSON.stringify(first()?.blocks)).toContain('🟣 Closed');
    expect(services.slack.failures.filter(() => true)).toEqual([]);
  });

  it('posts separately if threads are off, and in one line if lines are wanted', async () => {
    await subscribe(engine, 'acme/engine', 'issues thread:off style:line');
    await round();
    const { index: number } = services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Steam' });
    services.pass(1_000);
    services.forge.world.close({ as: 'ada', repo: 'acme/engine', index: number });
    await round();
    expect(say()).toEqual([expect.stringContaining('opened issue'), expect.stringContaining('closed issue')]);
    expect(first()?.blocks).toHaveLength(1);
  });

  it('makes one message of a merge and of a new branch', async () => {
    await subscribe(engine, 'acme/engine', 'pulls commits:* branches');
    await round();
    services.forge.world.push({
      as: 'grace',
      repo: 'acme/engine',
      branch: 'valve',
      commits: [{ message: 'Add a valve' }],
    });
    await round();
    expect(say()).toEqual([expect.stringMatching(/^grace pushed 1 commit to the new branch valve/)]);
    services.pass(60_000);
    const { index: number } = services.forge.world.openPull({
      as: 'grace',
      repo: 'acme/engine',
      title: 'A valve',
      head: 'valve',
    });
    services.pass(60_000);
    services.forge.world.merge({ as: 'ada', repo: 'acme/engine', index: number });
    await round();
    const card = services.slack.state.messages(engine).find(({ text }) => text.includes('opened pull request'));
    expect(services.replies(engine, card?.ts)).toEqual([
      expect.stringMatching(/^ada merged pull request #\d+ A valve into/),
    ]);
    expect(JSON.stringify(card?.blocks)).toContain('🟣 Merged');
    expect(say()).toHaveLength(2);
  });

  it('makes one message of a release and its tag', async () => {
    await subscribe(engine, 'acme/engine', 'releases tags');
    await subscribe(general, 'acme/engine', 'tags');
    await round();
    services.forge.world.tag({ as: 'ada', repo: 'acme/engine', tag: 'v7' });
    services.forge.world.release({ as: 'ada', repo: 'acme/engine', tag: 'v7', title: 'Seven' });
    await round();
    for (const channel of [engine, general])
      expect(services.shown(channel)).toEqual([expect.stringContaining('published release Seven')]);
  });

  it('posts the first red and the fix, and stays silent in between', async () => {
    await subscribe(engine, 'acme/engine', 'runs');
    await round();
    const go = async (conclusion: 'success' | 'failure') => {
      services.pass(60_000);
      const { id } = services.forge.world.startRun({
        as: 'ada',
        repo: 'acme/engine',
        workflow: 'ci.yml',
        branch: 'fresh',
      });
      services.pass(1_000);
      services.forge.world.finishRun({ run: id, conclusion });
      await round();
    };
    await go('failure');
    await go('failure');
    await go('success');
    const red = services.slack.state.messages(engine).find(({ text }) => text.includes('failed on'));
    expect(say()).toEqual([expect.stringMatching(/^ci.yml failed on fresh/)]);
    expect(services.replies(engine, red?.ts)).toEqual([expect.stringMatching(/^ci.yml passes again on fresh/)]);
    expect(JSON.stringify(red?.blocks)).toContain('Fixed by');
  });

  it('posts the card of an item that starts to match, once', async () => {
    await subscribe(engine, 'acme/engine', 'issues +label:bug');
    await round();
    const { index: number } = services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Steam' });
    await round();
    expect(say()).toEqual([]);
    services.pass(1_000);
    services.forge.world.label({ as: 'ada', repo: 'acme/engine', index: number, labels: ['bug'] });
    await round();
    services.pass(1_000);
    services.forge.world.comment({ as: 'ada', repo: 'acme/engine', index: number, body: 'hm' });
    await round();
    expect(say()).toEqual([`Labeled bug: issue #${number} Steam`]);
  });

  it('follows all repositories of an owner, new ones included', async () => {
    await subscribe(engine, 'acme/*', 'issues repos');
    await round();
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/website', title: 'Typo' });
    services.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'boiler' });
    await round();
    await round();
    services.pass(1_000);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/boiler', title: 'Hot' });
    await round();
    expect(say().join('\n')).toMatch(/Typo[\s\S]*Hot/);
  });

  it('mentions people known in Slack, not for their own actions', async () => {
    await subscribe(engine, 'acme/engine');
    await round();
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'For you', assignees: ['grace'] });
    services.pass(1_000);
    services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'For me', assignees: ['grace'] });
    await round();
    const [forYou, forMe] = services.slack.state.messages(engine).map(({ blocks }) => JSON.stringify(blocks));
    expect(forYou).toContain('<@U0GRACE001>');
    expect(forMe).not.toContain('<@U0GRACE001>');
  });

  it('remembers why something was shown or not', async () => {
    await subscribe(engine, 'acme/engine', 'issues');
    await subscribe(general, 'acme/engine', 'pulls');
    await round();
    const { index: number } = services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Steam' });
    await round();
    const why = await services.store.decisions.about(`${services.forge.url}/acme/engine/issues/${number}`);
    expect(why.map(({ channel, kept, clause }) => [channel, kept, clause]).sort()).toEqual([
      [engine, true, 'issues'],
      [general, false, 'the subscription does not include issues'],
    ]);
    const shown = await services.store.decisions.ofMessage(
      { team: services.slack.teamId, channel: engine },
      first()?.ts ?? '',
    );
    expect(shown).toHaveLength(1);
  });

  it('leaves no key behind that is not in the catalog', async () => {
    await subscribe(engine, 'acme/*', 'all');
    await round();
    services.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Steam' });
    await round();
    expect(await strayKeys(services.store.redis)).toEqual([]);
  });

  it('reads the forge once for all channels that follow a repository', async () => {
    for (const channel of [engine, general]) await subscribe(channel, 'acme/engine', 'commits:*');
    await round();
    const before = services.forge.requests.all.length;
    await services.poll();
    const asked = services.forge.requests.all.slice(before).filter(({ path }) => path.endsWith('/activities/feeds'));
    expect(asked).toHaveLength(1);
  });
});

describe('personal notifications', () => {
  const services = useFeed({ people: { grace: 'U0GRACE001' } });
  const link = () =>
    services.store.accounts.put(
      { team: services.slack.teamId, user: 'U0GRACE001' },
      { login: 'grace', forgeUserId: 3, verified: true, credential: { kind: 'token', token: 'x' } },
    );
  const inbox = () =>
    [...services.slack.state.channels.values()]
      .filter(({ kind }) => kind === 'im')
      .flatMap(({ id }) => services.shown(id));

  it('arrive as direct messages and say why', async () => {
    await link();
    await services.round();
    expect(inbox()).toEqual([]);
    services.pass(2_000);
    const { index: number } = services.forge.world.openIssue({
      as: 'ada',
      repo: 'acme/engine',
      title: 'Yours',
      assignees: ['grace'],
    });
    await services.round();
    expect(inbox()).toEqual([`ada assigned you to #${number} Yours`]);
  });

  it('leave out the kinds a person turned off', async () => {
    await link();
    await services.store.settings.put(
      { team: services.slack.teamId, user: 'U0GRACE001' },
      { kinds: { assigned: false }, quiet: null },
    );
    await services.round();
    services.pass(2_000);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Yours', assignees: ['grace'] });
    await services.round();
    expect(inbox()).toEqual([]);
  });

  const quietly: Readonly<Record<string, () => Promise<unknown>>> = {
    'quiet hours': () =>
      services.store.settings.put(
        { team: services.slack.teamId, user: 'U0GRACE001' },
        { kinds: {}, quiet: { from: '08:00', to: '10:00' } },
      ),
    'a mute': () =>
      services.store.outbox.pause(
        { team: services.slack.teamId, channel: services.slack.as('grace').dm },
        'muted',
        services.now() + 3_600_000,
      ),
  };

  it.each(Object.keys(quietly))('wait through %s and come as one digest', async (how) => {
    await link();
    await services.round();
    await quietly[how]?.();
    for (const title of ['One', 'Two']) {
      services.pass(2_000);
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title, assignees: ['grace'] });
      await services.round();
    }
    expect(inbox()).toEqual([]);
    services.pass(2 * 3_600_000);
    await services.deliver();
    expect(inbox()).toEqual(['2 updates in acme/engine']);
  });

  const minuteMs = 60_000;
  it.each([
    ['ended', null, 0, 0],
    ['shortened', { from: '08:00', to: '09:30' }, 0, 31 * minuteMs],
    ['ended, but for that of a mute', null, 10 * minuteMs, 11 * minuteMs],
  ])('do not wait for quiet hours that were %s while they were read', async (_how, quiet, mutedMs, waitedMs) => {
    await link();
    await services.round();
    const person = { team: services.slack.teamId, user: 'U0GRACE001' };
    await services.store.settings.put(person, { kinds: {}, quiet: { from: '08:00', to: '10:00' } });
    services.pass(2_000);
    const place = { team: person.team, channel: services.slack.as('grace').dm };
    if (mutedMs > 0) await services.store.outbox.pause(place, 'muted', services.now() + mutedMs);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Yours', assignees: ['grace'] });
    const timeline = /^GET .*\/timeline/;
    services.forge.faults.add({ on: timeline, times: 1, trouble: { delay: 200 } });
    const changed = services.forge.requests
      .next(timeline)
      .then(() => services.store.settings.put(person, { kinds: {}, quiet }));
    await services.round();
    await changed;
    expect(inbox()).toHaveLength(waitedMs === 0 ? 1 : 0);
    services.pass(waitedMs);
    await services.deliver();
    expect(inbox()).toEqual([expect.stringContaining('Yours')]);
  });
});
