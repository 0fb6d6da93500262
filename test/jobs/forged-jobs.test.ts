import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CommandJob } from '../../src/chat/act-job.js';
import { createMetrics } from '../../src/http/metrics.js';
import { createQueue } from '../../src/jobs/queues.js';
import { openJob, sealJob } from '../../src/jobs/sealed-job.js';
import { isSlackAddress } from '../../src/slack/answer.js';
import { close, connect, createSeal, createStore, ready, type Store } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { everythingIn, testKeys, useStore } from '../support/redis.js';

const job = (user: string, more: Partial<CommandJob> = {}): CommandJob => ({
  v: 1,
  kind: 'command',
  command: 'issue close',
  args: { issue: { owner: 'acme', repo: 'engine', index: 2 } },
  dryRun: false,
  source: 'typed',
  person: { team: 'T0SANDBOX1', user },
  channel: 'C0ENGINE01',
  answer: {},
  acceptedAt: Date.now(),
  ...more,
});

describe('a job written into Redis by someone else', () => {
  let bellows: Bellows;
  let queue: Queue;
  let store: Store;
  const metrics = createMetrics();
  const redis = () => store.redis;
  beforeAll(async () => {
    bellows = await startBellows({ metrics });
    const connection = connect(bellows.redisUrl);
    await ready(connection);
    const id = 'main';
    store = createStore({ redis: connection, forgeId: id, seal: createSeal(testKeys) });
    queue = createQueue('act', { connection, forgeId: id });
    await bellows.link('ada');
  });
  afterAll(async () => {
    await queue.close();
    await close(redis());
    await bellows.close();
  });
  afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

  const closed = () => bellows.forge.requests.of('PATCH /repos/{owner}/{repo}/issues/{index}');
  const forgedRow = async (target: string) => {
    const { rows } = await store.audit.read({ outcome: 'forged', target });
    return rows[0]?.entry;
  };

  it('does nothing with that person’s account, is recorded, reported, and its person is notified', async () => {
    const ada = bellows.slack.as('ada');
    const person = { team: bellows.slack.teamId, user: 'U0ADA00001' };
    await queue.add('command', job('U0ADA00001', { person }), { jobId: 'j-forged-1' });
    await bellows.slack.until(() => ada.sees(ada.dm).find(({ text }) => text.includes('could not be verified')));
    await expect.poll(() => forgedRow('j-forged-1')).toMatchObject({ who: person, outcome: 'forged' });
    expect(bellows.logged.some((line) => line.includes('j-forged-1') && line.includes('"level":50'))).toBe(true);
    expect((await metrics.text()).text).toContain('bellows_forged_records_total{kind="job"} 1');
    expect(closed()).toEqual([]);
  });

  it('is refused if a real job was copied under another id or for another person', async () => {
    const person = { team: bellows.slack.teamId, user: 'U0ADA00001' };
    const real = sealJob(store, job('U0ADA00001', { person }), 'j-real');
    await queue.add('command', real, { jobId: 'j-copied' });
    await expect.poll(() => forgedRow('j-copied')).toBeDefined();
    const other = { ...real, person: { ...person, user: 'U0GRACE001' } };
    await queue.add('command', other, { jobId: 'j-other' });
    await expect.poll(() => forgedRow('j-other')).toBeDefined();
    expect(closed()).toEqual([]);
    // the very same job runs under its own name
    await queue.add('command', real, { jobId: 'j-real' });
    await expect.poll(closed).toHaveLength(1);
  });

  it('raises no alarm if it is the rest of a finished job', async () => {
    const person = { team: bellows.slack.teamId, user: 'U0ADA00001' };
    await queue.add('command', { v: 2, person }, { jobId: 'j-done' });
    await queue.add('command', { v: 2, person, sealed: 'x' }, { jobId: 'j-not-done' });
    await expect.poll(() => forgedRow('j-not-done')).toBeDefined();
    expect(await forgedRow('j-done')).toBeUndefined();
  });

  it('cannot be made from what Redis shows: no response address is stored unencrypted', async () => {
    const ada = bellows.slack.as('ada');
    await queue.pause();
    await ada.command('engine', '/forge', 'whoami');
    const all = JSON.stringify(await everythingIn(bellows.redisUrl));
    expect(all).toContain('sealed');
    expect(all).not.toContain('response');
    expect(all).not.toContain(new URL(bellows.slack.apiUrl).host);
    await queue.resume();
    const whole = async () => (await queue.getCompleted()).filter(({ data }) => 'sealed' in data).map(({ id }) => id);
    await expect.poll(async () => (await whole()).sort()).toEqual(['j-copied', 'j-not-done', 'j-other']);
  });
});

describe('a sealed job', () => {
  const at = useStore();
  const now = () => at.now();
  const made = () => job('U1', { acceptedAt: at.now() });

  it('opens under its own id only', () => {
    const sealed = sealJob(at.store, made(), 'j-1');
    expect(openJob(at.store, sealed, 'j-1', now())).toEqual({ job: made() });
    expect(openJob(at.store, sealed, 'j-2', now())).toMatchObject({ refused: expect.stringContaining('copied') });
  });

  it('opens for its own person only', () => {
    const sealed = sealJob(at.store, made(), 'j-1');
    const other = { ...sealed, person: { ...sealed.person, user: 'U2' } };
    expect(openJob(at.store, other, 'j-1', now())).toMatchObject({ refused: expect.stringContaining('copied') });
  });

  it('is refused when it is more than a day old', () => {
    const sealed = sealJob(at.store, made(), 'j-1');
    at.pass(86_400_000);
    expect(openJob(at.store, sealed, 'j-1', now())).toHaveProperty('job');
    at.pass(1);
    expect(openJob(at.store, sealed, 'j-1', now())).toMatchObject({ refused: expect.stringContaining('day old') });
  });

  it('opens with any key of the ring, and with no other', () => {
    const [newer = '', older = ''] = testKeys.split(',');
    const by = (keys: string) => createStore({ redis: at.redis, forgeId: 'f0', seal: createSeal(keys) });
    const sealed = sealJob(by(older), made(), 'j-1');
    expect(openJob(by(testKeys), sealed, 'j-1', now())).toHaveProperty('job');
    expect(openJob(by(newer), sealed, 'j-1', now())).toHaveProperty('refused');
  });
});

describe('a response address', () => {
  it.each([
    ['https://hooks.slack.com/commands/T1/2/x', true],
    ['https://hooks.slack-gov.com/commands/T1/2/x', true],
    ['https://slack.com/api', true],
    ['http://hooks.slack.com/commands/T1/2/x', false],
    ['https://hooks.slack.com:8443/x', false],
    ['https://hooks.slack.com@evil.example/x', false],
    ['https://hooks.slack.com.evil.example/x', false],
    ['https://evilslack.com/x', false],
    ['https://evil.example/hooks.slack.com', false],
    ['http://127.0.0.1:9/x', false],
    ['no address', false],
  ])('%s: %s', (address, ours) => {
    expect(isSlackAddress(address, undefined)).toBe(ours);
    expect(isSlackAddress(address, 'http://127.0.0.1:7/api/')).toBe(ours);
  });

  it('may be at SLACK_API_URL, and nowhere near it', () => {
    expect(isSlackAddress('http://127.0.0.1:9/response/x', 'http://127.0.0.1:9/api/')).toBe(true);
    expect(isSlackAddress('http://127.0.0.1:10/response/x', 'http://127.0.0.1:9/api/')).toBe(false);
    expect(isSlackAddress('https://127.0.0.1:9/response/x', 'http://127.0.0.1:9/api/')).toBe(false);
  });

  it('elsewhere gets nothing; the person is answered another way', async () => {
    const heard: string[] = [];
    const elsewhere = createServer((request, response) => {
      heard.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    // A TCP server's address is never a pipe name.
    const { port } = elsewhere.address() as AddressInfo;
    const bellows = await startBellows();
    const connection = connect(bellows.redisUrl);
    await ready(connection);
    const id = 'main';
    const store = createStore({ redis: connection, forgeId: id, seal: createSeal(testKeys) });
    const queue = createQueue('act', { connection, forgeId: id });
    const asked = job('U0ADA00001', {
      command: 'whoami',
      args: {},
      person: { team: bellows.slack.teamId, user: 'U0ADA00001' },
      answer: { responseUrl: `http://127.0.0.1:${port}/answer` },
    });
    await queue.add('command', sealJob(store, asked, 'j-elsewhere'), { jobId: 'j-elsewhere' });
    const ada = bellows.slack.as('ada');
    await bellows.slack.until(() => [...ada.sees('engine'), ...ada.sees(ada.dm)].some(({ text }) => text !== ''));
    expect(heard).toEqual([]);
    await queue.close();
    await close(connection);
    await bellows.close();
    elsewhere.close();
  });
});
