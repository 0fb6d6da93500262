import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startForge } from '@bellows/sandbox/forge';
import { startSlack } from '@bellows/sandbox/slack';
import { request } from 'undici';
import { startBot } from '../src/bot.js';
import { serving } from '../src/cli/serving.js';
import { readConfig } from '../src/config.js';
import { parseFilter } from '../src/feed/filter.js';
import { createMetrics } from '../src/http/metrics.js';
import { createLog } from '../src/log.js';
import { close, connect, createSeal, createStore, plainJson, ready } from '../src/store/index.js';
import { startWorker } from '../src/worker.js';
import { environmentOn } from '../test/support/processes.js';
import { median } from './median.js';
import { startDurable } from './redis.js';

const alone = 30;
const burst = 100;
/** Slack allows five posts a second in a workspace, one a second in a channel. */
const apartMs = 250;
const rooms = 20;
const secret = 'a webhook secret';

/** From a signed webhook to chat.postMessage, against the same requests and the same post made in sequence by hand. */
export async function run(): Promise<Record<string, number>> {
  const channels = Array.from({ length: rooms }, (_, at) => ({
    id: `C0BENCH${String(at).padStart(3, '0')}`,
    name: `b-${at}`,
  }));
  const [redis, forge, slack] = await Promise.all([
    startDurable(),
    startForge(),
    startSlack({ limits: true, seed: { channels } }),
  ]);
  const keys = `k1:${randomBytes(32).toString('base64')}`;
  const config = readConfig(
    environmentOn({ slack, forge, redisUrl: redis.url, keys }, { FORGE_WEBHOOK_SECRET: secret }),
  );
  const connection = connect(redis.url);
  await ready(connection);
  const store = createStore({ redis: connection, forgeId: 'main', seal: createSeal(keys) });
  const repos = channels.map(({ id: channel }, at) => {
    const name = `bench-${at}`;
    forge.world.createRepo({ as: 'ada', owner: 'acme', name });
    return { channel, name: `acme/${name}`, id: forge.world.repo(`acme/${name}`).id };
  });
  for (const { channel, name, id } of repos) {
    const filter = plainJson(parseFilter('issues'));
    const place = { team: slack.teamId, channel };
    await store.subscriptions.put({ place, target: { kind: 'repo', id }, owner: 'U0ADA00001', filter }, name);
  }
  const log = createLog({ level: 'error' });
  const metrics = createMetrics();
  const [bot, worker] = await Promise.all([startBot(config, log, metrics), startWorker(config, log, metrics)]);
  const http = await serving({ config, log, metrics, parts: [bot, worker] });
  for (const { id } of repos) while (!(await store.marks.get(`repo-${id}`))) await pause(100);

  const posts = () => slack.calls.of('chat.postMessage');
  async function hook(id: number): Promise<void> {
    const body = JSON.stringify({ repository: { id } });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-gitea-signature': signature };
    const answer = await request(`${http.address}/hooks/forge`, { method: 'POST', body, headers });
    await answer.body.dump();
  }
  /** Opens an issue, wakes Bellows, and resolves with the milliseconds until Slack was asked to post it. */
  async function wakeToPost(
    { name, id }: { readonly name: string; readonly id: number },
    title: string,
  ): Promise<number> {
    forge.world.openIssue({ as: 'grace', repo: name, title });
    const started = performance.now();
    await hook(id);
    await slack.until(() => posts().some(({ args }) => JSON.stringify(args).includes(title)), 60_000);
    return performance.now() - started;
  }
  /** Makes the same requests as Bellows, one after the other: to the forge, what it asked Slack, and the post. */
  async function byHand(asked: typeof forge.requests.all, lookedUp: typeof slack.calls.all): Promise<number> {
    const started = performance.now();
    const authorization = `token ${config.forge.token}`;
    for (const { path, query } of asked) {
      const answer = await request(`${forge.apiUrl}${path}?${new URLSearchParams({ ...query })}`, {
        headers: { authorization },
      });
      await answer.body.json();
    }
    const bearer = { authorization: `Bearer ${slack.botToken}` };
    for (const { method, args } of lookedUp) {
      const answer = await request(`${slack.apiUrl}${method}?channel=${args['channel']}`, { headers: bearer });
      await answer.body.json();
    }
    const { args } = posts().at(-1) ?? { args: {} };
    const body = JSON.stringify({ ...args, channel: 'C0GENERAL1', metadata: undefined });
    const headers = { 'content-type': 'application/json', ...bearer };
    const answer = await request(`${slack.apiUrl}chat.postMessage`, { method: 'POST', body, headers });
    await answer.body.json();
    return performance.now() - started;
  }

  const woken: number[] = [];
  const floor: number[] = [];
  for (let at = 0; at < alone; at++) {
    const repo = repos[at % repos.length];
    if (!repo) break;
    forge.requests.clear();
    const before = slack.calls.all.length;
    woken.push(await wakeToPost(repo, `Alone ${at}.`));
    const asked = forge.requests.all.filter(({ method, path }) => method === 'GET' && path.startsWith('/repos/acme/'));
    const lookedUp = slack.calls.all.slice(before).filter(({ method }) => method === 'conversations.info');
    floor.push(await byHand(asked, lookedUp));
    await pause(1_100);
  }
  const under = await Promise.all(
    Array.from({ length: burst }, async (_, at) => {
      await pause(at * apartMs);
      const repo = repos[at % repos.length];
      return repo ? wakeToPost(repo, `Burst ${at}.`) : 0;
    }),
  );
  await http.stop();
  await Promise.all([bot.stop(), worker.stop()]);
  await close(connection);
  await Promise.all([forge.close(), slack.close(), redis.close()]);
  return {
    'feed.wake_to_post_ms': median(woken),
    'feed.floor_ms': median(floor),
    'feed.wake_vs_floor': median(woken.map((ms, at) => ms / (floor[at] ?? ms))),
    'feed.burst_within_1s': under.filter((ms) => ms <= 1_000).length / burst,
  };
}
