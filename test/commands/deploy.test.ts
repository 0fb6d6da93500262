import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuditEntry, type Connection, close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { deploymentOf } from '../support/deployment.js';
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
  lost:
    repository: acme/engine
    workflow: deploy.yml
    refs: [main]
    inputs: { version: lost }
    approve: maintainer
    channel: C0ENGINE01
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
  bellows = await startBellows({ policy, slack: { seed: { users: people } }, tempo: { lookMs: 30, followMs: 100 } });
  connection = connect(bellows.redisUrl);
  await bellows.link('ada');
  await bellows.link('grace');
  await bellows.link('alan', 'margaret');
  await bellows.link('linus');
});
afterAll(async () => {
  await close(connection);
  await bellows.close();
});
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => {
  bellows.forge.faults.clear();
  expect(bellows.slack.failures.all).toEqual([]);
});

describe('a deployment', () => {
  it('shows what would be deployed, runs exactly that once someone else approved, and is followed to its end', async () => {
    for (let nth = 1; nth < 12; nth++) push(`Small step ${nth}.`);
    const sha = push('Turn the <third> gear', 'grace').slice(0, 10);
    const ada = bellows.slack.as('ada');
    const before = new Set(ada.sees(ada.dm).map(({ ts }) => ts));
    const card = await ask('deploy production --reason "The gear is fixed" --input version=2');
    for (const part of ['production', 'main at', 'Authors', 'grace', 'Checks', 'not frozen', 'The gear is fixed'])
      expect(words(card)).toContain(part);
    expect(words(card)).toMatch(
      new RegExp(`<@U0ADA00001> wants to <[^|]+/commit/${sha}[^|]*\\|deploy main \\(${sha}\\) to production>`),
    );
    expect(words(card)).not.toContain('*Environment*');
    for (const part of [
      `/commit/${sha}`,
      'nothing deployed yet',
      'Turn the &lt;third&gt; gear (grace)',
      '|All commits',
    ])
      expect(words(card)).toContain(part);
    expect(words(card)).not.toContain('Small step 1.');
    const details = words(await click('grace', card, 'Details'));
    for (const part of ['Current version', 'Small step 1.', '|All commits', 'dispatches'])
      expect(details).toContain(part);
    expect((await click('ada', card, 'Approve')).text).toContain('Someone else has to approve');
    expect((await click('linus', card, 'Approve')).text).toContain('can decide this');
    expect(bodies()).toEqual([]);
    await bellows.slack.as('grace').click(card, 'Approve');
    expect(words(await cardSays(card, 'Deploying')).match(/Deploying/g)).toHaveLength(1);
    expect(bodies()).toEqual([{ ref: 'refs/heads/main', inputs: { environment: 'production', version: '2' } }]);
    expect(bellows.forge.requests.of(dispatches)).toMatchObject([{ who: 'ada' }]);
    expect((await click('alan', card, 'Approve')).text).toContain('already approved');
    expect((await type('ada', 'deploy production')).text).toContain('is being deployed to production right now');
    const told = () => ada.sees('engine').filter(({ threadTs }) => threadTs === card.ts);
    await bellows.slack.until(() => told().find(({ text }) => text.includes('Deploying')));
    finish('success');
    const done = await cardSays(card, 'Deployed');
    await messaged('ada', 'Deployed');
    const thread = await bellows.slack.until(() => told().find(({ text }) => text.includes('Deployed')));
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
    expect(words(done)).not.toContain('Deploying');
    for (const shown of [done, thread]) expect(words(shown)).toMatch(link);
    const history = words(await type('ada', 'deploy history production'));
    expect(history).toMatch(link);
    expect(history).toContain('Deployed');
    const status = words(await type('ada', 'deploy status production'));
    expect(status).toContain('main');
    expect(status).toMatch(link);
    expect(status).toContain('approved by');
    expect(words(await type('ada', 'audit --command deploy'))).toContain('approved by');
    const { audit } = createStore({ redis: connection, forgeId: 'main', seal: createSeal(testKeys) });
    const rows: AuditEntry[] = [];
    for await (const { entry } of audit.export()) rows.push(entry);
    const isEnd = ({ command, args, outcome }: AuditEntry) =>
      command === 'deploy' && args['environment'] === 'production' && outcome === 'done';
    expect(rows.find(isEnd)).toMatchObject({
      who: { user: 'U0ADA00001', login: 'ada' },
      approvedBy: [{ user: 'U0GRACE001', login: 'grace' }],
    });
    expect((await click('grace', card, 'Approve')).text).toContain('already approved');
    expect(bodies()).toHaveLength(1);
  });

  it('does not run once the branch moved, and can be requested again, nor once a freeze started', async () => {
    push('Shown');
    const card = await ask('deploy production');
    const now = push('Pushed meanwhile').slice(0, 10);
    expect((await click('grace', card, 'Approve')).text).toContain('commit was');
    const stale = await cardSays(card, 'commit was');
    expect(bodies()).toEqual([]);
    await bellows.slack.as('ada').click(stale, 'Ask again');
    const isNext = ({ ts, onlyFor, blocks }: Shown) =>
      onlyFor === undefined && ts > card.ts && words({ blocks }).includes('Approve');
    const again = await bellows.slack.until(() => bellows.slack.as('ada').sees('engine').find(isNext));
    expect(words(again)).toContain(`deploy main (${now}) to production`);
    expect((await type('alan', 'deploy freeze production 2h --reason Launch')).text).toContain('Froze production');
    await click('grace', again, 'Approve');
    await cardSays(again, 'production is frozen for another .*Launch');
    expect(bodies()).toEqual([]);
    expect((await type('ada', 'deploy production')).text).toContain('frozen');
    expect(words(await type('ada', 'deploy status'))).toContain('frozen for another');
    expect((await type('alan', 'deploy unfreeze production')).text).toContain('Unfroze production');
  });

  const stopping = (how: 'cancel' | 'force-cancel') => `POST /repos/{owner}/{repo}/actions/runs/{run}/${how}` as const;

  it('is force-canceled where it cannot be canceled, if the branch moved at the last moment', async () => {
    bellows.forge.faults.add({ on: stopping('cancel'), times: 99, trouble: { status: 500 } });
    const approved = push('Approved').slice(0, 10);
    const card = await ask('deploy production');
    let other = '';
    const first = async () => {
      other = push('Too late to be seen').slice(0, 10);
    };
    bellows.forge.faults.add({ on: dispatches, trouble: { first } });
    await bellows.slack.as('grace').click(card, 'Approve');
    const loud = words(await cardSays(card, 'Deployment canceled'));
    expect(loud).toContain('Not the approved commit');
    expect(loud).toContain(`The run started on \`${other}\` instead of \`${approved}\``);
    expect(loud).toContain('Bellows force-canceled the run');
    expect(loud).not.toContain('Rerun');
    await messaged('ada', 'Bellows force-canceled the run');
    expect(bellows.forge.requests.of(stopping('force-cancel'))).toMatchObject([{ who: 'ada' }]);
    expect(words(await type('ada', 'deploy history production'))).toContain('Not the approved commit');
    expect(words(await type('ada', 'deploy status production'))).not.toContain(other);
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
    await expect.poll(isOld, { interval: 150 }).toBe(true);
  }

  it('whose start got no answer blocks its environment, but not for ever', async () => {
    push('Lost');
    bellows.forge.faults.add({ on: dispatches, times: 9, trouble: { drop: 'before' } });
    const card = await ask('deploy lost');
    await bellows.slack.as('grace').click(card, 'Approve');
    await messaged('ada', 'did not confirm');
    expect((await type('ada', 'deploy lost')).text).toContain('is being deployed to lost right now');
    await age('lost', 11 * 60_000);
    await cardSays(card, 'Outcome unknown');
    expect(bodies()).toHaveLength(1);
    const status = words(await type('ada', 'deploy status lost'));
    expect(status).toContain('not known');
    expect(status).toContain('Outcome unknown');
    expect(status).not.toContain('nothing deployed yet');
    bellows.forge.faults.clear();
    await ask('deploy lost');
  });

  it('offers a rollback and a rerun when it failed, and continues when its failed jobs were rerun', async () => {
    const { world } = bellows.forge;
    const ada = bellows.slack.as('ada');
    world.tag({ as: 'ada', repo, tag: 'v7.1' });
    const sha = world.repo(repo).branches.get('main') ?? '';
    const { deployments } = createStore({ redis: connection, forgeId: 'main', seal: createSeal(testKeys) });
    await deployments.put(
      deploymentOf({ id: 'd-7', ref: 'refs/tags/v7.1', sha, state: 'succeeded', startedAt: Date.now() }),
    );
    push('Breaks');
    const card = await ask('deploy production');
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'Deploying');
    finish('failure');
    const failed = await cardSays(card, 'Deployment failed');
    await ada.click(failed, 'Roll back to v7.1');
    const isBack = ({ ts, blocks }: Shown) => ts > failed.ts && words({ blocks }).includes('tag v7.1 at');
    await bellows.slack.until(() => ada.sees('engine').find(isBack));
    expect((await click('ada', failed, 'Rerun failed jobs')).text).toContain('Rerunning failed jobs');
    await cardSays(failed, 'Deploying');
    finish('success');
    expect(words(await cardSays(failed, 'Deployed'))).not.toContain('Rerun failed jobs');
    const [, latest] = JSON.parse(words(await type('ada', 'deploy history production')));
    expect(JSON.stringify(latest)).toContain('Deployed');
  });
});

describe('who may', () => {
  it.each([
    ['linus', 'deploy production', 'can’t request a deployment to production. Maintainers can.'],
    ['linus', 'deploy freeze production 2h', 'maintainers'],
    ['linus', 'deploy unfreeze production', 'maintainers'],
  ])('%s is refused “%s”', async (user, line, part) => {
    expect((await type(user, line)).text).toContain(part);
    expect(bodies()).toEqual([]);
  });

  it('is said in a dry run, help and forms in plain words', async () => {
    expect(words(await type('ada', 'deploy production --dry-run'))).toContain('Only maintainers can run this.');
    expect(words(await type('ada', 'help deploy'))).toContain('Deploy at once without approval');
    await bellows.slack.as('alan').command('general', '/forge', 'deploy freeze');
    expect((await form('alan')).title).toBe('Freeze deployments');
    await bellows.slack.as('alan').close();
  });

  it('decide is not who wrote part of it, even if requesters count', async () => {
    push('By grace', 'grace');
    const card = await ask('deploy own');
    expect((await click('grace', card, 'Approve')).text).toContain('You wrote part of this');
    expect(bodies()).toEqual([]);
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
  const details = async (card: Shown) => words(await click('grace', card, 'Details'));
  const isAsked = ({ blocks }: Shown) => words({ blocks }).includes('version=1.9');
  expect(await details(await bellows.slack.until(() => ada.sees('engine').find(isAsked)))).toContain('1.9');
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
