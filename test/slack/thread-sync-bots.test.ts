import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bot, startBot } from '../../src/bot.js';
import { jobIdOf } from '../../src/chat/act-job.js';
import { type Served, serve } from '../../src/http/server.js';
import { createQueue } from '../../src/jobs/queues.js';
import { createLog } from '../../src/log.js';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { startWorker } from '../../src/worker.js';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { quickTempo } from '../support/quick.js';
import { testKeys } from '../support/redis.js';

const repo = 'acme/engine';
const place = { team: 'T0BELLOWS1', channel: 'C0ENGINE01' };
const log = createLog({ level: 'silent' });

let bellows: Bellows;
let store: Store;
let queue: ReturnType<typeof createQueue>;
let other: Bot;
let http: Served;
let worker: Awaited<ReturnType<typeof startWorker>>;
const work = () => startWorker(bellows.config, log, undefined, quickTempo);
const { type } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows({ mode: 'http', threadSync: true, policy: '', pollMs: 200, parts: ['bot'] });
  worker = await work();
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  queue = createQueue('act', { connection: store.redis, forgeId: 'main' });
  other = await startBot(bellows.config, log);
  http = await serve({ ...bellows.config.http, slack: other.listener, log });
  await bellows.link('ada');
  await type('ada', `thread agree ${repo} public`);
  await type('ada', `subscribe ${repo} issues comments thread:sync`);
});
afterAll(async () => {
  await http.stop();
  await other.stop();
  await worker.stop();
  await queue.close();
  await close(store.redis);
  await bellows.close();
});

it('deletes a reply’s comment even if another bot gets the deletion before the comment is posted', async () => {
  const { slack, forge } = bellows;
  const { index } = forge.world.openIssue({ as: 'grace', repo, title: 'Leak' });
  const card = await slack.until(() =>
    slack.state.messages('engine').find(({ text }) => text.includes(`#${index} Leak`)),
  );
  await expect.poll(() => store.threads.itemOf(place, card.ts)).toBeDefined();
  await worker.stop();
  const said = await slack.as('ada').post('engine', 'The password is …', card.ts);
  await expect.poll(() => queue.getJob(jobIdOf('t', place.channel, said.ts))).toBeDefined();
  await slack.deliverTo(`${http.address}/slack/events`);
  await slack.as('ada').remove(said);
  await expect.poll(() => queue.getJob(jobIdOf('t', place.channel, said.ts, 'd'))).toBeDefined();
  worker = await work();
  const sent = (method: string) => () =>
    [...forge.requests].filter((each) => each.method === method && each.path.includes('/comments')).length;
  await expect.poll(sent('POST')).toBe(1);
  await expect.poll(sent('DELETE')).toBe(1);
  expect(forge.world.issue(repo, index)?.comments).toEqual([]);
});
