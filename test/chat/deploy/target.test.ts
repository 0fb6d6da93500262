import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../../src/chat/context.js';
import type { SessionOptions } from '../../../src/chat/session.js';
import { deploy } from '../../../src/features/deploy/deploy.js';
import {
  type Asked,
  configuredAs,
  environment,
  questions,
  targetOf,
  visible,
} from '../../../src/features/deploy/environment.js';
import { deployFreeze } from '../../../src/features/deploy/freeze.js';
import { deployHistory } from '../../../src/features/deploy/history.js';
import { deployStatus } from '../../../src/features/deploy/status.js';
import { deployUnfreeze } from '../../../src/features/deploy/unfreeze.js';
import { describe as operation } from '../../../src/forge/index.js';
import { deploymentOf, dispatchedWith } from '../../support/deployment.js';
import { useApprovals } from '../approval/scene.js';

const scene = useApprovals();
const { at } = scene;
const repo = 'acme/engine';
const runs = 'GET /repos/{owner}/{repo}/actions/runs/{run}';
const place = { owner: 'acme', repo: 'engine' };
const ada = 'U0ADA00001';
const grace = 'U0GRACE001';
const linus = 'U0LINUS001';
const engine = 'repository: acme/engine, refs: [main], workflow: push.yml';
const policy = `deployments:
  production:
    { repository: acme/engine, workflow: push.yml, refs: [main, "v*"], inputs: { environment: production },
      askFor: [version, note], ask: maintainer, breakGlass: { users: [${ada}] } }
  named: { ${engine}, inputs: { environment: named }, ask: { users: [${ada}] } }
  tags:
    { repository: acme/engine, workflow: push.yml, refs: ["v*", refs/tags/main, "refs/pull/*/head"],
      inputs: { environment: tags } }
  releases: { repository: acme/engine, workflow: push.yml, refs: ["v*"], inputs: { environment: releases } }
  needy: { repository: acme/engine, workflow: needy.yml, refs: [main], inputs: { environment: needy, more: m },
    askFor: [note], breakGlass: { users: [${ada}] } }
  anywhere: { repository: acme/engine, workflow: push.yml, refs: ["**"], inputs: { environment: anywhere } }
  closed:
    { ${engine}, inputs: { environment: closed }, freeze: [{ zone: UTC, reason: Holidays }],
      breakGlass: { users: [${ada}] } }
  hidden: { repository: acme/vault, workflow: push.yml, refs: [main] }
`;

beforeAll(() => {
  const { world } = scene.forge;
  const some = '      environment: {}\n      version: { description: The tag }\n      note: {}\n';
  world.plantWorkflow({ repo, file: 'push.yml', text: dispatchedWith(some) });
  const needs = '      environment: {}\n      note: { required: true }\n      more: { required: true }\n';
  world.plantWorkflow({ repo, file: 'needy.yml', text: dispatchedWith(needs) });
  world.tag({ as: 'grace', repo, tag: 'main' });
  world.tag({ as: 'grace', repo, tag: 'v3' });
  for (const branch of ['MAIN', 'try']) world.push({ as: 'grace', repo, branch, commits: [branch] });
  for (const login of ['reader', 'starter', 'single', 'looker'])
    world.createUser({ login, password: 'a long password' });
  const read = { org: 'acme', permission: 'read' } as const;
  world.createTeam({ ...read, name: 'readers', units: { code: 'read', actions: 'read' }, members: ['looker'] });
  world.createTeam({
    ...read,
    name: 'starters',
    units: { code: 'read', actions: 'write' },
    members: ['starter', 'ada'],
  });
  world.createTeam({ ...read, name: 'singles', units: { code: 'read', actions: 'write' }, members: ['single'] });
  for (const name of ['readers', 'starters', 'singles']) world.addTeamRepo({ org: 'acme', team: name, repo });
});
let sha: string;
beforeEach(() => {
  scene.configure(policy);
  const { world } = scene.forge;
  const [commit] = world.push({ as: 'ada', repo, branch: 'main', commits: ['Next'] });
  sha = commit?.sha ?? '';
});

const { contextOf } = scene;
const target = async (asked: Partial<Asked> = {}, user = ada, more: Partial<SessionOptions> = {}) =>
  targetOf({ environment: 'production', ...asked }, await contextOf(user, more));
/** What is said instead; undefined if it may be deployed. */
const refusal = async (...given: Parameters<typeof target>) => told(target(...given));
const told = async (doing: Promise<unknown>) =>
  doing.then(
    () => undefined,
    (error: Error) => error.message,
  );
const status = (context: string, state: string) =>
  scene.forge.world.commitStatus({ as: 'ada', repo, sha, context, state });

describe('the name of an environment', () => {
  const { show, schema, ...field } = environment();
  const read = (text: string) => field.read(text, { now: new Date(at.now()), webUrl: '', slash: '/forge' });

  it('is read in any spelling', () => {
    expect(read(' Production ')).toBe('production');
    expect(show('production')).toBe('production');
    expect(schema.safeParse('production').success).toBe(true);
  });

  it.each(['', '-x', 'a b', 'a'.repeat(32), 'x\ny'])('is not “%s”', (text) => {
    expect(() => read(text)).toThrow('is not an environment. Write its name, such as production.');
    expect(schema.safeParse(text).success).toBe(false);
  });

  it('is one of those set up', async () => {
    const context = await contextOf();
    expect(configuredAs('production', context)).toMatchObject({ name: 'production', at: place });
    const known = 'Choose one of: production, named, tags, releases, needy, anywhere, closed, hidden.';
    expect(() => configuredAs('nowhere', context)).toThrow(`There is no environment nowhere. ${known}`);
    expect(() => read('x'.repeat(99))).toThrow(`“${'x'.repeat(40)}” is not`);
    expect(() => configuredAs('constructor', context)).toThrow('There is no environment constructor.');
    const many = Array.from({ length: 21 }, (_, nth) => `  e${nth}: { ${engine}, inputs: { a: "${nth}" } }`);
    scene.configure(`deployments:\n${many.join('\n')}\n`);
    expect(await refusal({ environment: 'nowhere' })).toMatch(/e19\.$/);
    scene.configure();
    expect(await refusal()).toBe('No deployments are set up. An admin adds them to bellows.yaml.');
  });
});

describe('the environments someone sees', () => {
  const seen = async (name: string | undefined, user: string) =>
    (await visible(name, await contextOf(user))).map((each) => each.name);

  it('are those whose repository they see', async () => {
    expect(await seen(undefined, ada)).toContain('hidden');
    const others = ['production', 'named', 'tags', 'releases', 'needy', 'anywhere', 'closed'];
    expect(await seen(undefined, linus)).toEqual(others);
    expect(await seen('named', linus)).toEqual(['named']);
    const context = await contextOf(linus);
    expect(await deployStatus.run({}, context)).toMatchObject(others.map((name) => ({ name })));
    for (const name of ['hidden', 'named'])
      await at.store.deployments.put(deploymentOf({ id: name, environment: name, state: 'succeeded' }));
    expect(await deployHistory.run({}, context)).toMatchObject({ items: [{ id: 'named' }] });
  });

  it.each([
    ['status', (context: Context) => deployStatus.run({ environment: 'hidden' }, context)],
    ['history', (context: Context) => deployHistory.run({ environment: 'hidden' }, context)],
    ['freeze', (context: Context) => deployFreeze.run({ environment: 'hidden', length: 60 }, context)],
    ['unfreeze', (context: Context) => deployUnfreeze.run({ environment: 'hidden' }, context)],
  ])('are no others for %s', async (_what, run) => {
    expect(await told(run(await contextOf(linus)))).toBe('You can’t see the repository of hidden on the forge.');
    expect(await at.store.deployments.freezeOf('hidden')).toBeUndefined();
  });

  it('are none, with the reason', async () => {
    expect(await told(seen('hidden', linus))).toBe('You can’t see the repository of hidden on the forge.');
    scene.configure('deployments:\n  hidden: { repository: acme/vault, workflow: push.yml, refs: [main] }\n');
    expect(await told(seen(undefined, linus))).toBe('You can’t see any repository that is deployed from here.');
    scene.configure();
    expect(await told(seen(undefined, linus))).toBe('No deployments are set up. An admin adds them to bellows.yaml.');
  });
});

describe('what is asked in the form', () => {
  const asked = async (given: Partial<Asked>) =>
    (await questions(given, await contextOf())).asked.map(({ name, initial }) => [name, initial]);

  it('is what the deployment leaves open, with what was typed', async () => {
    expect(await asked({ environment: 'production', input: { note: 'typed' } })).toEqual([
      ['version', undefined],
      ['note', 'typed'],
    ]);
    expect(await asked({ environment: 'production', ref: 'v3' })).toHaveLength(2);
    expect(await told(asked({ environment: 'production', ref: 'nowhere' }))).toContain(
      'has no branch or tag `nowhere`',
    );
  });

  it('is nothing without an environment, and without anything open', async () => {
    scene.forge.requests.clear();
    expect(await asked({})).toEqual([]);
    expect(await asked({ environment: 'named' })).toEqual([]);
    expect(scene.forge.requests.all).toEqual([]);
  });
});

describe('what would be deployed', () => {
  it('is the newest commit of the usual branch, with exactly these inputs', async () => {
    await at.store.deployments.put(deploymentOf({ id: 'd0', state: 'succeeded' }));
    expect(await target({ input: { version: '2' } })).toMatchObject({
      name: 'production',
      at: place,
      sha,
      what: {
        at: place,
        workflow: 'push.yml',
        ref: 'refs/heads/main',
        inputs: { environment: 'production', version: '2' },
      },
      checks: { state: 'none' },
      last: { id: 'd0' },
    });
  });

  it('is the default branch where no ref is fixed, and that has to be allowed', async () => {
    expect((await target({ environment: 'tags' })).what.ref).toBe('refs/tags/main');
    expect(await refusal({ environment: 'releases' })).toBe('`main` can’t be deployed to releases. Allowed: `v*`.');
  });

  it('is a tag that is allowed', async () => {
    expect((await target({ ref: 'v3' })).what.ref).toBe('refs/tags/v3');
    expect((await target({ environment: 'releases', ref: 'v3' })).what.ref).toBe('refs/tags/v3');
  });

  it.each([
    ['refs/tags/main', 'The tag `main` can’t be deployed to production, because a branch has the same name.'],
    ['MAIN', '`MAIN` can’t be deployed to production. Allowed: `main`, `v*`.'],
    ['try', '`try` can’t be deployed to production. Allowed: `main`, `v*`.'],
    ['refs/pull/8/head', '`refs/pull/8/head` can’t be deployed to production. Allowed: `main`, `v*`.'],
    ['V3', 'acme/engine has no branch or tag `V3`.'],
  ])('is not %s', async (ref, says) => {
    const error = await target({ ref }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: says, field: 'ref' });
  });

  it('is no commit and no other ref, however many branches and tags are allowed', async () => {
    expect(await refusal({ environment: 'anywhere', ref: 'try' })).toBeUndefined();
    expect(await refusal({ environment: 'anywhere', ref: 'refs/pull/8/head' })).toContain(
      'can’t be deployed to anywhere',
    );
    expect(await refusal({ environment: 'anywhere', ref: sha })).toContain('has no branch or tag');
    expect(await refusal({ environment: 'tags', ref: 'try' })).toContain('`try` can’t be deployed to tags.');
  });

  it('is started as the file says at exactly that commit', async () => {
    scene.forge.requests.clear();
    await target();
    await questions({ environment: 'production' }, await contextOf());
    const read = scene.forge.requests.all.filter(({ path }) => path.includes('/contents/'));
    expect(read.length).toBeGreaterThan(1);
    expect(new Set(read.map(({ query }) => query['ref']))).toEqual(new Set([sha]));
  });

  it('has no input that the deployment fixes or does not leave open', async () => {
    const error = await target({ input: { environment: 'staging' } }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: '`environment` can’t be set here. Inputs to give: `version`, `note`.',
      field: 'input',
    });
    expect(await refusal({ environment: 'named', input: { version: '2' } })).toContain('Inputs to give: none.');
  });

  /** What the button of a refusal fills the form with. */
  const carried = (error: unknown): unknown =>
    JSON.parse(JSON.parse(`"${/"value":"(.*?[^\\])"/.exec(JSON.stringify(error))?.[1] ?? ''}"`));

  it('needs every required input: asked for in a form, or missing in bellows.yaml', async () => {
    const given = { environment: 'needy', ref: 'main', reason: 'Now' };
    const error = await target(given).catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error)).toContain('Fill in inputs');
    expect(carried(error)).toEqual({ c: 'deploy', a: given });
    expect((await target({ ...given, input: { note: 'Well' } })).what.inputs).toEqual({
      environment: 'needy',
      note: 'Well',
      more: 'm',
    });
    scene.configure(policy.replace(', more: m', ''));
    expect(await refusal(given)).toBe(
      '`needy.yml` needs a value for `note`, `more`. An admin adds it to `deployments.needy` in bellows.yaml.',
    );
    scene.configure(policy.replace(', more: m', '').replace('askFor: [note]', 'askFor: [note, more]'));
    const emergency = { ...given, input: { note: 'Well' }, breakGlass: true };
    expect(carried(await target(emergency).catch((thrown: unknown) => thrown))).toEqual({ c: 'deploy', a: emergency });
  });
});

describe('who may deploy', () => {
  beforeEach(async () => {
    await scene.link('U0READER01', 'reader');
    await scene.link('U0STARTER1', 'starter');
    await scene.link('U0SINGLE01', 'single');
    await scene.link('U0LOOKER01', 'looker');
  });

  it.each([
    ['production', 'U0READER01', 'You can’t request a deployment to production. Maintainers can.'],
    ['named', grace, 'You can’t request a deployment to named. The people named in bellows.yaml can.'],
    ['needy', 'U0READER01', 'You need write access to acme/engine to deploy to needy.'],
    ['needy', 'U0LOOKER01', 'You need write access to acme/engine to deploy to needy.'],
  ])('is not everyone: %s by %s', async (name, user, says) => {
    expect(await refusal({ environment: name, input: { note: 'x' } }, user)).toBe(says);
  });

  it('is who is named, has the role, or starts workflows by a team', async () => {
    expect(await refusal({}, grace)).toBeUndefined();
    expect(await refusal({ environment: 'named' }, ada)).toBeUndefined();
    for (const user of ['U0STARTER1', 'U0SINGLE01'])
      expect(await refusal({ environment: 'needy', input: { note: 'x' } }, user)).toBeUndefined();
  });

  it('is who may push, and nobody else while the forge does not show its teams', async () => {
    scene.forge.faults.add({ on: /^GET \/repos\/acme\/engine\/teams$/, trouble: { status: 403 }, times: 9 });
    expect(await refusal({}, grace)).toBeUndefined();
    const says = 'You need write access to acme/engine to deploy to needy.';
    expect(await refusal({ environment: 'needy', input: { note: 'x' } }, 'U0STARTER1')).toBe(says);
  });

  it('is said about the requester once it is approved', async () => {
    const approval = { id: 'a1', approvers: [] } as unknown as NonNullable<SessionOptions['approval']>;
    expect(await refusal({}, 'U0READER01', { approval })).toBe('The requester may no longer deploy to production.');
    expect(await refusal({ environment: 'needy', input: { note: 'x' } }, 'U0READER01', { approval })).toBe(
      'The requester needs write access to acme/engine to deploy to needy.',
    );
  });
});

describe('when nothing is deployed', () => {
  it('is while something else is, but not its own job', async () => {
    await at.store.deployments.begin(deploymentOf({ id: 'd1', startedAt: at.now() }));
    expect(await refusal()).toBe(
      '`main` is being deployed to production right now (started by ada). Try again when it is done.',
    );
    expect(await refusal({}, ada, { job: 'd1' })).toBeUndefined();
    expect(await refusal({ breakGlass: true, reason: 'Now' })).toContain('right now');
  });

  it('is while the last one, which failed, is rerun', async () => {
    const { world, requests } = scene.forge;
    requests.clear();
    const run = world.startRun({ as: 'ada', repo, title: 'Deploy', branch: 'try' });
    const ended = deploymentOf({ state: 'failed', run: run.id, endedAt: at.now() - 60_000 });
    for (const state of ['failed', 'canceled'] as const) {
      await at.store.deployments.put({ ...ended, state });
      expect(await refusal()).toContain('is being deployed to production right now');
    }
    expect(await refusal({ breakGlass: true, reason: 'Now' })).toContain('right now');
    const listed = deploy.operations.map((name) => operation(name).route);
    expect(listed).toEqual(expect.arrayContaining(requests.all.map(({ route }) => route)));
    expect(await refusal({}, ada, { job: 'd1' })).toBeUndefined();
    // these would not count as this deployment
    for (const other of [{ otherCommit: 'b'.repeat(40) }, { endedAt: at.now() - 86_400_001 }]) {
      await at.store.deployments.put({ ...ended, ...other });
      expect(await refusal()).toBeUndefined();
    }
    await at.store.deployments.put(ended);
    world.finishRun({ run: run.id, conclusion: 'failure' });
    expect(await refusal()).toBeUndefined();
  });

  it('is while nobody can tell whether the last one is rerun, but not in an emergency', async () => {
    await at.store.deployments.put(deploymentOf({ state: 'failed', run: 1, endedAt: at.now() - 60_000 }));
    const stop = scene.forge.faults.add({ on: runs, times: 99, trouble: { status: 500 } });
    expect(await refusal()).toBeDefined();
    expect(await refusal({ breakGlass: true, reason: 'Now' })).toBeUndefined();
    stop();
    // deleted since
    await at.store.deployments.put(deploymentOf({ state: 'failed', run: 999, endedAt: at.now() - 60_000 }));
    expect(await refusal()).toBeUndefined();
  });

  it('is in a freeze', async () => {
    expect(await refusal({ environment: 'closed' })).toBe('closed is frozen until 24:00 UTC (Holidays).');
  });

  it.each([
    ['failure', /^Checks failed on `\w{10}`: `ci\/build`\. Fix them, or deploy another commit\.$/],
    ['pending', /^Not all checks passed on `\w{10}`: `ci\/build` is still running\. Try again when they have/],
    ['warning', /`ci\/build` has warnings\./],
    ['someday', /`ci\/build` has not passed\./],
  ])('is after a check with %s', async (state, says) => {
    status('ci/build', state);
    expect(await refusal()).toMatch(says);
    scene.configure(policy.replace('ask: maintainer', 'ask: maintainer, checks: any'));
    expect(await refusal()).toBeUndefined();
  });

  it('names five checks at most', async () => {
    for (let nth = 0; nth < 6; nth += 1) status(`slow/${nth}`, 'pending');
    expect((await refusal())?.match(/slow\//g)).toHaveLength(5);
    for (let nth = 0; nth < 6; nth += 1) status(`bad/${nth}`, 'failure');
    expect((await refusal())?.match(/bad\//g)).toHaveLength(5);
  });

  it('is not after checks that passed, nor after runs that someone started by hand', async () => {
    status('ci/build', 'success');
    status('deploy / build (workflow_dispatch)', 'failure');
    expect(await target()).toMatchObject({ checks: { state: 'success' } });
  });

  it('is not because the commit left the merge queue', async () => {
    status('ci/build', 'success');
    status('bellows/queue', 'failure');
    expect(await target()).toMatchObject({ checks: { state: 'success', failed: [] } });
  });

  it('is while the checks cannot be read', async () => {
    scene.forge.faults.add({
      on: 'GET /repos/{owner}/{repo}/commits/{ref}/status',
      trouble: { status: 500 },
      times: 9,
    });
    expect(await told(target())).toContain('500');
    expect(await target({ breakGlass: true, reason: 'Now' })).toMatchObject({ checks: undefined });
  });

  it('is with more checks than can be read', async () => {
    for (let nth = 0; nth < 500; nth += 1) status(`ci/${nth}`, 'success');
    expect(await refusal()).toMatch(/^`\w{10}` has more checks than Bellows can read\. Deploy another commit\.$/);
  });
});

describe('in an emergency', () => {
  const now = { breakGlass: true, reason: 'Site is down' };

  it('the named people deploy at once, whatever is frozen or failed', async () => {
    status('ci/build', 'failure');
    expect(await refusal(now)).toBeUndefined();
    expect(await refusal({ ...now, environment: 'closed' })).toBeUndefined();
  });

  it.each([
    ['others', {}, grace, 'You can’t deploy to production without approval. Leave --break-glass out.'],
    ['anyone', { environment: 'named' }, ada, 'You can’t deploy to named without approval. Leave --break-glass out.'],
    ['those', { reason: '' }, ada, '--break-glass needs a reason: add --reason "…".'],
  ])('not %s: %j', async (_, more, user, says) => {
    expect(await refusal({ ...now, ...more }, user)).toBe(says);
  });

  it('a missing reason is asked for in its field', async () => {
    expect(await target({ breakGlass: true }).catch((thrown: unknown) => thrown)).toMatchObject({ field: 'reason' });
  });
});
