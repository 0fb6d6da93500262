import { afterAll, beforeAll, expect, it } from 'vitest';
import { createQueue } from '../../src/jobs/queues.js';
import { createLog } from '../../src/log.js';
import { close, connect } from '../../src/store/index.js';
import { startWorker } from '../../src/worker.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { quickTempo } from '../support/quick.js';
import { addAgent, clientOver, overHttp } from './agent.js';

let bellows: Bellows;
beforeAll(async () => {
  bellows = await startBellows({ agents: true });
  await bellows.link('ada');
});
afterAll(() => bellows.close());

it('tells an agent that a command failed if it kept stopping its worker', async () => {
  const agent = await clientOver(overHttp(bellows.address, await addAgent(bellows, 'ada', 'Steam --may "issue *"')));
  const redis = connect(bellows.redisUrl);
  const queue = createQueue('act', { connection: redis, forgeId: 'main' });
  await queue.pause();
  const calling = agent.call('issue_show', { issue: 'acme/engine#2' });
  const [job] = await expect
    .poll(() => queue.getJobs(['wait']))
    .toHaveLength(1)
    .then(() => queue.getJobs(['wait']));
  // as its third worker left it behind, and another one found it once
  await redis.lmove(queue.toKey('wait'), queue.toKey('active'), 'LEFT', 'RIGHT');
  await redis.hset(queue.toKey(job?.id ?? ''), 'stc', 2);
  await redis.sadd(queue.toKey('stalled'), job?.id ?? '');
  await queue.resume();
  // a worker that starts looks at once, unless another one just did
  await redis.del(queue.toKey('stalled-check'));
  const next = await startWorker(bellows.config, createLog({ level: 'silent' }), undefined, quickTempo);
  expect(await calling).toMatchObject({
    status: 'failed',
    wrong: true,
    text: expect.stringContaining('failed several times'),
  });
  await next.stop();
  await queue.close();
  await close(redis);
  await agent.close();
});
