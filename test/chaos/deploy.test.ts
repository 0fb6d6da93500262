import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decideIn } from '../commands/deciding.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf, type Part, startPart } from '../support/processes.js';
import { startRedis } from '../support/redis.js';

/** A claim whose holder was killed expires after a minute. */
const patience = 180_000;
const policy = `
roles: { admin: { users: [U0ADA00001, U0GRACE001] } }
deployments:
  production:
    repository: acme/engine
    workflow: deploy.yml
    refs: [main]
    approve: admin
`;
const dispatches = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';

describe('a deployment under kill -9', () => {
  let bellows: Bellows;
  let folder: string;
  let bot: Part;
  let worker: Part;
  const { ask, cardSays } = decideIn(() => bellows);
  const start = (word: 'bot' | 'worker') =>
    startPart(word, environmentOf(bellows.config, { BELLOWS_CONFIG: join(folder, 'bellows.yaml') }));
  const sent = () => bellows.forge.requests.of(dispatches);
  const runs = () => [...bellows.forge.world.state.runs.values()].filter(({ event }) => event === 'workflow_dispatch');

  beforeAll(async () => {
    expect((await startRedis()).kind, 'these tests need redis-server or valkey-server on PATH').toBe('private');
    folder = await mkdtemp(join(tmpdir(), 'bellows-deploy-'));
    await writeFile(join(folder, 'bellows.yaml'), policy);
    bellows = await startBellows({ parts: [], policy });
    [bot, worker] = await Promise.all([start('bot'), start('worker')]);
    await bellows.link('ada');
    await bellows.link('grace');
  });
  afterEach(() => bellows.forge.faults.clear());
  afterAll(async () => {
    await Promise.all([bot.kill('SIGTERM'), worker.kill('SIGTERM')]);
    await bellows.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('interrupted between approval and dispatch is dispatched once', { timeout: 240_000 }, async () => {
    const { faults, requests } = bellows.forge;
    const before = runs().length;
    const card = await ask('deploy production');
    // approved, and checking once more takes a while
    faults.add({ on: /GET .*contents/, trouble: { delay: 20_000 }, times: 20 });
    const looked = requests.next(/GET .*contents/);
    await bellows.slack.as('grace').click(card, 'Approve');
    await looked;
    await worker.kill();
    expect(sent()).toEqual([]);
    faults.clear();
    worker = await start('worker');
    await cardSays(card, 'Deploying');
    expect(sent()).toHaveLength(1);
    expect(runs().length - before).toBe(1);
    bellows.forge.world.finishRun({ run: runs().at(-1)?.id ?? 0, conclusion: 'success' });
    await cardSays(card, 'Deployed');
  });

  it('interrupted between dispatch and its answer is found, not sent again', { timeout: 240_000 }, async () => {
    const { faults, requests } = bellows.forge;
    const before = runs().length;
    const card = await ask('deploy production');
    faults.add({ on: dispatches, trouble: { stall: 60_000 } });
    const arrived = requests.next(/POST .*dispatches/);
    await bellows.slack.as('grace').click(card, 'Approve');
    await arrived;
    await expect.poll(() => runs().length - before, { timeout: patience }).toBe(1);
    await worker.kill();
    worker = await start('worker');
    await cardSays(card, 'Deploying');
    bellows.forge.world.finishRun({ run: runs().at(-1)?.id ?? 0, conclusion: 'success' });
    await cardSays(card, 'Deployed');
    expect(runs().length - before).toBe(1);
    process.stdout.write(`figure deploy.dispatched_twice ${runs().length - before - 1}\n`);
  });
});
