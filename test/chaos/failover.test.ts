import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queuePrefix } from '../../src/store/keys.js';
import type { Part } from '../support/processes.js';
import { startCluster } from './support/cluster.js';
import { type Product, startProduct } from './support/product.js';
import { startSentinels } from './support/sentinel.js';
import { tally } from './support/tally.js';

const repo = 'acme/engine';
const patience = 60_000;

interface Replicated {
  readonly url: string;
  killPrimary(): void;
  close(): Promise<void>;
}

const withSentinels = (): Promise<Replicated> => startSentinels();
async function inCluster(): Promise<Replicated> {
  const cluster = await startCluster({ replicas: true });
  return { ...cluster, killPrimary: () => void cluster.killPrimaryOf(queuePrefix('main', 'act')) };
}

describe.each([
  ['Sentinel', withSentinels],
  ['a Cluster', inCluster],
] as const)('the primary is killed under %s', { timeout: 300_000 }, (_, open) => {
  let redis: Replicated;
  let product: Product;
  let bot: Part;
  let worker: Part;
  const there = (text: string): number =>
    (product.forge.world.issue(repo, 2)?.comments ?? []).filter(({ body }) => body === text).length;
  const postsOf = (title: string): number =>
    product.slack.state
      .messages('C0ENGINE01')
      .filter(({ byBot, blocks }) => byBot && JSON.stringify(blocks).includes(title)).length;
  const comment = (text: string) => product.ask(`issue comment ${repo}#2 ${text}`, 'Commented');
  const ready = (part: Part) => product.readyz(part).catch(() => 'no answer');

  beforeAll(async () => {
    redis = await open();
    product = await startProduct(redis.url);
    [bot, worker] = await Promise.all([product.start('bot'), product.start('worker')]);
    await product.link();
    await product.ask(`subscribe ${repo} issues`, repo);
    for (let times = 0; times < 3; times++) await product.forge.requests.next(/engine\/activities\/feeds/);
    await comment('Before');
    product.forge.world.openIssue({ as: 'grace', repo, title: 'Before the failover' });
    await product.slack.until(() => postsOf('Before the failover') > 0, patience);
  }, patience * 3);
  afterAll(async () => {
    await product.close();
    await redis.close();
  });

  it('recovers: nothing is lost or doubled, and /readyz reports the state', async () => {
    redis.killPrimary();
    product.forge.world.openIssue({ as: 'grace', repo, title: 'Amid the failover' });
    const parts = [bot, worker];
    await Promise.all(parts.map((part) => expect.poll(() => ready(part), { timeout: 30_000 }).not.toBe('ready\n')));
    for (const part of parts) await expect.poll(() => ready(part), { timeout: patience }).toBe('ready\n');
    await Promise.all(['One', 'Two', 'Three'].map((text) => comment(`After ${text}`)));
    product.forge.world.openIssue({ as: 'grace', repo, title: 'After the failover' });
    await product.slack.until(() => postsOf('After the failover') > 0, patience);
    const texts = ['Before', 'After One', 'After Two', 'After Three'].map(there);
    const titles = ['Before', 'Amid', 'After'].map((when) => postsOf(`${when} the failover`));
    tally('once_twice', texts.filter((times) => times > 1).length);
    tally('lost', [...texts, ...titles].filter((times) => times === 0).length);
    tally('doubled', titles.filter((times) => times > 1).length);
    expect({ texts, titles }).toEqual({ texts: [1, 1, 1, 1], titles: [1, 1, 1] });
  });
});

describe.each([3_000, 15_000])('a Cluster with a node timeout of %i ms fails over under load', (nodeTimeoutMs) => {
  let redis: Awaited<ReturnType<typeof startCluster>>;
  let product: Product;

  beforeAll(async () => {
    redis = await startCluster({ replicas: true, nodeTimeoutMs });
    product = await startProduct(redis.url);
    await Promise.all([product.start('bot'), product.start('worker'), product.start('worker')]);
    await product.link();
  }, patience * 3);
  afterAll(async () => {
    await product.close();
    await redis.close();
  });

  it('every accepted command is done once or answered; none vanishes', async () => {
    const { slack, forge } = product;
    const ada = slack.as('ada');
    const accepted: string[] = [];
    // slow enough that some are always running and some waiting
    forge.faults.add({ on: /POST .*comments/, times: 10_000, trouble: { delay: 250 } });
    let over = false;
    const typing = (async () => {
      for (let at = 0; !over; at += 1) {
        const text = `Comment ${at}.`;
        const { ok, ack } = await ada.command('engine', '/forge', `issue comment ${repo}#2 ${text}`);
        // an answer in the acknowledgement says that it was not queued
        if (ok && !ack) accepted.push(text);
        await pause(50);
      }
    })();
    await pause(4_000);
    // the queue stays, so that commands are accepted that cannot be recorded
    await redis.killPrimaryOf('{main:audit}');
    await pause(nodeTimeoutMs + 10_000);
    over = true;
    await typing;
    const times = (text: string) =>
      (forge.world.issue(repo, 2)?.comments ?? []).filter(({ body }) => body === text).length;
    const undone = () => accepted.filter((text) => times(text) === 0);
    const failures = () =>
      [...ada.sees('engine'), ...ada.sees(ada.dm)].filter(({ text }) => /several times|did not confirm/.test(text));
    await slack.until(() => undone().length <= failures().length, 2 * patience).catch(() => {});
    tally('lost', Math.max(0, undone().length - failures().length));
    tally('once_twice', accepted.filter((text) => times(text) > 1).length);
    expect({
      vanished: undone().slice(failures().length),
      twice: accepted.filter((text) => times(text) > 1),
      givenUp: failures().length,
    }).toEqual({ vanished: [], twice: [], givenUp: 0 });
    expect(accepted.length).toBeGreaterThan(20);
  });
});
