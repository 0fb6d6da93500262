import { type Sandbox, startSandbox } from '@bellows/sandbox';
import { runsUnderWay } from '@bellows/sandbox/run-pace.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { quickTempo } from '../support/quick.js';

describe('the tour', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    const tempo = { ...quickTempo, followMs: 300, queueMs: 400 };
    sandbox = await startSandbox({ port: 0, log: createLog({ level: 'silent' }), tempo });
  });
  afterAll(() => sandbox.stop());

  const isDone = (step: string) => sandbox.tour.steps().some(({ id, done }) => id === step && done);
  const inOps = (words: string) =>
    sandbox.slack
      .as('grace')
      .sees('ops')
      .findLast(({ text, blocks }) => `${text} ${JSON.stringify(blocks)}`.includes(words));

  /** Sooner than the sandbox would. */
  const finishRuns = () => {
    for (const { id } of runsUnderWay(sandbox.forge)) sandbox.forge.world.finishRun({ run: id, conclusion: 'success' });
  };

  it('offers two changes for the queue, which has time until they are looked at', async () => {
    const { slack, tour } = sandbox;
    const offers = tour.steps().find(({ id }) => id === 'queue')?.offers ?? [];
    expect(offers).toHaveLength(2);
    for (const { type = '' } of offers) {
      expect(isDone('queue')).toBe(false);
      await slack.as('ada').command('engine', '/forge', type.replace('/forge ', ''));
    }
  });

  it('counts an account once it is linked, not when someone only signed in on the forge', async () => {
    const ada = sandbox.slack.as('ada');
    const token = sandbox.forge.account('ada').token();
    await fetch(`${sandbox.forge.apiUrl}/user`, { headers: { authorization: `token ${token}` } });
    expect(isDone('link')).toBe(false);
    await ada.command(ada.dm, '/forge', 'signin other');
    await ada.fill({ token });
    await ada.submit();
    await sandbox.slack.until(() => isDone('link'));
  });

  it('names a stuck run that no other run can be mistaken for', async () => {
    const { slack, forge } = sandbox;
    const engine = () => [...forge.world.state.runs.values()].filter(({ repo }) => repo.name === 'engine');
    const stuck = engine().find((run) => run.stuck);
    if (stuck === undefined) throw new Error('no run is stuck');
    for (let at = 0; at < stuck.id; at++) forge.world.startRun({ as: 'grace', repo: 'acme/engine' });
    expect(engine().some(({ number, id }) => number === stuck.id && id !== stuck.id)).toBe(true);
    const typed = sandbox.tour.steps().find(({ id }) => id === 'cancel')?.offers[0]?.type ?? '';
    await slack.as('ada').command('engine', '/forge', typed.replace('/forge ', ''));
    await slack.until(() => inOps('force-cancel') !== undefined);
    expect(isDone('cancel')).toBe(false);
    const card = inOps('Waiting for approval');
    if (card === undefined) throw new Error('there is no card');
    await slack.as('grace').click(card, 'Approve');
    await slack.until(() => isDone('cancel'));
    expect(stuck.status).toBe('cancelled');
    finishRuns();
  });

  it('counts an issue once it is closed, not when it only changed', async () => {
    const { slack } = sandbox;
    await slack.as('ada').command('engine', '/forge', 'issue edit acme/engine#4 --title "Alarm 1202"');
    await slack.until(() => sandbox.forge.world.issue('acme/engine', 4)?.title === 'Alarm 1202');
    expect(isDone('close')).toBe(false);
    await slack.as('ada').command('engine', '/forge', 'issue close acme/engine#4');
    await slack.until(() => isDone('close'));
  });

  it('does not count a deployment without a second person', async () => {
    const { slack, forge } = sandbox;
    await slack.as('ada').command('engine', '/forge', 'deploy production --break-glass --reason "Site is down"');
    await slack.until(() => inOps('Break glass') !== undefined && runsUnderWay(forge).length > 0);
    finishRuns();
    await slack.until(() => inOps('Deployed') !== undefined);
    expect(isDone('deploy')).toBe(false);
  });

  it('counts an approved deployment once its card shows how the run ended', async () => {
    const { slack, forge } = sandbox;
    await slack.as('ada').command('engine', '/forge', 'deploy production');
    await slack.until(() => inOps('Waiting for approval') !== undefined);
    expect(isDone('deploy')).toBe(false);
    const card = inOps('Waiting for approval');
    if (card === undefined) throw new Error('there is no card');
    await slack.as('grace').click(card, 'Approve');
    await slack.until(() => inOps('Approved by') !== undefined && runsUnderWay(forge).length > 0);
    expect(isDone('deploy')).toBe(false);
    finishRuns();
    await slack.until(() => isDone('deploy'));
  });

  it('counts watching once the subscribed channel shows activity, not anything else that was posted', async () => {
    const { slack, forge } = sandbox;
    expect(isDone('watch')).toBe(false);
    const posts = () => slack.state.messages('engine').filter(({ byBot, metadata }) => byBot && metadata).length;
    const inEngine = (words: string) => JSON.stringify(slack.state.messages('engine')).includes(words);
    await slack.as('ada').command('engine', '/forge', 'subscribe acme/engine issues');
    await slack.until(() => posts() === 1);
    await slack.as('ada').command('engine', '/forge', 'subscribe acme/engine issues commits runs');
    await slack.until(() => posts() === 2);
    expect(isDone('watch')).toBe(false);
    forge.world.push({ as: 'grace', repo: 'acme/engine', branch: 'main', commits: ['Tighten the belt'] });
    await slack.until(() => inEngine('Tighten the belt'));
    expect(isDone('watch')).toBe(true);
  });

  it('counts the merge queue once one was merged and the other failed on top of it', async () => {
    const { slack } = sandbox;
    const told = (words: string) => JSON.stringify(slack.as('ada').sees(slack.as('ada').dm)).includes(words);
    await slack.until(() => told('Merged acme/website') && told('taken out of the queue'));
    expect(isDone('queue')).toBe(true);
  });
});
