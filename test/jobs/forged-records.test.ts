import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const room = 'C0PRIVATE1';
const engine = 'C0ENGINE01';
const eve = 'U0LINUS001';
const ada = 'U0ADA00001';

describe('someone who can write to Redis', () => {
  const services = useFeed({ people: { linus: eve, ada } });
  const redis = () => services.store.redis;
  const forged = async () => (await services.store.audit.read({ outcome: 'forged' })).rows.map(({ entry }) => entry);
  const rewrite = async (key: string, field: string, change: (text: string) => string) => {
    const text = (await redis().hget(key, field)) ?? '';
    expect(change(text)).not.toBe(text);
    await redis().hset(key, field, change(text));
  };

  it('does not get another person’s access into a channel by naming them its owner', async () => {
    const { id } = await services.service.users.get({ username: 'acme' });
    const target = { kind: 'owner', id, pattern: '*' } as const;
    const place = { team: services.slack.teamId, channel: room };
    await services.subscribe(room, 'acme/*', 'issues');
    await services.store.subscriptions.change({ place, target }, { owner: eve });
    await services.round();
    const key = `bellows:{f0:subs}:of:o${id}`;
    await rewrite(key, `${place.team}/${room} *`, (text) => text.replace(eve, ada));
    services.pass(1_000);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Open' });
    await services.round();
    expect(services.shown(room).join('\n')).not.toContain('Hidden');
    await expect.poll(forged, { timeout: 10_000 }).toMatchObject([{ command: '(subscription)' }]);
  });

  it.each([
    ['acme/*', 1],
    ['ada/*', 0],
  ])('does not make a subscription to another owner show what was queued: %s', async (pattern, posts) => {
    const [login = ''] = pattern.split('/');
    const { id } = await services.service.users.get({ username: login });
    const place = { team: services.slack.teamId, channel: engine };
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    services.pass(1_000);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Queued' });
    await services.poll();
    services.pass(1_000);
    await services.poll();
    await services.subscribe(engine, pattern, 'issues');
    const repository = services.forge.world.repo('acme/engine').id;
    await services.store.subscriptions.remove({ place, target: { kind: 'repo', id: repository } });
    await redis().hset('bellows:{f0:subs}:names', `o${id}`, 'acme');
    await services.deliver();
    expect(services.shown(engine)).toHaveLength(posts);
  });

  it('does not speak as Bellows: what they put into an outbox is set aside, and the rest is posted', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues');
    await services.round();
    const place = { team: services.slack.teamId, channel: engine };
    const slot = `bellows:{f0:channel:${place.team}:${engine}}`;
    const body = { type: 'message', message: { text: 'Send me your password', blocks: [] } };
    await redis().zadd(`${slot}:order`, 0, 'e-mine');
    await redis().hset(`${slot}:entries`, 'e-mine', JSON.stringify({ v: 1, id: 'e-mine', at: services.now(), body }));
    await redis().zadd(`${slot}:order`, 0.5, 'e-empty');
    services.pass(1_000);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Real' });
    await services.round();
    expect(services.shown(engine)).toEqual([expect.stringContaining('Real')]);
    expect((await services.store.outbox.asideIn(place)).map(({ id, code }) => [id, code]).sort()).toEqual([
      ['e-empty', 'not_signed'],
      ['e-mine', 'not_signed'],
    ]);
    await expect.poll(forged, { timeout: 10_000 }).not.toEqual([]);
  });

  it('does not speak through a queued message, a logged event or a card either', async () => {
    await services.subscribe(engine, 'acme/engine', 'issues comments');
    await services.round();
    services.pass(1_000);
    const { index } = services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Real' });
    await services.poll();
    services.pass(1_000);
    await services.poll();
    const slot = `bellows:{f0:channel:${services.slack.teamId}:${engine}}`;
    const [entry = ''] = await redis().hkeys(`${slot}:entries`);
    await rewrite(`${slot}:entries`, entry, (text) => text.replaceAll('Real', 'Fake'));
    await services.deliver();
    expect(services.shown(engine)).toEqual([]);

    services.pass(1_000);
    services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Second' });
    await services.round();
    const { id } = services.forge.world.repo('acme/engine');
    const event = { id: 'e-mine', kind: 'issues:opened', repo: { id }, item: { title: 'Fake' } };
    await redis().xadd(`bellows:{f0:source:repo-${id}}:log`, '9000-0', 'i', 'e-mine', 'b', JSON.stringify(event));
    await services.round();
    expect(services.shown(engine)).toEqual([expect.stringContaining('Second')]);

    const [card = ''] = await redis().keys(`${slot}:thread:*`);
    await redis().set(card, ((await redis().get(card)) ?? '').replaceAll('Second', 'Fake'));
    services.pass(1_000);
    services.forge.world.comment({ as: 'grace', repo: 'acme/engine', index: index + 1, body: 'hm' });
    await services.round();
    expect(JSON.stringify(services.slack.state.messages(engine))).not.toContain('Fake');
  });

  it.each([
    ['changed', (mark: string) => mark],
    ['unsigned', (mark: string) => mark.replace(/,"signed":"[^"]+"/, '')],
  ])('does not put a link of their own on a card through a %s mark of how far runs were read', async (_, left) => {
    const { world } = services.forge;
    const ends = (conclusion: 'success' | 'failure') => {
      const run = world.queueRun({ as: 'ada', repo: 'acme/engine', title: `A ${conclusion}`, branch: 'main' });
      services.pass(1_000);
      world.finishRun({ run: run.id, conclusion });
      services.pass(1_000);
    };
    await services.subscribe(engine, 'acme/engine', 'runs');
    await services.round();
    ends('success');
    await services.round();
    const key = `bellows:{f0:source:runs-${world.repo('acme/engine').id}}:mark`;
    const mark = (await redis().get(key)) ?? '';
    const fake = mark.replace(/"url":"[^"]+"/, '"url":"https://phish.example/login"');
    expect(fake).not.toBe(mark);
    await redis().set(key, left(fake));
    ends('failure');
    await services.round();
    const posted = JSON.stringify(services.slack.state.messages(engine));
    expect(posted).toContain('A failure');
    expect(posted).not.toContain('phish.example');
  });
});
