import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { close, connect } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf, type Part, startPart } from '../support/processes.js';
import { startRedis } from '../support/redis.js';

const patience = 60_000;

describe('accepted work', () => {
  let bellows: Bellows;
  let bot: Part;
  let worker: Part;
  const start = (word: 'bot' | 'worker') => startPart(word, environmentOf(bellows.config));
  beforeAll(async () => {
    expect((await startRedis()).kind, 'these tests need redis-server or valkey-server on PATH').toBe('private');
    bellows = await startBellows({ parts: [] });
    [bot, worker] = await Promise.all([start('bot'), start('worker')]);
    await bellows.link('ada');
  });
  afterEach(() => bellows.forge.faults.clear());
  afterAll(async () => {
    await Promise.all([bot.kill('SIGTERM'), worker.kill('SIGTERM')]);
    await bellows.close();
  });

  it('survives kill -9 of the bot after the acknowledgement', async () => {
    const { slack } = bellows;
    const ada = slack.as('ada');
    await worker.kill();
    const reply = await ada.command('engine', '/forge', 'issue close acme/engine#2');
    expect(reply.ok).toBe(true);
    await bot.kill();
    [bot, worker] = await Promise.all([start('bot'), start('worker')]);
    await slack.until(() => ada.sees('engine').some(({ text }) => text.includes('Closed')), patience);
  });

  it('completes an idempotent write after kill -9 of the worker in the middle of it', async () => {
    const { slack, forge } = bellows;
    const ada = slack.as('ada');
    forge.faults.add({ on: /PATCH .*issues/, trouble: { delay: 30_000 } });
    const sent = forge.requests.next(/PATCH .*issues\/7/);
    await ada.command('engine', '/forge', 'issue close acme/engine#7');
    await sent;
    await worker.kill();
    worker = await start('worker');
    await slack.until(
      () => ada.sees('engine').some(({ text }) => text.includes('Closed') && text.includes('#7')),
      patience,
    );
  });

  it('is answered once, though the worker ends between answer and record', async () => {
    const { slack } = bellows;
    const ada = slack.as('ada');
    slack.faults.next('response_url', { kind: 'lost', how: 'silence' });
    const answers = () => [...ada.sees('engine'), ...ada.sees(ada.dm)].filter(({ text }) => text.includes('Reopened'));
    await ada.command('engine', '/forge', 'issue reopen acme/engine#7');
    await slack.until(() => answers().length === 1, patience);
    const redis = connect(bellows.redisUrl);
    // noted once it is out: whoever dies before that says it again
    const isOut = async () => {
      const due = await redis.zrange('bellows:{main:answers}:due', '0', '-1');
      const kept = await Promise.all(due.map((id) => redis.hget(`bellows:{main:answers}:item:${id}`, 'sent')));
      // an answer of the worker killed before may still be due
      return kept.some((sent) => sent !== null);
    };
    await expect.poll(isOut, { timeout: patience }).toBe(true);
    await worker.kill();
    worker = await start('worker');
    await expect.poll(() => redis.zcard('bellows:{main:answers}:due'), { timeout: patience }).toBe(0);
    await close(redis);
    expect(answers()).toHaveLength(1);
  });

  it('never repeats a write that counts, and reports what is known', async () => {
    const { slack, forge } = bellows;
    const ada = slack.as('ada');
    forge.faults.add({ on: /POST .*comments/, trouble: { delay: 30_000 } });
    const sent = forge.requests.next(/POST .*issues\/2\/comments/);
    await ada.command('engine', '/forge', 'issue comment acme/engine#2 only once');
    await sent;
    await worker.kill();
    worker = await start('worker');
    const seen = () => [...ada.sees('engine'), ...ada.sees(ada.dm)].map(({ text }) => text);
    // an outcome nobody can know yet is sent as a direct message
    const answered = /The forge did not confirm|Commented on/;
    const answer = await slack.until(() => seen().find((text) => answered.test(text)), patience);
    const there = forge.world.issue('acme/engine', 2)?.comments.filter(({ body }) => body === 'only once') ?? [];
    expect(there.length).toBeLessThanOrEqual(1);
    if (answer.includes('Commented')) expect(there).toHaveLength(1);
    const posted = [...forge.requests].filter(({ method, path }) => method === 'POST' && path.endsWith('/comments'));
    expect(posted.length).toBeLessThanOrEqual(1);
  });

  it('gives a review to one of two people who click at once', { timeout: 600_000 }, async () => {
    const { world } = bellows.forge;
    const [repo, rounds, atOnce] = ['acme/engine', 200, 40];
    await bellows.link('alan', 'margaret');
    const second = await start('worker');
    const claimers = (index: number) =>
      [...(world.issue(repo, index)?.pull?.reviews ?? [])]
        .filter(({ state }) => state === 'REQUEST_REVIEW')
        .flatMap(({ user }) => user?.login ?? []);
    const answers = (user: string) =>
      bellows.slack
        .as(user)
        .sees('engine')
        .filter(({ text }) => /reviewing/.test(text)).length;
    let races = 0;
    for (let round = 0; round < rounds; round += atOnce) {
      const pulls = Array.from({ length: atOnce }, (_, at) => {
        const head = `race-${round + at}`;
        world.push({ as: 'grace', repo, branch: head, commits: [head] });
        return world.openPull({ as: 'grace', repo, title: head, head }).index;
      });
      const before = answers('ada') + answers('alan');
      await Promise.all(
        pulls.flatMap((index) =>
          ['ada', 'alan'].map((user) =>
            bellows.slack.as(user).command('engine', '/forge', `review take ${repo}#${index}`),
          ),
        ),
      );
      await bellows.slack.until(() => answers('ada') + answers('alan') === before + 2 * atOnce || undefined, patience);
      for (const index of pulls) expect(claimers(index)).not.toEqual([]);
      races += pulls.filter((index) => claimers(index).length > 1).length;
    }
    await second.kill('SIGTERM');
    process.stdout.write(`figure review.claim_races ${races}\n`);
    expect(races).toBe(0);
  });
});
