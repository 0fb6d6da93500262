import { beforeEach, describe, expect, it } from 'vitest';
import { publish } from '../../../src/chat/approval/publish.js';
import { UserError } from '../../../src/errors.js';
import { deploymentOf } from '../../support/deployment.js';
import { useApprovals } from './scene.js';

const scene = useApprovals();
const brief = 'The details went to the requester.';
const opened = 'The vault is open.';
const card = () => JSON.stringify(scene.posted.at(-1)?.message);
const expose = (exposed: typeof scene.deps.exposed) => Object.assign(scene.deps, { exposed });
const nobodyKnows = () => expose(() => Promise.reject(new Error('Slack is down')));
const publishNow = async () => {
  const approval = await scene.approval();
  return approval && publish(scene.deps, approval);
};
/** `change` happens while it runs, after everything was checked. */
const run = async (change: () => unknown = () => {}) => {
  scene.world.run = change;
  await scene.ask();
  await scene.click('U0GRACE001');
};
const ranVersion = () => `done-U0GRACE001@${scene.at.now()}`;

describe('the card of a request that was run', () => {
  it('shows how it went to a channel that may read it', async () => {
    await run();
    expect(card()).toContain(opened);
    expect(card()).not.toContain(brief);
    expect(scene.posted.at(-1)?.version).toBe(ranVersion());
  });

  it('is another version once the details are withheld, so that it replaces the one with details', async () => {
    await run(() => {
      scene.world.refusal = 'Everyone can read this channel.';
    });
    expect(card()).toContain(brief);
    expect(card()).not.toContain(opened);
    expect(scene.posted.at(-1)?.version).toBe(`${ranVersion()}-withheld`);
    expect((await scene.approval())?.announced).toBe('done');
  });

  it('shows why it was not run, even where the reason is that the channel may not read it', async () => {
    await scene.ask();
    scene.world.refusal = 'Everyone can read this channel.';
    await scene.click('U0GRACE001');
    expect(card()).toContain('Everyone can read this channel.');
    expect(card()).not.toContain(brief);
  });

  it('shows no details while nobody can tell who may read them, and shows them as soon as that is known', async () => {
    const { exposed } = scene.deps;
    await run(nobodyKnows);
    expect(card()).toContain(brief);
    expect(scene.posted.at(-1)?.version).toBe(`${ranVersion()}-withheld`);
    expect((await scene.approval())?.announced).toBe('approved');
    expose(exposed);
    await scene.sweep();
    expect(card()).toContain(opened);
    expect((await scene.approval())?.announced).toBe('done');
  });

  it('keeps what it shows while nobody can tell who may read it', async () => {
    await run();
    const before = [...scene.posted];
    nobodyKnows();
    expect(await publishNow()).toBe('unsure');
    expect(scene.posted).toEqual(before);
  });

  it('shows no details once its arguments cannot be read', async () => {
    await run();
    await scene.at.redis.hdel('bellows:{f0:approvals}:item:a1', 'args');
    expect(await publishNow()).toBe('withheld');
    expect(card()).toContain(brief);
  });

  it.each([
    ['no longer exists', new UserError('There is no environment production.'), 'withheld'],
    ['cannot be determined', new Error('a defect'), 'unsure'],
  ])('shows no details if what it was about %s', async (_what, trouble, telling) => {
    await run();
    const repositories = () => {
      throw trouble;
    };
    scene.configure('', [scene.vault('vault open', { repositories })]);
    expect(await publishNow()).toBe(telling);
  });
});

it('the card of an open request has nothing to withhold', async () => {
  await scene.ask();
  nobodyKnows();
  expect(await publishNow()).toBe('open');
  expect(scene.posted.at(-1)?.version).toBe('open');
});

describe('the card of a deployment', () => {
  const follow = () => scene.at.store.deployments.put(deploymentOf({ id: 'a1', environment: 'production' }));

  beforeEach(async () => {
    scene.configure(
      'deployments:\n  production: { repository: acme/engine, workflow: deploy.yml, refs: [main], approve: maintainer }\n',
      [scene.vault('deploy')],
    );
    await scene.ask('U0ADA00001', { name: 'deploy' });
  });

  it('follows it', async () => {
    await follow();
    expect(await publishNow()).toBe('open');
    expect(scene.posted.at(-1)?.version).toMatch(/^open-./);
  });

  it('does not follow it where its own repository may not be shown, even before it has a result', async () => {
    await follow();
    expose(async (repository) => (repository?.repo === 'engine' ? 'Not here.' : undefined));
    expect(await publishNow()).toBe('withheld');
    expect(scene.posted.at(-1)?.version).toBe('open-withheld');
  });
});
