import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../../src/chat/context.js';
import { refuseRedeploy, refuseUngated } from '../../../src/features/deploy/gate.js';
import { workflowRun } from '../../../src/features/workflows/run.js';
import type { WorkflowRun } from '../../../src/forge/schemas.js';
import type { Deployment } from '../../../src/store/index.js';
import { deploymentOf, dispatchedWith } from '../../support/deployment.js';
import { team, useApprovals } from '../approval/scene.js';

const scene = useApprovals();
const { at } = scene;
const engine = { owner: 'acme', repo: 'engine' };
const policy = `deployments:
  production:
    { repository: acme/engine, workflow: gated.yml, refs: [main], inputs: { environment: production },
      ungated: [{ environment: staging }, { environment: zero, workers: 1 }, { environment: other }],
      breakGlass: { users: [U0ADA00001] } }
  other:
    { repository: Acme/Engine, workflow: gated.yml, refs: [main], inputs: { environment: other },
      ungated: [{ environment: staging }, { environment: zero, workers: 1 }, { environment: production }] }
  blank:
    { repository: acme/engine, workflow: blank.yml, refs: [main], inputs: { environment: production },
      ungated: [{ environment: "" }] }
  whole: { repository: acme/engine, workflow: whole.yml, refs: [main] }
  broken:
    { repository: acme/engine, workflow: broken.yml, refs: [main], inputs: { environment: production },
      ungated: [{ environment: staging }] }
  usual:
    { repository: acme/engine, workflow: usual.yml, refs: [main], inputs: { environment: production },
      ungated: [{ environment: "" }, { absent: other, environment: staging }, { environment: staging }] }
  literal:
    { repository: acme/engine, workflow: literal.yml, refs: [main], inputs: { version: 2 }, ungated: [{ version: 1 }] }
  typed:
    { repository: acme/engine, workflow: typed.yml, refs: [main], inputs: { live: true }, ungated: [{ live: false }] }
  former: { repository: acme/former, workflow: gated.yml, refs: [main] }
`;
beforeAll(() => {
  const { world } = scene.forge;
  const plain = dispatchedWith('      environment: { default: staging }\n      workers: {}\n');
  world.plantWorkflow({ repo: 'acme/engine', file: 'gated.yml', text: plain });
  world.plantWorkflow({ repo: 'acme/engine', file: 'blank.yml', text: dispatchedWith('      environment: {}\n') });
  world.plantWorkflow({ repo: 'acme/engine', file: 'whole.yml', text: 'on: [workflow_dispatch' });
  world.plantWorkflow({ repo: 'acme/engine', file: 'broken.yml', text: 'on: [workflow_dispatch' });
  const others = '      first: { default: staging }\n      environment: { default: production }\n';
  world.plantWorkflow({ repo: 'acme/engine', file: 'usual.yml', text: dispatchedWith(others) });
  const typed = dispatchedWith('      live: { type: boolean, default: false }\n');
  world.plantWorkflow({ repo: 'acme/engine', file: 'typed.yml', text: typed });
  const literal = dispatchedWith('      version: { default: 1.0 }\n');
  world.plantWorkflow({ repo: 'acme/engine', file: 'literal.yml', text: literal });
  world.createRepo({ as: 'ada', owner: 'acme', name: 'former' });
  world.renameRepo({ as: 'ada', repo: 'acme/former', name: 'present' });
});
beforeEach(() => scene.configure(policy));

const { contextOf } = scene;
/** What is said to whoever does it; undefined if they may. */
const refusal = async (doing: Promise<void>) =>
  doing.then(
    () => undefined,
    (error: Error) => error.message,
  );

describe('starting a deployment’s workflow by hand', () => {
  const start = async (inputs: Record<string, string>, file = 'gated.yml', where = engine) =>
    refusal(refuseUngated({ at: where, file }, inputs, await contextOf()));

  it.each<[Record<string, string>, string]>([
    [{ environment: 'production' }, 'production'],
    [{ environment: 'other' }, 'other'],
    [{ environment: 'zero' }, 'production'],
    [{ environment: 'zero', workers: '2' }, 'production'],
    [{ environment: 'Staging' }, 'production'],
    [{ environment: '' }, 'production'],
  ])('is refused with %j', async (inputs, name) => {
    expect(await start(inputs)).toBe(`gated.yml deploys to ${name}. Use /forge deploy ${name} instead.`);
  });

  it.each<Record<string, string>>([
    { environment: 'staging' },
    { environment: 'staging', workers: '9' },
    { environment: 'zero', workers: '1' },
    {},
  ])('is possible with %j', async (inputs) => {
    expect(await start(inputs)).toBeUndefined();
  });

  it('is refused if its file does not say what would run', async () => {
    expect(await start({ environment: 'staging' }, 'broken.yml')).toContain('deploys to broken');
    expect(await start({ environment: 'staging' }, 'whole.yml')).toContain('deploys to whole');
  });

  it('is refused with an empty value for which a server may take the default, or with no value but that one', async () => {
    expect(await start({ environment: '' }, 'usual.yml')).toContain('deploys to usual');
    expect(await start({}, 'usual.yml')).toContain('deploys to usual');
  });

  it('ignores listed values of inputs that its file does not have', async () => {
    expect(await start({ environment: 'staging' }, 'usual.yml')).toBeUndefined();
    expect(await start({ environment: 'staging', absent: '' }, 'usual.yml')).toBeUndefined();
  });

  it('is refused if a value only looks like the one that its file has by default', async () => {
    expect(await start({}, 'literal.yml')).toContain('deploys to literal');
    expect(await start({ version: '1' }, 'literal.yml')).toBeUndefined();
  });

  it('takes an empty value as it is only where the file has no default', async () => {
    expect(await start({ environment: '' }, 'blank.yml')).toBeUndefined();
    expect(await start({}, 'blank.yml')).toContain('deploys to blank');
  });

  it('is free for other workflows and other repositories, and nothing is read for them', async () => {
    scene.forge.requests.clear();
    expect(await start({}, 'ci.yml')).toBeUndefined();
    expect(scene.forge.requests.all).toEqual([]);
    expect(await start({ environment: 'production' }, 'gated.yml', { owner: 'acme', repo: 'website' })).toBeUndefined();
    expect(scene.forge.requests.all.filter(({ path }) => path.includes('/contents'))).toEqual([]);
  });

  it('counts the file of the commit that would run, and its values rather than the words typed for them', async () => {
    const texts = { '.gitea/workflows/typed.yml': dispatchedWith('      live: { type: boolean, default: true }\n') };
    scene.forge.world.push({ as: 'ada', repo: 'acme/engine', branch: 'try', commits: [{ message: 'Mine', texts }] });
    const run = async (input: Record<string, string>, ref?: string) => {
      const args = { repository: engine, workflow: 'typed.yml', ref, input } as const;
      return refusal(Promise.resolve(workflowRun.plan(args, await contextOf())).then(() => undefined));
    };
    expect(await run({})).toBeUndefined();
    expect(await run({}, 'try')).toContain('deploys to typed');
    expect(await run({ live: 'no' }, 'try')).toBeUndefined();
  });

  it('is refused under the present name of a renamed repository, and in any spelling', async () => {
    expect(await start({}, 'gated.yml', { owner: 'acme', repo: 'present' })).toContain('deploys to former');
    expect(await start({}, 'gated.yml', { owner: 'acme', repo: 'former' })).toContain('deploys to former');
    expect(await start({}, 'whole.yml', { owner: 'ACME', repo: 'engine' })).toContain('deploys to whole');
  });
});

describe('rerunning a run', () => {
  const run = (more: Partial<WorkflowRun> = {}) =>
    ({ id: 7, path: 'gated.yml@refs/heads/main', event: 'workflow_dispatch', ...more }) as WorkflowRun;
  const rerun = async (given = run()) =>
    refusal(refuseRedeploy({ ...engine, run: given.id }, given, await contextOf()));
  const put = (more: Partial<Deployment> = {}) =>
    at.store.deployments.put(deploymentOf({ run: 7, state: 'failed', startedAt: 1, endedAt: at.now(), ...more }));
  const instead = (name: string) => `This run may deploy to ${name}. Use /forge deploy ${name} instead.`;

  it.each(['workflow_dispatch', ''])('that Bellows does not know is refused if “%s” started it', async (event) => {
    expect(await rerun(run({ event }))).toBe(instead('production'));
  });

  it('that a pull request started is possible, unless its workflow needs no inputs to deploy', async () => {
    expect(await rerun(run({ event: 'pull_request' }))).toBeUndefined();
    expect(await rerun(run({ event: 'pull_request', path: 'whole.yml@refs/heads/main' }))).toBe(instead('whole'));
  });

  it('of another workflow is possible, but not of one that the server does not name', async () => {
    expect(await rerun(run({ path: 'ci.yml@refs/heads/main' }))).toBeUndefined();
    expect(await rerun(run({ path: '' }))).toBe(instead('production'));
  });

  it.each(['failed', 'canceled'] as const)('that %s last is possible, whatever else it could deploy', async (state) => {
    await put({ id: 'd0', run: 99 });
    await put({ state, environment: 'other' });
    expect(await rerun()).toBeUndefined();
    expect(await rerun(run({ event: 'pull_request' }))).toBeUndefined();
  });

  it.each<[string, Partial<Deployment>]>([
    ['succeeded', { state: 'succeeded' }],
    ['still runs', { state: 'running' }],
    ['has an unknown outcome', { state: 'unknown' }],
    ['ran another commit than approved', { otherCommit: 'b'.repeat(40) }],
  ])('is refused if it %s', async (_, more) => {
    await put(more);
    expect(await rerun()).toBe(instead('production'));
    // however it was started
    expect(await rerun(run({ event: 'push' }))).toBe(instead('production'));
  });

  it('that nobody approved is possible only for the people who may deploy like that', async () => {
    await put({ breakGlass: 'Site is down' });
    const by = async (user: string, more: Partial<Context> = {}) =>
      refusal(refuseRedeploy({ ...engine, run: 7 }, run(), { ...(await contextOf(user)), ...more }));
    expect(await by('U0ADA00001')).toBeUndefined();
    const says = 'Nobody approved this deployment to production. Use /forge deploy production instead.';
    expect(await by('U0GRACE001')).toBe(says);
    expect(await by('U0ADA00001', { agent: { id: 'g1', name: 'Robot' } })).toBe(says);
  });

  it('is refused if another deployment came after it', async () => {
    await put();
    await put({ id: 'd2', run: 8, startedAt: 2 });
    expect(await rerun()).toBe(instead('production'));
    expect(await rerun(run({ id: 8 }))).toBeUndefined();
  });

  it('is refused once nobody would follow it: a day after its end', async () => {
    await put({ endedAt: at.now() - 86_400_000 });
    expect(await rerun()).toBeUndefined();
    at.pass(1);
    const says =
      'This deployment to production ended more than 24 hours ago. Deploy it again: /forge deploy production.';
    expect(await rerun()).toBe(says);
  });

  it('is refused while its environment is frozen', async () => {
    await put();
    const until = Math.max(Date.now(), at.now()) + 7_200_000;
    await at.store.deployments.freeze('production', {
      by: { team, user: 'U1', login: 'ada' },
      until,
      reason: 'Launch',
    });
    expect(await rerun()).toMatch(/^production is frozen for another .* \(Launch\)\.$/);
    await at.store.deployments.unfreeze('production');
    expect(await rerun()).toBeUndefined();
  });
});
