import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuditEntry, type Connection, close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { decideIn } from './deciding.js';
import { type Shown, talkTo, words } from './talk.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001]
  maintainer:
    users: [U0GRACE001, U0ALAN0001]
deployments:
  production:
    repository: acme/engine
    workflow: deploy.yml
    refs: [main, v*]
    inputs: { environment: production }
    askFor: [version]
    ask: maintainer
    approve: maintainer
    channel: C0ENGINE01
    breakGlass: { users: [U0ADA00001] }
  strict:
    repository: acme/engine
    workflow: deploy.yml
    refs: [main]
    approve: maintainer
    authorsCount: false
    requesterCounts: true
    expires: 1s
  release:
    repository: acme/engine
    workflow: release.yml
    refs: [main]
    askFor: [version]
    approve: maintainer
    channel: C0ENGINE01
  own:
    repository: acme/engine
    workflow: deploy.yml
    refs: [main]
    inputs: { version: own }
    approve: maintainer
    authorsCount: false
    requesterCounts: true
    channel: C0ENGINE01
  fresh:
    repository: acme/engine
    workflow: deploy.yml
    refs: [main]
    inputs: { version: fresh }
    approve: maintainer
    authorsCount: false
    channel: C0ENGINE01
  tagged:
    repository: acme/engine
    workflow: tagged.yml
    refs: [v*]
    approve: maintainer
    channel: C0ENGINE01
  lost:
    repository: acme/engine
    workflow: deploy.yml
    refs: [main]
    inputs: { version: lost }
    approve: maintainer
    channel: C0ENGINE01
  closed:
    repository: acme/engine
    workflow: deploy.yml
    refs: [main]
    inputs: { version: closed }
    freeze:
      - { zone: Europe/Berlin, reason: Holidays }
  named:
    repository: acme/engine
    workflow: deploy.yml
    refs: [main]
    inputs: { version: named }
    ask: { users: [U0ADA00001] }
  hidden:
    repository: acme/vault
    workflow: deploy.yml
    refs: [main]
    approve: { users: [U0GRACE001] }
    breakGlass: { users: [U0ADA00001] }
    channel: C0ENGINE01
`;
const people = [
  { id: 'U0ADA00001', name: 'ada' },
  { id: 'U0GRACE001', name: 'grace' },
  { id: 'U0ALAN0001', name: 'alan' },
  { id: 'U0LINUS001', name: 'linus' },
];
const repo = 'acme/engine';
const dispatches = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';

let bellows: Bellows;
let redis: Redis;
let connection: Connection;
const { type: typeIn, form } = talkTo(() => bellows);
/** A channel without cards. */
const type = (user: string, line: string) => typeIn(user, line, 'general');
const { ask, cardSays, click, messaged } = decideIn(() => bellows);
const bodies = () => bellows.forge.requests.of(dispatches).map(({ body }) => body);
const newest = () => [...bellows.forge.world.state.runs.values()].at(-1)?.id ?? 0;
const finish = (conclusion: 'success' | 'failure') => bellows.forge.world.finishRun({ run: newest(), conclusion });

function push(message: string, as = 'ada', by: { author?: string; committer?: string } = {}): string {
  const { world } = bellows.forge;
  const [commit] = world.push({
    as,
    repo,
    branch: 'main',
    commits: [{ message, files: ['a.txt'], ...by }],
  });
  return commit?.sha ?? '';
}

beforeAll(async () => {
  bellows = await startBellows({ policy, slack: { seed: { users: people } }, tempo: { followMs: 100 } });
  redis = new Redis(bellows.redisUrl);
  connection = connect(bellows.redisUrl);
  await bellows.link('ada');
  await bellows.link('grace');
  await bellows.link('alan', 'margaret');
  await bellows.link('linus');
});
afterAll(async () => {
  redis.disconnect();
  await close(connection);
  await bellows.close();
});
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => {
  bellows.forge.faults.clear();
  expect(bellows.slack.failures.all).toEqual([]);
});

/** Requested, approved and finished. */
async function deployed(line: string, conclusion: 'success' | 'failure' = 'success'): Promise<Shown> {
  const card = await ask(line);
  await bellows.slack.as('grace').click(card, 'Approve');
  await cardSays(card, 'Deploying');
  finish(conclusion);
  return cardSays(card, conclusion === 'success' ? 'Deployed' : 'Deployment failed');
}

describe('a deployment', () => {
  it('shows what would be deployed, runs exactly that once approved, and is followed to its end', async () => {
    const sha = push('Turn the third gear', 'grace').slice(0, 10);
    const ada = bellows.slack.as('ada');
    const before = new Set(ada.sees(ada.dm).map(({ ts }) => ts));
    const card = await ask('deploy production --reason "The gear is fixed" --input version=2');
    for (const part of ['production', 'main at', 'Authors', 'grace', 'Checks', 'not frozen', 'The gear is fixed'])
      expect(words(card)).toContain(part);
    expect(words(card)).toMatch(
      new RegExp(`<@U0ADA00001> wants to <[^|]+/commit/${sha}[^|]*\\|deploy main \\(${sha}\\) to production>`),
    );
    expect(words(card)).not.toContain('*Environment*');
    expect(words(card)).toContain(`/commit/${sha}`);
    expect(words(card)).toContain('nothing deployed yet');
    expect(bodies()).toEqual([]);
    await bellows.slack.as('grace').click(card, 'Approve');
    expect(words(await cardSays(card, 'Deploying')).match(/Deploying/g)).toHaveLength(1);
    expect(bodies()).toEqual([{ ref: 'refs/heads/main', inputs: { environment: 'production', version: '2' } }]);
    expect(bellows.forge.requests.of(dispatches)).toMatchObject([{ who: 'ada' }]);
    const told = () => ada.sees('engine').filter(({ threadTs }) => threadTs === card.ts);
    await bellows.slack.until(() => told().find(({ text }) => text.includes('Deploying')));
    finish('success');
    await cardSays(card, 'Deployed');
    await messaged('ada', 'Deployed');
    const thread = await bellows.slack.until(() =>
      bellows.slack
        .as('ada')
        .sees('engine')
        .find(({ threadTs, text }) => threadTs === card.ts && text.includes('Deployed')),
    );
    expect(thread.text).toContain('production');
    const direct = ada.sees(ada.dm).filter(({ ts }) => !before.has(ts));
    for (const both of [told(), direct])
      expect(both.map(({ text }) => text)).toEqual([
        expect.stringContaining('Deploying'),
        expect.stringContaining('Deployed'),
      ]);
    const number = bellows.forge.world.run(newest())?.number;
    expect(number).not.toBe(newest());
    const link = new RegExp(`\\|run ${number}>`);
    expect(words(await cardSays(card, 'Deployed'))).not.toContain('Deploying');
    for (const shown of [await cardSays(card, 'Deployed'), thread]) expect(words(shown)).toMatch(link);
    expect(words(await type('ada', 'deploy history production'))).toMatch(link);
    const status = words(await type('ada', 'deploy status production'));
    expect(status).toContain('main');
    expect(status).toMatch(link);
    expect(status).toContain('approved by');
    expect(words(await type('ada', 'deploy history production'))).toContain('Deployed');
    expect(words(await type('ada', 'audit --command deploy'))).toContain('approved by');
  });

  it('shows the titles of what changes and where to compare it, also for a tag, back and at first', async () => {
    const { world } = bellows.forge;
    const web = `${bellows.forge.url}/acme/engine`;
    await deployed('deploy release --input version=1');
    const from = world.repo(repo).branches.get('main');
    world.push({ as: 'grace', repo, branch: 'belt', commits: ['Cut', 'Sew'] });
    const { index } = world.openPull({ as: 'grace', repo, title: 'Replace the belt', head: 'belt' });
    world.merge({ as: 'ada', repo, index });
    push('Oil <the> wheel\n\nAnd more', 'grace');
    const few = words(await ask('deploy release --input version=2'));
    expect(few).toContain(`#${index} Replace the belt (grace)`);
    expect(few).toContain('Oil &lt;the&gt; wheel (grace)');
    expect(few).not.toContain('Sew');
    for (let nth = 1; nth < 12; nth++) push(`Small step ${nth}.`);
    const to = world.repo(repo).branches.get('main');
    const card = await ask('deploy release --input version=3');
    expect(words(card)).toContain(`${web}/compare/${from}...${to}|Compare`);
    expect(words(card)).toContain('and 3 more');
    expect(words(card)).not.toContain('Oil');
    const details = words(await click('grace', card, 'Details'));
    for (const part of ['Current version', 'Small step 1.', 'Oil &lt;the&gt; wheel (grace)', '|Compare', 'dispatches'])
      expect(details).toContain(part);
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'Deploying');
    finish('success');
    await cardSays(card, 'Deployed');
    const tag = 'v6.0';
    world.tag({ as: 'ada', repo, tag });
    const text = 'on: workflow_dispatch\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n';
    world.plantWorkflow({ repo, file: 'tagged.yml', text });
    const first = words(await type('ada', `deploy tagged ${tag} --dry-run`));
    expect(first).toContain(`${web}/commits/commit/${to}|All commits`);
    expect(first).toContain('Small step 11.');
    await deployed(`deploy tagged ${tag}`);
    push('After the tag');
    world.tag({ as: 'ada', repo, tag: 'v6.1' });
    await deployed('deploy tagged v6.1');
    const back = words(await type('ada', `deploy tagged ${tag} --dry-run`));
    const later = world.repo(repo).branches.get('main');
    for (const part of ['Goes back 1 commit', 'After the tag (ada)', `/compare/${to}...${later}|Compare`])
      expect(back).toContain(part);
  });

  it('is not approved by the requester, nor twice, nor by an old click', async () => {
    push('Only one of us');
    const card = await ask('deploy production');
    expect((await click('ada', card, 'Approve')).text).toContain('Someone else has to approve');
    expect((await click('linus', card, 'Approve')).text).toContain('can decide this');
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'Deploying');
    expect((await click('alan', card, 'Approve')).text).toContain('already approved');
    const answer = await type('ada', 'deploy production');
    expect(answer.text).toContain('is being deployed to production right now');
    finish('success');
    await cardSays(card, 'Deployed');
    expect((await click('grace', card, 'Approve')).text).toContain('already approved');
    expect(bodies()).toHaveLength(1);
  });

  it('does not run once the branch moved, and can be requested again', async () => {
    push('Shown');
    const card = await ask('deploy production');
    push('Pushed meanwhile');
    expect((await click('grace', card, 'Approve')).text).toContain('commit was');
    const stale = await cardSays(card, 'commit was');
    expect(bodies()).toEqual([]);
    const before = newest();
    await bellows.slack.as('ada').click(stale, 'Ask again');
    const again = await bellows.slack.until(() =>
      bellows.slack
        .as('ada')
        .sees('engine')
        .find(
          ({ ts, onlyFor, blocks }) => onlyFor === undefined && ts > card.ts && words({ blocks }).includes('Approve'),
        ),
    );
    await bellows.slack.as('grace').click(again, 'Approve');
    await cardSays(again, 'Deploying');
    expect(newest()).toBeGreaterThan(before);
    finish('success');
    await cardSays(again, 'Deployed');
  });

  it('does not run once a check of the commit failed', async () => {
    const sha = push('Looks green');
    const card = await ask('deploy production');
    bellows.forge.world.commitStatus({ as: 'ada', repo, sha, context: 'ci/build', state: 'failure' });
    expect(words(await click('grace', card, 'Approve'))).toContain('`ci/build`');
    await cardSays(card, 'Checks failed on .*ci/build');
    expect(words(await messaged('ada', 'Checks failed on'))).toContain('`ci/build`');
    expect(bodies()).toEqual([]);
    expect((await type('ada', 'deploy production')).text).toContain('Checks failed');
    push('Green again');
  });

  it('finds the failed check among many, and counts no unreadable one as passed', async () => {
    const sha = push('Many checks');
    const { world } = bellows.forge;
    world.commitStatus({ as: 'ada', repo, sha, context: 'ci/first', state: 'failure' });
    for (let nth = 0; nth < 60; nth++)
      world.commitStatus({ as: 'ada', repo, sha, context: `ci/${nth}`, state: 'success' });
    expect((await type('ada', 'deploy production')).text).toContain('Checks failed on');
    push('No checks');
    bellows.forge.faults.add({ on: 'GET /repos/{owner}/{repo}/commits/{ref}/status', trouble: { status: 500 } });
    const answer = await type('ada', 'deploy production');
    bellows.forge.faults.clear();
    expect(answer.text).toContain('Could not read the commit’s checks');
    const card = await ask('deploy production');
    expect(words(card)).toContain('none reported');
  });

  it.each([
    ['pending', 'is still running'],
    ['warning', 'has warnings'],
    ['someday', 'has not passed'],
  ])('does not run while a check is %s', async (state, part) => {
    const sha = push(`Is ${state}`);
    const card = await ask('deploy production');
    bellows.forge.world.commitStatus({ as: 'ada', repo, sha, context: 'ci/slow', state });
    expect(words(await click('grace', card, 'Approve'))).toContain('`ci/slow`');
    await cardSays(card, `Not all checks passed on .*ci/slow.* ${part}`);
    expect(bodies()).toEqual([]);
    expect((await type('ada', 'deploy production')).text).toContain(`\`ci/slow\` ${part}`);
    bellows.forge.world.commitStatus({ as: 'ada', repo, sha, context: 'ci/slow', state: 'success' });
    bellows.forge.world.commitStatus({ as: 'ada', repo, sha, context: 'ci/other', state: 'skipped' });
    expect(words(await ask('deploy production'))).toContain('passed');
  });

  it('does not run with more checks than can be read', async () => {
    const sha = push('Countless checks');
    for (let nth = 0; nth < 500; nth++)
      bellows.forge.world.commitStatus({ as: 'ada', repo, sha, context: `ci/${nth}`, state: 'success' });
    expect((await type('ada', 'deploy production')).text).toContain('has more checks than Bellows can read');
    push('Few checks');
  });

  it('does not run once a freeze started', async () => {
    const card = await ask('deploy production');
    expect((await type('alan', 'deploy freeze production 2h --reason Launch')).text).toContain('Froze production');
    await click('grace', card, 'Approve');
    await cardSays(card, 'production is frozen for another .*Launch');
    expect(bodies()).toEqual([]);
    expect((await type('ada', 'deploy production')).text).toContain('frozen');
    expect(words(await type('ada', 'deploy status'))).toContain('frozen for another');
    expect((await type('alan', 'deploy unfreeze production')).text).toContain('Unfroze production');
    expect((await type('ada', 'deploy closed')).text).toContain(
      'closed is frozen until 24:00 Europe/Berlin (Holidays)',
    );
  });

  const stops = ['cancel', 'force-cancel'] as const;
  const stopping = (how: (typeof stops)[number]) => `POST /repos/{owner}/{repo}/actions/runs/{run}/${how}` as const;

  /** Approved, and pushed to between the last look and the start. */
  async function moved(line: string) {
    const approved = push('Approved').slice(0, 10);
    const card = await ask(line);
    bellows.forge.faults.add({ on: dispatches, trouble: { delay: 1_000 } });
    await bellows.slack.as('grace').click(card, 'Approve');
    await expect.poll(() => redis.keys('*deploys:production}:current')).toHaveLength(1);
    return { card, approved, other: push('Too late to be seen').slice(0, 10) };
  }

  it.each([
    ['canceled', [], 'Bellows canceled the run'],
    ['force-canceled where that fails', ['cancel'], 'Bellows force-canceled the run'],
  ] as const)('is %s if the branch moved at the last moment', async (_how, broken, part) => {
    for (const how of broken) bellows.forge.faults.add({ on: stopping(how), times: 99, trouble: { status: 500 } });
    const { card, approved, other } = await moved('deploy production');
    const loud = words(await cardSays(card, 'Deployment canceled'));
    expect(loud).toContain('Not the approved commit');
    expect(loud).toContain(`The run started on \`${other}\` instead of \`${approved}\``);
    expect(loud).toContain(part);
    expect(loud).not.toContain('Rerun');
    await messaged('ada', part);
    const sent = stops.flatMap((how) => bellows.forge.requests.of(stopping(how)));
    expect(sent.at(-1)?.who).toBe('ada');
    expect(words(await type('ada', 'deploy history production'))).toContain('Not the approved commit');
    expect(words(await type('ada', 'deploy status production'))).not.toContain(other);
    await ask('deploy production');
  });

  const commits = 'GET /repos/{owner}/{repo}/commits';

  it('does not start if the branch moves between the last look and the start', async () => {
    push('Slow');
    const first = await ask('deploy production');
    bellows.forge.requests.clear();
    await bellows.slack.as('grace').click(first, 'Approve');
    await cardSays(first, 'Deploying');
    const reads = bellows.forge.requests.of(commits).length;
    finish('success');
    await cardSays(first, 'Deployed');
    const approved = push('Approved').slice(0, 10);
    const card = await ask('deploy production');
    bellows.forge.requests.clear();
    let unseen = '';
    const pushLate = async () => {
      unseen = push('Slipped in').slice(0, 10);
    };
    bellows.forge.faults.add({ on: commits, after: reads - 2, trouble: { hold: pushLate } });
    await bellows.slack.as('grace').click(card, 'Approve');
    const refused = await cardSays(card, 'commit was|Deploying');
    expect(words(refused)).toContain(`commit was ${approved}, now ${unseen}`);
    expect(words(refused)).toContain('Ask again');
    expect(bodies()).toEqual([]);
    expect(words(await type('ada', 'deploy history production'))).not.toContain(unseen);
    expect(words(await ask('deploy production'))).toContain(unseen);
  });

  it('is not requested for a commit that was replaced while its changes were read', async () => {
    const shown = push('Read first').slice(0, 10);
    await ask('deploy production');
    const reads = bellows.forge.requests.of(commits).length;
    let unseen = '';
    const pushLate = async () => {
      unseen = push('Came meanwhile').slice(0, 10);
    };
    bellows.forge.faults.add({ on: commits, after: reads - 2, trouble: { hold: pushLate } });
    const { text } = await type('ada', 'deploy production');
    expect(text).toContain(`It changed while it was being read: commit was ${shown}, now ${unseen}. Ask again.`);
    expect(bodies()).toEqual([]);
  });

  it('is force-canceled if its runner does not stop', async () => {
    bellows.forge.faults.add({
      on: stopping('cancel'),
      times: 99,
      trouble: { text: '', status: 200 },
    });
    const { card } = await moved('deploy production');
    await cardSays(card, 'Bellows is canceling the run');
    expect(bellows.forge.requests.of(stopping('force-cancel'))).toEqual([]);
    const { deployments } = createStore({ redis: connection, forgeId: 'main', seal: createSeal(testKeys) });
    const current = await deployments.current('production');
    if (current?.stop) await deployments.put({ ...current, stop: { ...current.stop, at: current.stop.at - 60_000 } });
    await cardSays(card, 'Bellows force-canceled the run');
    expect(bellows.forge.requests.of(stopping('cancel'))).toHaveLength(1);
    await cardSays(card, 'Deployment canceled');
  });

  it('says so if nothing stops it, tries again, and knows what was deployed', async () => {
    for (const how of stops) bellows.forge.faults.add({ on: stopping(how), times: 99, trouble: { status: 403 } });
    const { card, other, approved } = await moved('deploy production');
    await cardSays(card, 'Bellows couldn’t cancel the run. Cancel it on the forge.');
    expect((await type('ada', 'deploy production')).text).toContain('right now');
    finish('success');
    await cardSays(card, 'Deployed');
    const status = words(await type('ada', 'deploy status production'));
    expect(status).toContain(other);
    expect(status).not.toContain(approved);
    expect(words(await ask('deploy production'))).toContain('The same commit again');
  });

  /** As if it had started that long ago. The follower may write at the same moment, so it counts once it stays. */
  async function age(environment: string, ms: number): Promise<void> {
    const { deployments } = createStore({ redis: connection, forgeId: 'main', seal: createSeal(testKeys) });
    const startedAt = ((await deployments.current(environment))?.startedAt ?? 0) - ms;
    let stays = 0;
    const isOld = async () => {
      const current = await deployments.current(environment);
      if (!current) return true;
      stays = current.startedAt === startedAt ? stays + 1 : 0;
      if (stays === 0) await deployments.put({ ...current, startedAt });
      return stays > 2;
    };
    await expect.poll(isOld, { interval: 250 }).toBe(true);
  }

  it('whose start got no answer blocks its environment, but not for ever', async () => {
    push('Lost');
    bellows.forge.faults.add({ on: dispatches, times: 9, trouble: { drop: 'before' } });
    const card = await ask('deploy lost');
    await bellows.slack.as('grace').click(card, 'Approve');
    await messaged('ada', 'did not confirm');
    const busy = 'is being deployed to lost right now';
    expect((await type('ada', 'deploy lost')).text).toContain(busy);
    await age('lost', 9 * 60_000);
    expect((await type('ada', 'deploy lost')).text).toContain(busy);
    await age('lost', 2 * 60_000);
    await cardSays(card, 'Outcome unknown');
    expect(bodies()).toHaveLength(1);
    const status = words(await type('ada', 'deploy status lost'));
    expect(status).toContain('not known');
    expect(status).toContain('Outcome unknown');
    expect(status).not.toContain('nothing deployed yet');
    bellows.forge.faults.clear();
    await ask('deploy lost');
  });

  const minute = 60_000;
  it.each([
    ['disappears', 404, 9 * minute, 2 * minute],
    ['never ends', undefined, 23 * 60 * minute, 2 * 60 * minute],
  ])('whose run %s blocks its environment, but not for ever', async (_how, status, early, late) => {
    push('Followed');
    const card = await ask('deploy lost');
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'Deploying');
    const on = 'GET /repos/{owner}/{repo}/actions/runs/{run}';
    if (status !== undefined) bellows.forge.faults.add({ on, times: 999, trouble: { status, message: 'gone' } });
    await age('lost', early);
    bellows.forge.requests.clear();
    await expect.poll(() => bellows.forge.requests.of(on).length).toBeGreaterThan(1);
    expect((await type('ada', 'deploy lost')).text).toContain('right now');
    await age('lost', late);
    await cardSays(card, 'Outcome unknown');
    bellows.forge.faults.clear();
    await ask('deploy lost');
  });

  it('offers a rerun and a rollback when it failed', async () => {
    bellows.forge.world.tag({ as: 'ada', repo, tag: 'v7.1' });
    await deployed('deploy production v7.1');
    push('Breaks');
    const failed = await deployed('deploy production', 'failure');
    expect(words(failed)).toContain('Rerun failed jobs');
    await bellows.slack.as('ada').click(failed, 'Roll back to v7.1');
    const back = await bellows.slack.until(() =>
      bellows.slack
        .as('ada')
        .sees('engine')
        .find(
          ({ ts, blocks }) =>
            ts > failed.ts && words({ blocks }).includes('New version') && words({ blocks }).includes('v7.1'),
        ),
    );
    await bellows.slack.as('grace').click(back, 'Approve');
    await cardSays(back, 'Deploying');
    expect(bodies().at(-1)).toMatchObject({ ref: 'refs/tags/v7.1' });
    finish('success');
    await cardSays(back, 'Deployed');
  });

  it('offers no rollback to a branch that has moved since: it is another version now', async () => {
    push('Worked');
    await deployed('deploy production');
    push('Breaks again');
    const failed = words(await deployed('deploy production', 'failure'));
    expect(failed).toContain('Rerun failed jobs');
    expect(failed).not.toContain('Roll back');
  });

  it('continues the same deployment when its failed jobs were rerun', async () => {
    push('Fails at first');
    const failed = await deployed('deploy production', 'failure');
    expect((await click('ada', failed, 'Rerun failed jobs')).text).toContain('Rerunning failed jobs');
    await cardSays(failed, 'Deploying');
    finish('success');
    const done = words(await cardSays(failed, 'Deployed'));
    expect(done).not.toContain('Rerun failed jobs');
    const [, latest] = JSON.parse(words(await type('ada', 'deploy history production')));
    expect(JSON.stringify(latest)).toContain('Deployed');
  });

  it('does not continue one that ran another commit than was approved', async () => {
    push('Overtaken');
    await deployed('deploy production', 'failure');
    const overtaken = newest();
    const { deployments } = createStore({ redis: connection, forgeId: 'main', seal: createSeal(testKeys) });
    const [last] = await deployments.list('production');
    if (!last) throw new Error('nothing was deployed');
    await deployments.put({ ...last, otherCommit: 'f'.repeat(40) });
    const other = await deployed('deploy release --input version=9', 'failure');
    const { world } = bellows.forge;
    const followed = newest();
    world.rerun({ run: overtaken, as: 'ada' });
    // found twice, one after the other: meanwhile, production was looked at too
    for (const _time of [1, 2]) {
      world.rerun({ run: followed, as: 'ada' });
      await cardSays(other, 'Deploying');
      world.finishRun({ run: followed, conclusion: 'failure' });
      await cardSays(other, 'Deployment failed');
    }
    expect((await deployments.list('production'))[0]).toMatchObject({ id: last.id, state: 'failed', attempt: 1 });
  });

  it('is not rerun once nobody would follow it', async () => {
    push('Failed long ago');
    const failed = await deployed('deploy production', 'failure');
    const { deployments } = createStore({ redis: connection, forgeId: 'main', seal: createSeal(testKeys) });
    const [last] = await deployments.list('production');
    if (!last) throw new Error('nothing was deployed');
    await deployments.put({ ...last, endedAt: (last.endedAt ?? 0) - 86_460_000 });
    const { text } = await click('ada', failed, 'Rerun failed jobs');
    expect(text).toContain('ended more than 24 hours ago. Deploy it again: /forge deploy production.');
    expect(bellows.forge.requests.all.filter(({ path }) => path.includes('rerun'))).toEqual([]);
  });

  it('follows a rerun to its end, even if the deployment began a day ago', async () => {
    push('Fails for a day');
    const failed = await deployed('deploy production', 'failure');
    const { deployments } = createStore({ redis: connection, forgeId: 'main', seal: createSeal(testKeys) });
    const day = 86_400_000;
    for (const each of await deployments.list('production')) {
      const endedAt = each.endedAt === null ? null : each.endedAt - day + 60_000;
      await deployments.put({ ...each, startedAt: each.startedAt - day, endedAt });
    }
    await click('ada', failed, 'Rerun failed jobs');
    await cardSays(failed, 'Deploying');
    finish('success');
    expect(words(await cardSays(failed, 'Deployed'))).not.toMatch(/took \d+ [hd]/);
  });
});

describe('who may', () => {
  it.each([
    ['linus', 'deploy production', 'can’t request a deployment to production. Maintainers can.'],
    ['linus', 'deploy named', 'can’t request a deployment to named. The people named in bellows.yaml can.'],
    ['grace', 'deploy production --break-glass --reason now', 'can’t deploy to production without approval'],
    ['ada', 'deploy named --break-glass --reason now', 'can’t deploy to named without approval'],
    ['ada', 'deploy production --break-glass', 'needs a reason'],
    ['ada', 'deploy production fix-carry', 'no branch or tag'],
    ['ada', 'deploy nowhere', 'There is no environment nowhere'],
    ['ada', 'deploy constructor', 'There is no environment constructor'],
    ['ada', 'deploy production --input environment=staging', '`environment` can’t be set here'],
    ['linus', 'deploy freeze production 2h', 'maintainers'],
    ['linus', 'deploy unfreeze production', 'maintainers'],
    ['linus', 'deploy status hidden', 'can’t see the repository of hidden'],
  ])('%s is refused “%s”', async (user, line, part) => {
    expect((await type(user, line)).text).toContain(part);
    expect(bodies()).toEqual([]);
  });

  it.each(['deploy freeze hidden 2h', 'deploy unfreeze hidden'])(
    'a maintainer who cannot see it is refused “%s”',
    async (line) => {
      bellows.forge.faults.add({ on: /^GET \/repos\/acme\/vault$/, times: 9, trouble: { status: 404 } });
      expect((await type('alan', line)).text).toContain('can’t see the repository of hidden');
    },
  );

  it('someone who could not start the workflow bothers nobody else', async () => {
    const { world } = bellows.forge;
    const cards = () => bellows.slack.state.messages('C0ENGINE01').length;
    const before = cards();
    const refusal = 'You need write access to acme/engine to deploy to lost.';
    expect((await type('linus', 'deploy lost')).text).toContain(refusal);
    expect((await type('linus', 'deploy lost --dry-run')).text).toContain(refusal);
    expect(cards()).toBe(before);
    const org = 'acme';
    const team = { org, permission: 'read' } as const;
    world.createTeam({ ...team, name: 'readers', units: { code: 'read', actions: 'read' }, members: ['linus'] });
    world.createTeam({ ...team, name: 'others', units: { code: 'read', actions: 'write' }, members: ['grace'] });
    for (const name of ['readers', 'others']) world.addTeamRepo({ org, team: name, repo });
    expect((await type('linus', 'deploy lost')).text).toContain(refusal);
    expect(cards()).toBe(before);
    world.addTeamMember({ org, team: 'others', login: 'linus' });
    const card = await ask('deploy lost', 'linus');
    world.removeTeamMember({ org, team: 'others', login: 'linus' });
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'The requester needs write access to acme/engine');
    expect(bodies()).toEqual([]);
  });

  it.each([
    ['deploy production --dry-run', 'Only maintainers can run this.'],
    ['deploy named --dry-run', 'Only the people named in bellows.yaml can run this.'],
    ['deploy strict --dry-run', 'Anyone can run this.'],
  ])('is in “%s”', async (line, part) => {
    expect(words(await type('ada', line))).toContain(part);
  });

  it('is said in help and forms in plain words', async () => {
    expect(words(await type('ada', 'help deploy'))).toContain('Deploy at once without approval');
    await bellows.slack.as('alan').command('general', '/forge', 'deploy freeze');
    expect((await form('alan')).title).toBe('Freeze deployments');
    await bellows.slack.as('alan').close();
  });

  it('a branch outside the rules is refused', async () => {
    bellows.forge.world.push({ as: 'grace', repo, branch: 'try', commits: [{ message: 'try', files: ['t'] }] });
    expect((await type('ada', 'deploy production try')).text).toContain(
      '`try` can’t be deployed to production. Allowed: `main`, `v*`.',
    );
  });

  it('a hidden repository’s deployments are not shown', async () => {
    const shown = words(await type('linus', 'deploy status'));
    expect(shown).toContain('production');
    expect(shown).not.toContain('hidden');
  });

  it('requests expire', async () => {
    push('By grace', 'grace');
    const card = await ask('deploy strict');
    expect((await click('grace', card, 'Approve')).text).toMatch(/You wrote part of this|expired/);
    await cardSays(card, 'Expired');
    expect((await click('alan', card, 'Approve')).text).toContain('expired');
    expect(bodies()).toEqual([]);
  });
});

describe('own commits', () => {
  it('count before the first deployment, even if another run of the workflow succeeded with them', async () => {
    const { world } = bellows.forge;
    const before = push('By grace, never deployed', 'grace').slice(0, 10);
    const { id } = world.startRun({ as: 'grace', repo, workflow: 'deploy.yml', event: 'push' });
    world.finishRun({ run: id, conclusion: 'success' });
    push('By ada, after that run');
    const card = await ask('deploy fresh');
    expect(words(card)).toContain('1 commit');
    expect(words(card)).toContain(before);
    expect((await click('grace', card, 'Approve')).text).toContain('You wrote part of this');
    expect(bodies()).toEqual([]);
  });

  it('are approved by someone else, even if requesters count', async () => {
    push('By grace', 'grace');
    const card = await ask('deploy own');
    expect((await click('grace', card, 'Approve')).text).toContain('You wrote part of this');
    expect(bodies()).toEqual([]);
    await bellows.slack.as('alan').click(card, 'Approve');
    await cardSays(card, 'Deploying');
    finish('success');
    await cardSays(card, 'Deployed');
    expect(bodies()).toHaveLength(1);
  });

  it('are in the exported audit: who asked, who approved, how it ended', async () => {
    const store = createStore({ redis: connection, forgeId: 'main', seal: createSeal(testKeys) });
    const rows: AuditEntry[] = [];
    for await (const { entry } of store.audit.export()) rows.push(entry);
    const own = rows.find(
      ({ command, args, outcome }) => command === 'deploy' && args['environment'] === 'own' && outcome === 'done',
    );
    expect(own).toMatchObject({
      who: { user: 'U0ADA00001', login: 'ada' },
      approvedBy: [{ user: 'U0ALAN0001', login: 'margaret' }],
      outcome: 'done',
    });
  });

  it('count however many came after them', async () => {
    push('By grace, long ago', 'grace');
    for (let nth = 0; nth < 60; nth++) push(`Later ${nth}`);
    const card = await ask('deploy own');
    expect((await click('grace', card, 'Approve')).text).toContain('You wrote part of this');
  });

  it('are not approved by their author who also requested them', async () => {
    push('By grace again', 'grace');
    const card = await ask('deploy own', 'grace');
    expect((await click('grace', card, 'Approve')).text).toMatch(/You wrote part of this|Someone else has to approve/);
    expect(bodies()).toEqual([]);
    await bellows.slack.as('alan').click(card, 'Approve');
    await cardSays(card, 'Deploying');
    finish('success');
    await cardSays(card, 'Deployed');
  });

  it('are not approved by that author when they are deployed again', async () => {
    const card = await ask('deploy own', 'grace');
    expect(words(card)).toContain('The same commit again');
    expect((await click('grace', card, 'Approve')).text).toMatch(/You wrote part of this|Someone else has to approve/);
    expect(bodies()).toEqual([]);
  });

  const addressOf = (login: string) =>
    [...bellows.forge.world.state.users.values()].find((each) => each.login === login)?.email ?? '';

  it.each([
    ['co-author', () => push(`Together\n\nCo-authored-by: G. Hopper <${addressOf('grace')}>`)],
    ['co-author with a hidden address', () => push('Paired\n\nco-authored-by: G <grace@noreply.example.org>')],
    ['committer', () => push('Applied', 'ada', { author: addressOf('ada'), committer: addressOf('grace') })],
    ['opener of a pull request', () => bring('ada', 'grace')],
  ])('count for the %s too', async (_who, write) => {
    write();
    const card = await ask('deploy own');
    expect((await click('grace', card, 'Approve')).text).toContain('You wrote part of this');
  });

  /** A merged pull request with this person's commit. */
  function bring(as: string, opener: string): void {
    const { world } = bellows.forge;
    const head = `work-${newest()}`;
    world.push({ as, repo, branch: head, commits: ['Work'] });
    const { index } = world.openPull({ as: opener, repo, title: 'Work', head });
    world.merge({ as, repo, index });
  }

  it.each([
    ['author', () => ({ author: 'grace@home.example' })],
    ['committer', () => ({ author: addressOf('grace'), committer: 'grace@home.example' })],
  ])('with an unknown %s are decided by an admin who did not request them', async (_who, by) => {
    push('Clean');
    const earlier = await ask('deploy own');
    await bellows.slack.as('alan').click(earlier, 'Approve');
    await cardSays(earlier, 'Deploying');
    finish('success');
    await cardSays(earlier, 'Deployed');
    bellows.forge.requests.clear();
    const sha = push('From home', 'grace', by());
    const card = await ask('deploy own', 'grace');
    expect(words(card)).toContain(`commit ${sha.slice(0, 10)}, so only an admin other than the requester can decide`);
    expect((await click('grace', card, 'Approve')).text).toMatch(/can decide this|Someone else has to/);
    expect((await click('alan', card, 'Approve')).text).toContain('can decide this');
    expect((await type('ada', 'deploy own')).text).toContain('but nobody in');
    expect(bodies()).toEqual([]);
    await bellows.slack.as('ada').click(card, 'Approve');
    await cardSays(card, 'Deploying');
    finish('success');
    await cardSays(card, 'Deployed');
  });

  it('that the forge merged itself are not unknown', async () => {
    push('Signed by the server', 'ada', { author: addressOf('ada'), committer: 'gitea@fake.local' });
    expect(words(await ask('deploy own', 'grace'))).not.toContain('Unknown authors');
  });

  it('may be in more pull requests than can be searched', async () => {
    const { world } = bellows.forge;
    push('Somewhere in them');
    world.push({ as: 'grace', repo, branch: 'never', commits: ['Never merged'] });
    for (let nth = 0; nth < 200; nth++) {
      const { index } = world.openPull({ as: 'grace', repo, title: `Never ${nth}`, head: 'never' });
      world.close({ as: 'grace', repo, index });
    }
    expect(words(await ask('deploy own', 'grace'))).toContain('doesn’t know who wrote older pull requests');
  });
});

it('asks for what the deployment leaves open, and sends the answer', async () => {
  const ada = bellows.slack.as('ada');
  const answer = await type('ada', 'deploy release');
  expect(answer.text).toContain('needs a value for `version`.');
  await ada.click(answer, 'Fill in inputs');
  const drawn = words(await form('ada'));
  expect(drawn).toContain('version');
  await ada.fill({ version: '1.9' });
  await ada.submit();
  const card = await bellows.slack.until(() =>
    ada.sees('engine').findLast(({ blocks }) => words({ blocks }).includes('version=1.9')),
  );
  await bellows.slack.as('grace').click(card, 'Approve');
  await cardSays(card, 'Deploying');
  expect(bodies()).toMatchObject([{ inputs: { version: '1.9' } }]);
  finish('success');
  await cardSays(card, 'Deployed');
});

describe('an emergency', () => {
  it('runs at once, notifies channel and approvers, and stands out in the audit', async () => {
    await type('alan', 'deploy freeze production 1h');
    const dry = words(await type('ada', 'deploy production --break-glass --reason "Site is down" --dry-run'));
    expect(dry).toContain('New version');
    expect(dry).not.toContain('not frozen');
    const before = newest();
    await type('ada', 'deploy production --break-glass --reason "Site is down"');
    await messaged('grace', 'Break glass.*Site is down');
    await messaged('alan', 'Break glass');
    expect(newest()).toBeGreaterThan(before);
    const card = await bellows.slack.until(() =>
      bellows.slack
        .as('ada')
        .sees('engine')
        .find(({ blocks }) => words({ blocks }).includes('Break glass')),
    );
    finish('success');
    await cardSays(card, 'Deployed');
    expect(words(await type('ada', 'audit --command deploy'))).toContain('Deployed without approval');
    expect(words(await type('ada', 'deploy history production'))).toContain('without approval');
    await type('alan', 'deploy unfreeze production');
  });

  it('in a hidden repository is not shown where everyone can read it', async () => {
    const { world } = bellows.forge;
    const text = 'on: workflow_dispatch\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n';
    world.plantWorkflow({ repo: 'acme/vault', file: 'deploy.yml', text });
    await type('ada', 'deploy hidden --break-glass --reason "A leak"');
    await messaged('grace', 'Break glass.*A leak');
    finish('success');
    await messaged('ada', 'Deployed.*hidden');
    const alan = bellows.slack.as('alan');
    expect(JSON.stringify(alan.sees(alan.dm))).not.toContain('A leak');
    expect(JSON.stringify(bellows.slack.state.messages('C0ENGINE01'))).not.toContain('A leak');
  });
});

it('trusts no record that someone else wrote into Redis', async () => {
  const [key = ''] = await redis.keys('*deploys:production}:records');
  const [id = '', record = ''] = Object.entries(await redis.hgetall(key))[0] ?? [];
  const forged = record.replace(/"environment":"production"/, '"environment":"production","sha":"f00df00d"');
  await redis.hset(key, 'copied', record, id, forged);
  const history = await type('ada', 'deploy history production');
  expect(words(history)).not.toContain('f00df00d');
  expect(bellows.logged.join('')).toContain('did not write');
  await redis.hset(key, id, record);
  await redis.hdel(key, 'copied');
  await type('alan', 'deploy freeze release 1h');
  const freeze = async () => (await redis.get(key.replace('production}:records', 'release}:freeze'))) ?? '';
  await expect.poll(freeze).toContain('U0ALAN0001');
  const frozen = await freeze();
  await redis.set(key.replace('records', 'freeze'), frozen);
  expect(words(await ask('deploy production'))).toContain('not frozen');
  expect(bellows.logged.join('')).toContain('freeze of production');
  await redis.del(key.replace('records', 'freeze'));
});
