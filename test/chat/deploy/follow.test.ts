import { beforeEach, describe, expect, it } from 'vitest';
import { createFollower } from '../../../src/chat/deploy/follow.js';
import type { ApprovalDeps } from '../../../src/chat/runtime.js';
import type { Services } from '../../../src/chat/session.js';
import { ApiError } from '../../../src/forge/index.js';
import type { Deployment } from '../../../src/store/index.js';
import { readable } from '../../../src/view/text.js';
import { deploymentOf } from '../../support/deployment.js';
import { useApprovals } from '../approval/scene.js';

const scene = useApprovals();
const { at, posted, answers, rows } = scene;
const sha = 'a'.repeat(40);
const other = 'b'.repeat(40);
const minute = 60_000;
const day = 24 * 60 * minute;
const everyMs = 1_000;
const by = { team: 'T1', user: 'U0ADA00001', login: 'ada' };

interface Run {
  readonly status: string;
  readonly conclusion?: string;
  readonly head_sha: string;
  readonly run_number: number;
  readonly html_url: string;
  readonly started_at?: Date;
  readonly completed_at?: Date;
}
/** What the forge says about the run, or why it says nothing. */
let run: Run | Error;
/** Where refs point now. */
let heads: Record<string, string> | Error;
let refusals: Partial<Record<'cancel' | 'forceCancel', Error>>;
let stops: string[];
let looks: number;
let deps: ApprovalDeps;
let turn: () => Promise<void>;

const runs = (more: Partial<Run> = {}): Run => ({
  status: 'in_progress',
  head_sha: sha,
  run_number: 12,
  html_url: 'https://forge.example/run',
  ...more,
});
const ended = (conclusion: string, more: Partial<Run> = {}) => runs({ status: 'completed', conclusion, ...more });
const failure = (kind: ApiError['kind'], unsupported = false) =>
  new ApiError({ kind, operation: 'runs.get', unsupported });
const answer = async <T>(value: T | Error): Promise<T> => {
  if (value instanceof Error) throw value;
  return value;
};

beforeEach(() => {
  run = runs();
  heads = {};
  refusals = {};
  stops = [];
  looks = 0;
  const environment = 'repository: acme/engine, workflow: deploy.yml, refs: [main]';
  scene.configure(
    `deployments:\n  other: { ${environment}, inputs: { version: other } }\n  production: { ${environment}, approve: maintainer }\n`,
  );
  const stop = (how: 'cancel' | 'forceCancel') => async (ref: object) => {
    stops.push(how);
    expect(ref).toEqual({ owner: 'acme', repo: 'engine', run: 7 });
    await answer(refusals[how]);
  };
  const service = {
    runs: {
      get: async (ref: object) => {
        looks += 1;
        expect(ref).toEqual({ owner: 'acme', repo: 'engine', run: 7 });
        return answer(run);
      },
    },
    repos: {
      listCommits: async ({ query }: { query: { sha: string } }) => {
        const found = (await answer(heads))[query.sha];
        return { items: found === undefined ? [] : [{ sha: found }] };
      },
    },
  };
  const forge = {
    as: (credential: object) => {
      expect(credential).toMatchObject({ kind: 'token', token: scene.forge.account('ada').token() });
      return { runs: { cancel: stop('cancel'), forceCancel: stop('forceCancel') } };
    },
  };
  const services = { ...scene.deps.services, service, forge } as unknown as Services;
  deps = { ...scene.deps, services };
  turn = createFollower(deps, everyMs);
});

async function begin(more: Partial<Deployment> = {}): Promise<void> {
  const deployment = deploymentOf({ by, channel: 'C0ROOM0001', run: 7, startedAt: at.now(), ...more });
  await at.store.deployments.begin(deployment);
}
const now = async (): Promise<Deployment | undefined> => (await at.store.deployments.list('production'))[0];
const isBusy = async () => (await at.store.deployments.current('production')) !== undefined;
const cards = () => posted.filter(({ under }) => under === undefined);
const replies = () => posted.filter(({ under }) => under !== undefined);
const texts = (of: typeof posted) => of.map(({ message: { text } }) => readable(text));

describe('a deployment whose run is not known yet', () => {
  it('waits ten minutes for it, then its outcome is unknown and the environment free', async () => {
    await begin({ run: null });
    at.pass(10 * minute);
    await turn();
    expect(await now()).toMatchObject({ state: 'starting', endedAt: null });
    expect(cards()).toMatchObject([{ key: 'deploy-d1', channel: 'C0ROOM0001' }]);
    expect(replies()).toEqual([]);
    at.pass(1);
    await turn();
    expect(await now()).toMatchObject({ state: 'unknown', endedAt: at.now() });
    expect(await isBusy()).toBe(false);
    expect(answers).toEqual([{ user: by.user, text: expect.stringContaining('Outcome unknown') }]);
    expect(rows).toMatchObject([
      { outcome: 'unknown', durationMs: 10 * minute + 1, args: { environment: 'production' } },
    ]);
    expect(rows[0]?.args).not.toHaveProperty('run');
    expect(looks).toBe(0);
  });
});

describe('a deployment that runs', () => {
  it('is told once in its thread, also when its number is known only later or another process follows', async () => {
    run = runs({ run_number: 0, html_url: '' });
    await begin({ url: 'https://forge.example/known' });
    await turn();
    expect(await now()).toMatchObject({ state: 'running', url: 'https://forge.example/known' });
    run = runs();
    await turn();
    expect(await now()).toMatchObject({ state: 'running', number: 12, url: 'https://forge.example/run' });
    await createFollower(deps, everyMs)();
    expect(new Set(replies().map(({ key, under, version }) => `${key} ${under} ${version}`)).size).toBe(1);
    expect(replies()[0]).toMatchObject({ key: 'deploy-d1-thread', under: 'deploy-d1', channel: 'C0ROOM0001' });
    expect(new Set(cards().map(({ version }) => version)).size).toBe(2);
    expect(texts(cards())[0]).toContain('started a deployment of main (aaaaaaaaaa) to production');
    expect(texts(cards())[0]).not.toContain('Break glass');
    expect(await isBusy()).toBe(true);
    expect([answers, rows]).toEqual([[], []]);
  });

  it('is neither told nor written again while nothing changes', async () => {
    await begin();
    await turn();
    const before = posted.length;
    const { put } = at.store.deployments;
    let written = 0;
    deps.services.store.deployments.put = async (record) => {
      written += 1;
      return put(record);
    };
    at.pass(minute);
    await turn();
    expect([posted.length, written]).toEqual([before, 0]);
  });

  it.each([
    ['success', 'succeeded', 'done', 'Deployed'],
    ['failure', 'failed', 'failed', 'Deployment failed'],
    ['cancelled', 'canceled', 'failed', 'Deployment canceled'],
    ['skipped', 'failed', 'failed', 'Deployment failed'],
  ])(
    'ends with %s: it is %s, its requester hears of it, and the environment is free',
    async (how, state, outcome, says) => {
      await begin({ approvers: [{ team: 'T1', user: 'U0GRACE001', login: 'grace' }] });
      run = ended(how, { completed_at: new Date(at.now() + 5_000) });
      at.pass(9_000);
      await turn();
      expect(await now()).toMatchObject({ state, endedAt: at.now() - 4_000, rollback: null });
      expect(await isBusy()).toBe(false);
      expect(answers).toEqual([{ user: by.user, text: expect.stringContaining(says) }]);
      expect(texts(replies())).toEqual([expect.stringContaining(says)]);
      expect(rows).toMatchObject([
        {
          person: { team: 'T1', user: by.user },
          login: 'ada',
          command: 'deploy',
          args: { environment: 'production', ref: 'main', commit: sha, run: 7 },
          operations: [],
          outcome,
          detail: `${state} on production`,
          durationMs: 5_000,
          approval: { id: 'd1', approvers: [{ user: 'U0GRACE001' }] },
        },
      ]);
    },
  );

  it('ended now if the forge does not say when', async () => {
    await begin();
    run = ended('success');
    at.pass(minute);
    await turn();
    expect(await now()).toMatchObject({ endedAt: at.now() });
  });

  it('is in the audit once, and the environment stays busy until everyone was told', async () => {
    await begin();
    run = ended('success');
    const { post } = deps;
    const failing = { ...deps, post: async () => Promise.reject(new Error('Slack is down')) };
    await createFollower(failing, everyMs)();
    expect(await isBusy()).toBe(true);
    expect(rows).toEqual([]);
    // what ended stays as it ended
    run = runs();
    const { release } = at.store.deployments;
    deps.services.store.deployments.release = async () => Promise.reject(new Error('Redis is down'));
    await turn();
    expect(await isBusy()).toBe(true);
    deps.services.store.deployments.release = release;
    await createFollower({ ...deps, post }, everyMs)();
    expect(await isBusy()).toBe(false);
    expect(rows).toMatchObject([{ outcome: 'done' }]);
  });

  it('is looked for ten minutes if the forge does not know it', async () => {
    await begin();
    run = failure('notFound');
    at.pass(10 * minute);
    await turn();
    expect(await now()).toMatchObject({ state: 'starting' });
    at.pass(1);
    await turn();
    expect(await now()).toMatchObject({ state: 'unknown' });
  });

  it('has an unknown outcome at once where the server cannot show runs', async () => {
    await begin();
    run = failure('notFound', true);
    await turn();
    expect(await now()).toMatchObject({ state: 'unknown' });
  });

  it.each([
    ['does not answer', () => failure('unavailable')],
    ['refuses', () => failure('forbidden')],
  ])('stays as it is while the forge %s', async (_, error) => {
    await begin();
    run = error();
    at.pass(20 * minute);
    await turn();
    expect(await now()).toMatchObject({ state: 'starting' });
    expect(posted).toEqual([]);
    run = ended('success');
    await turn();
    expect(await now()).toMatchObject({ state: 'succeeded' });
  });

  it('counts as lost after a day without an end', async () => {
    await begin();
    at.pass(day);
    await turn();
    expect(await now()).toMatchObject({ state: 'running' });
    at.pass(1);
    await turn();
    expect(await now()).toMatchObject({ state: 'unknown' });
  });

  it('does not keep the next environment waiting if it cannot be followed', async () => {
    await at.store.deployments.begin(deploymentOf({ id: 'd0', environment: 'other', by, run: null, startedAt: 0 }));
    await begin();
    run = ended('success');
    const get = deps.post;
    const broken: typeof deps.post = async (notice) => {
      if (notice.key.includes('d0')) throw new Error('Slack is down');
      await get(notice);
    };
    await createFollower({ ...deps, post: broken }, everyMs)();
    expect(await now()).toMatchObject({ state: 'succeeded' });
    expect(await isBusy()).toBe(false);
  });
});

describe('a run on another commit than the approved one', () => {
  beforeEach(async () => {
    run = runs({ head_sha: other });
    await begin();
  });
  const stop = async () => (await now())?.stop;

  it('is canceled as its requester, then force-canceled if it still runs after twenty seconds', async () => {
    await turn();
    expect(await now()).toMatchObject({ state: 'running', otherCommit: other });
    expect(await stop()).toEqual({ how: 'canceled', at: at.now() });
    at.pass(19_999);
    await turn();
    expect(stops).toEqual(['cancel']);
    at.pass(1);
    await turn();
    expect(stops).toEqual(['cancel', 'forceCancel']);
    expect(await stop()).toEqual({ how: 'forced', at: at.now() });
    at.pass(minute);
    await turn();
    expect(stops).toHaveLength(2);
    run = ended('cancelled', { head_sha: other });
    await turn();
    expect(rows).toMatchObject([
      { detail: `canceled on production; not the approved commit but ${other}, force-canceled` },
    ]);
  });

  it('is force-canceled at once if it cannot be canceled', async () => {
    refusals.cancel = failure('unavailable');
    await turn();
    expect(stops).toEqual(['cancel', 'forceCancel']);
    expect(await stop()).toMatchObject({ how: 'forced' });
  });

  it('is tried again with every look if neither works', async () => {
    refusals = { cancel: failure('forbidden'), forceCancel: failure('notFound', true) };
    await turn();
    expect(await stop()).toMatchObject({ how: 'failed' });
    await turn();
    expect(stops).toHaveLength(4);
    refusals = {};
    await turn();
    expect(await stop()).toMatchObject({ how: 'canceled' });
  });

  it('is left alone where the server cannot cancel runs', async () => {
    refusals = { cancel: failure('notFound', true), forceCancel: failure('notFound', true) };
    await turn();
    expect(await stop()).toMatchObject({ how: 'unable' });
    await turn();
    expect(stops).toHaveLength(2);
  });

  it('stays canceled where the server cannot force it', async () => {
    await turn();
    const before = await stop();
    refusals = { forceCancel: failure('notFound', true) };
    at.pass(minute);
    await turn();
    expect(stops).toEqual(['cancel', 'forceCancel']);
    expect(await stop()).toEqual(before);
  });

  it('is not stopped by anyone else if its requester has signed out', async () => {
    await scene.signOut(by.user);
    await turn();
    expect(stops).toEqual([]);
    expect(await stop()).toMatchObject({ how: 'failed' });
  });

  it('is not reported if stopping it failed inside Bellows', async () => {
    refusals.cancel = new Error('no memory');
    await turn();
    expect(stops).toEqual(['cancel']);
    expect(await stop()).toBeUndefined();
    expect(posted).toEqual([]);
  });

  it('is what ran if it ended first', async () => {
    run = ended('success', { head_sha: other });
    await turn();
    expect(stops).toEqual([]);
    expect(await now()).toMatchObject({ state: 'succeeded', otherCommit: other });
    expect(rows).toMatchObject([{ detail: `succeeded on production; not the approved commit but ${other}` }]);
  });
});

it('is not stopped if nobody approved a commit, or the forge names none', async () => {
  await begin({ breakGlass: 'Site is down' });
  run = runs({ head_sha: other });
  await turn();
  expect(await now()).toMatchObject({ otherCommit: other });
  run = runs({ head_sha: '' });
  await turn();
  expect(await now()).toMatchObject({ otherCommit: null });
  expect(stops).toEqual([]);
});

describe('after a failure, the previous version', () => {
  const previous = (more: Partial<Deployment> = {}) =>
    at.store.deployments.put(deploymentOf({ id: 'd0', ref: 'refs/tags/v1', sha: other, state: 'succeeded', ...more }));
  const rollback = async () => {
    await begin();
    run = ended('failure');
    await turn();
    return (await now())?.rollback;
  };

  it('is offered if its ref still points to that commit', async () => {
    await previous();
    heads = { 'refs/tags/v1': other };
    expect(await rollback()).toBe('refs/tags/v1');
    expect(JSON.stringify(cards().at(-1)?.message)).toContain('Roll back to v1');
  });

  it('is the commit that ran, not the approved one', async () => {
    await previous({ sha, otherCommit: other });
    heads = { 'refs/tags/v1': other };
    expect(await rollback()).toBe('refs/tags/v1');
  });

  it.each([
    ['moved', { 'refs/tags/v1': sha }],
    ['was deleted', {}],
    ['cannot be read', failure('unavailable')],
  ])('is not offered if its ref %s', async (_, given) => {
    await previous();
    heads = given;
    expect(await rollback()).toBeNull();
    expect(await isBusy()).toBe(false);
  });

  it('is not looked for after a success', async () => {
    await previous();
    heads = { 'refs/tags/v1': other };
    await begin();
    run = ended('success');
    await turn();
    expect(await now()).toMatchObject({ state: 'succeeded', rollback: null });
  });

  it('is looked for again if Bellows itself failed', async () => {
    await previous();
    heads = new Error('no memory');
    await begin();
    run = ended('failure');
    await turn();
    expect(await isBusy()).toBe(true);
    heads = { 'refs/tags/v1': other };
    await turn();
    expect((await now())?.rollback).toBe('refs/tags/v1');
  });
});

describe('where it is shown', () => {
  it.each([
    ['was requested nowhere', ''],
    ['was requested in a direct message', 'D0ADA'],
    ['may not be seen there', 'C0SHARED01'],
  ])('is nowhere if it %s', async (_, channel) => {
    await begin({ channel });
    run = ended('success');
    await turn();
    expect(posted).toEqual([]);
    expect(answers).toHaveLength(1);
    expect(rows).toHaveLength(1);
  });

  describe('is the card of its approval', () => {
    beforeEach(async () => {
      scene.configure('', [scene.vault('deploy')]);
      const { catalog } = scene.deps;
      await scene.ask(by.user, { name: 'deploy' });
      deps = { ...deps, catalog };
      posted.length = 0;
      await begin({ id: 'a1', approval: 'a1' });
      run = ended('success');
    });
    const follow = (exposed = deps.exposed) => createFollower({ ...deps, exposed }, everyMs)();

    it('with its thread', async () => {
      await follow();
      expect(posted.map(({ key, under }) => [key, under])).toEqual([
        ['approval-a1', undefined],
        ['approval-a1-thread', 'approval-a1'],
      ]);
    });

    it('without a thread if its channel may no longer see it', async () => {
      await follow(async () => 'Not here.');
      expect(posted.map(({ key }) => key)).toEqual(['approval-a1']);
      expect(answers).toHaveLength(1);
    });

    it('once it can be checked who sees it, and nobody is told before', async () => {
      await follow(async () => Promise.reject(new Error('the forge is down')));
      expect(answers).toEqual([]);
      expect(await isBusy()).toBe(true);
      await follow();
      expect(answers).toHaveLength(1);
      expect(await isBusy()).toBe(false);
    });
  });
});

describe('a deployment without approval', () => {
  const glass = () => rows.filter(({ outcome }) => outcome === 'without approval');

  it('is told to those who could have approved it, once, but not to its requester', async () => {
    await begin({ breakGlass: 'Site is down', run: null });
    await turn();
    expect(new Set(answers.map(({ user }) => user))).toEqual(new Set(['U0GRACE001', 'U0LINUS001', 'U0BOSS0001']));
    for (const { text } of answers) {
      expect(text).toContain('Break glass:');
      expect(text).toContain('without approval. Reason: Site is down');
      expect(text).toContain('Deploying');
    }
    expect(texts(cards())).toEqual([expect.stringContaining('without approval. Reason: Site is down')]);
    await createFollower(deps, everyMs)();
    expect(glass()).toMatchObject([
      { detail: 'break glass: Site is down; deployed to production', outcome: 'without approval', durationMs: 0 },
    ]);
  });

  it('is told to nobody by name where everyone may approve', async () => {
    scene.configure(
      'deployments:\n  production: { repository: acme/engine, workflow: deploy.yml, refs: [main], approve: everyone }\n',
    );
    const { policy, roles } = scene.deps.services;
    await begin({ breakGlass: 'Site is down', run: null });
    await createFollower({ ...deps, services: { ...deps.services, policy, roles } }, everyMs)();
    expect(answers).toEqual([]);
    expect(glass()).toHaveLength(1);
  });

  it('is told to fifty people at most', async () => {
    const users = Array.from({ length: 60 }, (_, number) => `U0MANY${String(number).padStart(4, '0')}`);
    const environment = 'repository: acme/engine, workflow: deploy.yml, refs: [main]';
    scene.configure(`deployments:\n  production: { ${environment}, approve: { users: [${users.join(', ')}] } }\n`);
    const { policy, roles } = scene.deps.services;
    await begin({ breakGlass: 'Site is down', run: null });
    await createFollower({ ...deps, services: { ...deps.services, policy, roles } }, everyMs)();
    expect(answers).toHaveLength(50);
  });
});

describe('a failed deployment whose run is rerun', () => {
  const failed = async (more: Partial<Deployment> = {}) => {
    await at.store.deployments.put(
      deploymentOf({
        by,
        channel: 'C0ROOM0001',
        run: 7,
        state: 'failed',
        startedAt: at.now() - minute,
        endedAt: at.now(),
        rollback: 'refs/tags/v1',
        ...more,
      }),
    );
  };

  it('continues as its next attempt, and is told again', async () => {
    await failed();
    run = runs({ started_at: new Date(at.now() + 1_000) });
    at.pass(2_000);
    await turn();
    expect(await now()).toMatchObject({
      state: 'running',
      attempt: 2,
      startedAt: at.now() - 1_000,
      endedAt: null,
      rollback: null,
    });
    expect(await isBusy()).toBe(true);
    run = ended('success');
    await turn();
    expect(rows).toMatchObject([{ outcome: 'done' }]);
    expect(answers).toHaveLength(1);
  });

  it('has its new start told in the thread too', async () => {
    await begin();
    await turn();
    run = ended('failure');
    await turn();
    run = runs();
    at.pass(5 * everyMs);
    await turn();
    await turn();
    const started = replies().filter(({ message: { text } }) => readable(text).includes('Deploying'));
    expect(new Set(started.map(({ version }) => version)).size).toBe(2);
  });

  it.each([
    ['keeps its first start', (ended: number) => new Date(ended)],
    ['names none', () => undefined],
  ])('begins now if the server %s', async (_, started) => {
    await failed({ state: 'canceled' });
    const start = started(at.now());
    run = runs(start ? { started_at: start } : {});
    at.pass(3_000);
    await turn();
    expect(await now()).toMatchObject({ state: 'running', startedAt: at.now() });
  });

  it('is noticed even if the rerun has ended well already', async () => {
    await failed();
    run = ended('success');
    await turn();
    expect(await now()).toMatchObject({ attempt: 2 });
  });

  it.each<[string, Partial<Deployment>, Run | Error]>([
    ['it was not rerun', {}, ended('failure')],
    ['it ran another commit', { otherCommit: other }, runs()],
    ['it has no run', { run: null }, runs()],
    ['it succeeded', { state: 'succeeded' }, runs()],
    ['its outcome is unknown', { state: 'unknown' }, runs()],
    ['the run is gone', {}, failure('notFound')],
  ])('is left alone if %s', async (_, more, given) => {
    await failed(more);
    run = given;
    await turn();
    expect(await now()).toMatchObject({ attempt: 1 });
    expect(await isBusy()).toBe(false);
    expect(looks).toBe(Object.keys(more).length === 0 ? 1 : 0);
  });

  it('is noticed for a day', async () => {
    await failed();
    at.pass(day + 1);
    await turn();
    expect(await isBusy()).toBe(false);
    await failed({ endedAt: at.now() - day });
    await createFollower(deps, everyMs)();
    expect(await isBusy()).toBe(true);
  });

  it('is looked for every fifth turn', async () => {
    await failed();
    run = ended('failure');
    await turn();
    expect(looks).toBe(1);
    at.pass(5 * everyMs - 1);
    await turn();
    expect(looks).toBe(1);
    at.pass(1);
    await turn();
    expect(looks).toBe(2);
  });

  it('does not continue while another one is deployed', async () => {
    await failed();
    const { list } = at.store.deployments;
    deps.services.store.deployments.list = async (environment) => {
      const all = await list(environment);
      // someone starts another one at that moment
      await at.store.deployments.begin(deploymentOf({ id: 'd2', by, run: 8, startedAt: 0 }));
      return all;
    };
    await turn();
    expect(await at.store.deployments.get('production', 'd1')).toMatchObject({ state: 'failed', attempt: 1 });
  });
});
