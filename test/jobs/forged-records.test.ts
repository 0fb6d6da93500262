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
    await expect.poll(forged).toMatchObject([{ command: '(subscription)' }]);
  });

  it('does not get another repository’s name signed by the daily check', async () => {
    const where = { team: services.slack.teamId, channel: engine };
    const target = { kind: 'repo', id: services.forge.world.repo('acme/engine').id } as const;
    await services.subscribe(engine, 'acme/engine', 'issues');
    await redis().hset('bellows:{f0:subs}:names', `r${target.id}`, 'acme/website');
    services.pass(25 * 3_600_000);
    await services.jobs.steps.rights();
    const checked = { name: 'acme/engine', checkedAt: services.now() };
    expect(await services.store.subscriptions.get({ place: where, target })).toMatchObject(checked);
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
});
