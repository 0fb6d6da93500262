import { describe, expect, it } from 'vitest';
import { close, connect } from '../../src/store/index.js';
import { useFeed } from './feed-services.js';

const services = useFeed({ people: { ada: 'U0ADA00001' } });
const repo = 'acme/engine';
const engine = 'C0ENGINE01';
const routes = {
  pull: 'GET /repos/{owner}/{repo}/pulls/{index}',
  status: 'GET /repos/{owner}/{repo}/commits/{ref}/status',
  reviews: 'GET /repos/{owner}/{repo}/pulls/{index}/reviews',
} as const;
const asked = () => Object.values(routes).reduce((sum, route) => sum + services.forge.requests.of(route).length, 0);

/** Opened by grace from her own branch, and posted. */
async function opened(words = 'pulls', target = repo) {
  const { world } = services.forge;
  world.push({ as: 'grace', repo, branch: 'gauge', commits: [{ message: 'Widen the gauge', files: ['gauge.go'] }] });
  await services.subscribe(engine, target, words);
  await services.round();
  const pull = world.openPull({ as: 'grace', repo, title: 'Widen the gauge', head: 'gauge', body: 'It sticks.' });
  services.pass(1_000);
  await services.round();
  services.forge.requests.clear();
  return pull.index;
}

function shaOf(index: number): string {
  const found = [...services.forge.world.state.repos.values()].find(({ name }) => name === 'engine');
  return found?.issues.get(index)?.pull?.headSha ?? '';
}
const status = (index: number, context: string, state: 'pending' | 'success' | 'failure') =>
  services.forge.world.commitStatus({ as: 'grace', repo, sha: shaOf(index), context, state });
const card = (channel = engine) =>
  JSON.stringify(
    services.slack.state.messages(channel).findLast(({ text }) => text.includes('Widen the gauge'))?.blocks ?? [],
  );
const subs = () => services.store.subscriptions.inChannel({ team: services.slack.teamId, channel: engine });

/** Some time later: what is due is checked, and cards are updated. */
async function later(ms: number): Promise<void> {
  services.pass(ms);
  await services.jobs.steps.checks();
  await services.deliver();
}

describe('the card of a pull request', () => {
  it('shows size, branches, description, buttons, a menu, and its checks in one line that is kept up to date', async () => {
    const index = await opened();
    const shown = card();
    expect(shown).toMatch(/`main` ← `gauge`/);
    expect(shown).toMatch(/\+\d+ −\d+ · 1 file/);
    expect(shown).toContain('It sticks.');
    for (const button of ['Approve', 'Review', 'Merge']) expect(shown).toContain(`"text":"${button}"`);
    expect(shown).toContain('"type":"overflow"');
    expect(shown).toContain('Comment…');
    expect(shown).not.toContain('check');
    status(index, 'lint', 'pending');
    status(index, 'test', 'pending');
    await later(10_000);
    expect(card()).toContain('⏳ 0 of 2 checks');
    status(index, 'lint', 'success');
    await later(20_000);
    expect(card()).toContain('⏳ 1 of 2 checks');
    status(index, 'test', 'failure');
    await later(30_000);
    expect(card()).toContain('❌ 1 of 2 checks: test');
    status(index, 'test', 'success');
    await later(30_000);
    expect(card()).toContain('✅ 2 checks');
    // a rerun brings states that were there before
    for (const [state, shown] of [
      ['pending', '⏳ 1 of 2 checks'],
      ['failure', '❌ 1 of 2 checks: test'],
      ['pending', '⏳ 1 of 2 checks'],
      ['success', '✅ 2 checks'],
    ] as const) {
      status(index, 'test', state);
      await later(30_000);
      expect(card()).toContain(shown);
    }
    // one card, no replies
    expect(services.shown(engine).filter((text) => text.includes('Widen the gauge'))).toHaveLength(1);
  });

  it('shows it also long after its checks have settled, once the reviewer is notified', async () => {
    await services.store.accounts.put(
      { team: services.slack.teamId, user: 'U0ADA00001' },
      { login: 'ada', forgeUserId: 2, verified: true, credential: { kind: 'token', token: 'x' } },
    );
    const index = await opened();
    for (let looks = 0; looks < 10; looks += 1) await later(600_000);
    services.forge.requests.clear();
    await later(600_000);
    expect(asked()).toBe(0);
    services.forge.world.requestReview({ as: 'grace', repo, index, from: ['ada'] });
    services.pass(60_000);
    await services.round();
    await later(10_000);
    expect(card()).toMatch(/waiting on (ada|<@U0ADA00001>)/);
  });

  it('shows whose review was requested, without any other change, and the reviewers’ verdicts', async () => {
    const index = await opened();
    services.forge.world.requestReview({ as: 'grace', repo, index, from: ['margaret'] });
    await later(10_000);
    expect(card()).toContain('waiting on margaret');
    services.forge.world.review({ as: 'margaret', repo, index, verdict: 'reject', body: 'Too wide.' });
    services.pass(1_000);
    await services.round();
    expect(card()).toContain('changes requested by margaret');
    expect(card()).toContain('Changes requested');
  });

  it('is updated again after the forge refused to answer, or was down for longer than a refusal is waited for', async () => {
    const index = await opened();
    for (const [nth, refusal] of [502, 403].entries()) {
      const refusals = () => services.forge.requests.of(routes.pull).filter((each) => each.status === refusal);
      services.forge.faults.add({ on: routes.pull, trouble: { status: refusal } });
      await later(10_000);
      if (refusals().length === 0) await later(120_000);
      expect(refusals()).toHaveLength(1);
      status(index, `lint-${nth}`, 'success');
      await later(130_000);
      expect(card()).toContain(nth === 0 ? '✅ 1 check' : '✅ 2 checks');
    }
    const heal = services.forge.faults.add({ on: routes.pull, times: 1_000, trouble: { status: 502 } });
    for (let hour = 0; hour < 8; hour++) await later(3_600_000);
    heal();
    status(index, 'lint', 'success');
    await later(130_000);
    expect(card()).toContain('✅ 3 checks');
  });

  it('never shows a pull request of another repository that took the name', async () => {
    const index = await opened();
    const { world } = services.forge;
    world.renameRepo({ as: 'ada', repo, name: 'motor' });
    world.createRepo({ as: 'ada', owner: 'acme', name: 'engine', private: true });
    world.push({ as: 'ada', repo, branch: 'plan', commits: ['Plan'] });
    for (let number = 1; number < index; number++) world.openIssue({ as: 'ada', repo, title: `Step ${number}` });
    const other = world.openPull({ as: 'ada', repo, title: 'Secret plan', head: 'plan' });
    expect(other.index).toBe(index);
    await later(10_000);
    expect(card()).toContain('Widen the gauge');
    const shown = JSON.stringify(services.slack.state.messages(engine).map(({ blocks, text }) => [text, blocks]));
    expect(shown).not.toContain('Secret plan');
    services.forge.requests.clear();
    await later(600_000);
    expect(asked()).toBe(0);
  });

  it('is updated where it is a card, in a channel that follows a pattern beside one that wants lines', async () => {
    await services.subscribe('C0GENERAL1', repo, 'pulls style:line');
    const index = await opened('pulls', 'acme/*');
    status(index, 'lint', 'success');
    await later(10_000);
    expect(card()).toContain('✅ 1 check');
  });

  it('stays as it is if the forge only lists the reviewers in another order', async () => {
    const index = await opened();
    services.forge.world.requestReview({ as: 'grace', repo, index, from: ['margaret', 'linus'] });
    await later(10_000);
    services.forge.requests.clear();
    const bend = (body: unknown) => {
      const pull = Object(body);
      return { ...pull, requested_reviewers: [...pull.requested_reviewers].reverse() };
    };
    services.forge.faults.add({ on: routes.pull, trouble: { bend } });
    await later(10_000);
    expect(services.forge.requests.of(routes.pull)).toHaveLength(1);
    // read only for a card that is redrawn
    expect(services.forge.requests.of(routes.reviews)).toEqual([]);
  });

  it('continues with the checks of a new head', async () => {
    const index = await opened();
    status(index, 'lint', 'failure');
    await later(10_000);
    expect(card()).toContain('❌ 1 of 1 check: lint');
    services.forge.world.push({ as: 'grace', repo, branch: 'gauge', commits: ['Widen it more'] });
    services.pass(3_600_000);
    await services.round();
    status(index, 'lint', 'success');
    await later(10_000);
    expect(card()).toContain('✅ 1 check');
  });
});

describe('a look at the forge', () => {
  /** When the forge is asked about it, in seconds from now. */
  async function looks(minutes: number): Promise<number[]> {
    const began = services.now();
    const at: number[] = [];
    const passed = () => services.now() - began;
    while (passed() < minutes * 60_000) {
      services.pass(passed() < 120_000 ? 5_000 : passed() < 300_000 ? 20_000 : passed() < 3_600_000 ? 60_000 : 120_000);
      await services.jobs.steps.checks();
      if (asked() > 0) at.push(passed() / 1_000);
      services.forge.requests.clear();
    }
    return at;
  }

  it.each([
    ['two minutes without any check', 2, []],
    ['five minutes if all checks passed', 5, ['success', 'success']],
    ['an hour if one failed', 60, ['success', 'failure']],
    ['six hours while one runs', 360, ['failure', 'pending']],
  ] as const)('comes often at first, then less and less, and no more after %s', async (_case, minutes, states) => {
    const index = await opened();
    for (const [nth, state] of states.entries()) status(index, `check-${nth}`, state);
    const at = await looks(minutes * 1.2 + 20);
    const gaps = at.slice(1).map((time, nth) => time - (at[nth] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(11 * 60);
    expect(at.filter((time) => time <= 120).length).toBeGreaterThanOrEqual(5);
    expect(at.at(-1)).toBeGreaterThanOrEqual(minutes * 60);
    expect(at.at(-1)).toBeLessThan((minutes + Math.min(11, minutes)) * 60);
  });

  it('comes at once when its branch is pushed to, though commits are not followed', async () => {
    const index = await opened();
    for (let hour = 0; hour < 9; hour++) await later(3_600_000);
    services.forge.world.push({ as: 'grace', repo, branch: 'gauge', commits: ['Widen it more'] });
    status(index, 'lint', 'success');
    await services.round();
    await later(5_000);
    expect(card()).toContain('✅ 1 check');
  });

  /** Redis measures it by its own clock. */
  async function endPause(): Promise<void> {
    const redis = connect(services.url);
    for (const key of await redis.keys('*pace*')) await redis.del(key);
    await close(redis);
  }

  it('waits while the forge asks for a pause, and comes right after it', async () => {
    const { world } = services.forge;
    const index = await opened();
    world.push({ as: 'grace', repo, branch: 'dial', commits: ['Add a dial'] });
    world.openPull({ as: 'grace', repo, title: 'Add a dial', head: 'dial' });
    services.pass(1_000);
    await services.round();
    status(index, 'lint', 'success');
    services.forge.requests.clear();
    services.forge.faults.add({ on: routes.pull, trouble: { status: 429, headers: { 'retry-after': '200' } } });
    await later(10_000);
    await later(150_000);
    expect(asked()).toBe(1);
    await endPause();
    await later(1_000);
    expect(card()).toContain('✅ 1 check');
    expect(services.forge.requests.of(routes.pull)).toHaveLength(3);
  });
});

describe('what it costs', () => {
  it('is nothing for an issue, nor for a pull request that is a line', async () => {
    await services.subscribe(engine, repo, 'issues');
    await opened('pulls style:line', 'acme/*');
    services.forge.world.openIssue({ as: 'grace', repo, title: 'It sticks' });
    services.pass(1_000);
    await services.round();
    services.forge.requests.clear();
    await later(60_000);
    expect(asked()).toBe(0);
  });

  it('ends with the event that says it was closed', async () => {
    const index = await opened();
    services.forge.world.close({ as: 'grace', repo, index });
    await services.round();
    services.forge.requests.clear();
    await later(60_000);
    expect(asked()).toBe(0);
  });

  it('ends if the forge no longer has it', async () => {
    await opened();
    services.forge.faults.add({ on: routes.pull, times: Number.POSITIVE_INFINITY, trouble: { status: 404 } });
    await later(10_000);
    expect(asked()).toBe(1);
    await later(600_000);
    expect(asked()).toBe(1);
  });

  it.each([
    ['unsubscribed', async () => Promise.all((await subs()).map((sub) => services.store.subscriptions.remove(sub)))],
    [
      'paused',
      async () => {
        for (const sub of await subs())
          await services.store.subscriptions.pause(sub, { reason: 'Its owner has left.', at: services.now() });
      },
    ],
  ])('ends with the next change if the only channel that shows it is %s', async (_case, leave) => {
    const index = await opened();
    // has no card: it came later
    await services.subscribe('C0GENERAL1', repo, 'pulls');
    await leave();
    status(index, 'lint', 'pending');
    await later(10_000);
    expect(card()).not.toContain('check');
    services.forge.requests.clear();
    status(index, 'lint', 'success');
    await later(600_000);
    expect(asked()).toBe(0);
  });

  it('is nothing without a card, and a bounded number of requests with one', async () => {
    await opened();
    for (let hour = 0; hour < 10; hour++) for (const ms of [60_000, 300_000, 3_240_000]) await later(ms);
    expect(asked()).toBeLessThanOrEqual(24);
    services.forge.requests.clear();
    await services.subscribe(engine, 'acme/website', 'pulls');
    for (const ms of [60_000, 300_000, 3_240_000]) await later(ms);
    expect(asked()).toBe(0);
  });

  it('ends if the forge keeps refusing, until a push or run wakes it', async () => {
    const index = await opened();
    services.forge.faults.add({ on: routes.pull, times: Number.POSITIVE_INFINITY, trouble: { status: 403 } });
    for (let hour = 0; hour < 8; hour++) await later(3_600_000);
    services.forge.requests.clear();
    for (let hour = 0; hour < 8; hour++) await later(3_600_000);
    expect(asked()).toBe(0);
    services.forge.faults.clear();
    status(index, 'lint', 'success');
    await services.jobs.wakeRepository(services.forge.world.repo(repo)?.id ?? 0, { checked: shaOf(index) });
    await later(5_000);
    expect(card()).toContain('✅ 1 check');
  });

  it('ends with the pull request', async () => {
    const index = await opened();
    services.forge.world.close({ as: 'grace', repo, index });
    await later(10_000);
    expect(card()).not.toContain('"text":"Merge"');
    services.forge.requests.clear();
    for (const ms of [60_000, 300_000, 3_240_000]) await later(ms);
    expect(asked()).toBe(0);
  });
});

it('is no longer drawn if the channel may no longer see the repository', async () => {
  const index = await opened();
  status(index, 'lint', 'success');
  services.forge.world.setPrivate({ repo, private: true });
  await later(120_000);
  expect(card()).not.toContain('✅ 1 check');
});

describe('in a private channel', () => {
  const services = useFeed({ people: { hedy: 'U0ADA00001' } });
  const room = 'C0PRIVATE1';

  it.each([
    ['the pull requests', { pulls: 'read', code: 'read' }, true],
    ['the wiki only', { wiki: 'read' }, false],
    ['nothing', undefined, false],
  ] as const)(
    'is drawn for a repository made private if its owner sees %s of it: %s',
    async (_case, units, isDrawn) => {
      const { world } = services.forge;
      world.createUser({ login: 'hedy' });
      if (units) world.createTeam({ org: 'acme', name: 'partly', allRepos: true, units, members: ['hedy'] });
      await services.subscribe(room, repo, 'pulls');
      await services.round();
      world.push({ as: 'grace', repo, branch: 'gauge', commits: ['Widen the gauge'] });
      const { index } = world.openPull({ as: 'grace', repo, title: 'Widen the gauge', head: 'gauge' });
      services.pass(1_000);
      await services.round();
      world.setPrivate({ repo, private: true });
      const sha = world.repo(repo).issues.get(index)?.pull?.headSha ?? '';
      world.commitStatus({ as: 'ada', repo, sha, context: 'lint', state: 'success' });
      services.pass(120_000);
      await services.jobs.steps.checks();
      await services.deliver();
      const shown = JSON.stringify(services.slack.state.messages(room));
      expect(shown).toContain('Widen the gauge');
      expect(shown.includes('✅ 1 check')).toBe(isDrawn);
    },
  );
});

describe('on a server with only the documented operations', () => {
  const services = useFeed({ flavor: 'document' });

  it('asks for nothing that the server lacks', async () => {
    const { items } = await services.service.repos.search({ query: { q: 'engine' } });
    const place = { team: services.slack.teamId, channel: engine };
    const target = { kind: 'repo', id: items[0]?.id ?? 0 } as const;
    await services.store.subscriptions.put({ place, target, owner: 'U0ADA00001', filter: {} }, repo);
    await services.round();
    const { world } = services.forge;
    world.push({ as: 'grace', repo, branch: 'gauge', commits: ['Widen the gauge'] });
    world.openPull({ as: 'grace', repo, title: 'Widen the gauge', head: 'gauge' });
    services.pass(1_000);
    await services.round();
    expect(services.shown(engine).join()).toContain('Widen the gauge');
    services.forge.requests.clear();
    services.pass(10_000);
    await services.jobs.steps.checks();
    expect(services.forge.requests.all).toEqual([]);
  });
});

it('follows runs at once if they are followed too', async () => {
  const index = await opened('pulls runs:all');
  const { world } = services.forge;
  await later(8 * 3_600_000);
  for (let hour = 0; hour < 9; hour++) await later(3_600_000);
  const run = world.queueRun({ as: 'grace', repo, branch: 'gauge', sha: shaOf(index), event: 'pull_request' });
  await later(60_000);
  expect(card()).not.toContain('check');
  world.finishRun({ run: run.id, conclusion: 'failure' });
  await services.round();
  await later(5_000);
  expect(card()).toContain('❌ 1 of 1 check: Build and test');
});

it('follows the jobs of runs, which the forge records as statuses of the commit', async () => {
  const index = await opened();
  const { world } = services.forge;
  const run = world.startRun({ as: 'grace', repo, branch: 'gauge', sha: shaOf(index), event: 'pull_request' });
  await later(10_000);
  expect(card()).toContain('⏳ 0 of 1 check');
  world.finishRun({ run: run.id, conclusion: 'failure' });
  await later(30_000);
  expect(card()).toContain('❌ 1 of 1 check: Build and test / build (pull_request)');
  world.rerun({ run: run.id, as: 'grace' });
  world.finishRun({ run: run.id, conclusion: 'success' });
  await later(30_000);
  expect(card()).toContain('✅ 1 check');
});

describe('a webhook about a commit', () => {
  const rested = async () => {
    const index = await opened();
    for (let hour = 0; hour < 9; hour++) await later(3_600_000);
    services.forge.requests.clear();
    return { index, id: services.forge.world.repo(repo)?.id ?? 0 };
  };

  it('wakes only the card that shows it, though nobody follows runs', async () => {
    const { index, id } = await rested();
    for (const sha of ['f'.repeat(40), undefined]) await services.jobs.wakeRepository(id, { checked: sha });
    await later(5_000);
    expect(asked()).toBe(0);
    status(index, 'ci', 'failure');
    await later(60_000);
    expect(card()).not.toContain('ci');
    await services.jobs.wakeRepository(id, { checked: shaOf(index) });
    await later(1_000);
    expect(card()).toContain('❌ 1 of 1 check: ci');
    // in time however many come
    for (let hour = 0; hour < 9; hour++) await later(3_600_000);
    status(index, 'lint', 'failure');
    for (let nth = 0; nth < 4; nth++) {
      await services.jobs.wakeRepository(id, { checked: shaOf(index) });
      await later(400);
    }
    expect(card()).toContain('❌ 2 of 2 checks: ');
  });
});
