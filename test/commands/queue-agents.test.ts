import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { close, connect, createSeal, createStore, type Queue, type Store } from '../../src/store/index.js';
import { startWorker } from '../../src/worker.js';
import { addAgent, clientOver, overHttp, type TestAgent } from '../mcp/agent.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { createLatch } from '../support/latch.js';
import { quickTempo } from '../support/quick.js';
import { testKeys } from '../support/redis.js';
import { decideIn } from './deciding.js';
import { talkTo, words } from './talk.js';

const repo = 'acme/engine';
const merges = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';
let bellows: Bellows;
const { type } = talkTo(() => bellows);
const { messaged } = decideIn(() => bellows);
const world = () => bellows.forge.world;
const sent = (index: number) => bellows.forge.requests.of(merges).filter(({ path }) => path.includes(`/${index}/`));

function open(title: string, state: string, base = 'main') {
  const head = title.toLowerCase().replaceAll(' ', '-');
  const [commit] = world().push({
    as: 'grace',
    repo,
    branch: head,
    from: base,
    commits: [{ message: title, files: [`${head}.go`] }],
  });
  const { index } = world().openPull({ as: 'grace', repo, title, head, base });
  const report = (word: string) =>
    world().commitStatus({ as: 'grace', repo, sha: commit?.sha ?? '', context: 'ci', state: word });
  report(state);
  return { index, name: `${repo}#${index}`, sha: commit?.sha ?? '', report };
}

describe('an agent', () => {
  const opened: TestAgent[] = [];
  const agent = async (line: string) => {
    const made = await clientOver(overHttp(bellows.address, await addAgent(bellows, 'ada', line)));
    opened.push(made);
    return made;
  };
  beforeAll(async () => {
    bellows = await startBellows({ agents: true, tempo: { queueMs: 50 } });
    await bellows.link('ada');
  });
  afterAll(async () => {
    for (const each of opened) await each.close();
    await bellows.close();
  });

  it('queues only if it may merge, only where it may, and only as long as it may', async () => {
    const { name, index } = open('Narrow', 'success');
    const narrow = await agent('Narrow --may "queue*"');
    expect((await narrow.call('queue', { pull: name })).text).toContain('This agent can’t use pr merge');
    const elsewhere = await agent('Elsewhere --may "queue*, pr merge" --repos acme/website');
    expect((await elsewhere.call('queue', { pull: name })).text).toContain('limited to');
    expect(sent(index)).toEqual([]);
    const able = await agent('Able --may "queue*, pr merge" --repos acme/engine');
    expect(await able.call('queue', { pull: name })).toMatchObject({ status: 'done' });
    await messaged('ada', `Merged ${name}`);
    const later = open('Revoked', 'pending');
    expect(await able.call('queue', { pull: later.name })).toMatchObject({ status: 'done' });
    await type('ada', 'agents revoke Able');
    later.report('success');
    await messaged('ada', 'This agent was revoked');
    expect(sent(later.index)).toEqual([]);
    expect(words(await type('ada', 'audit queue'))).toContain('Able');
  });

  it('merges in turn only if it may queue', async () => {
    const { name, index, report } = open('Around the limit', 'pending');
    const narrow = await agent('Merger --may "pr merge"');
    const asked = await narrow.call('pr_merge', { pull: name, whenChecksSucceed: true });
    expect(asked.text).toContain('This agent can’t use queue');
    report('success');
    expect(words(await type('ada', `queue list ${repo}`))).not.toContain('Around the limit');
    expect(await narrow.call('pr_merge', { pull: name })).toMatchObject({ status: 'done' });
    expect(sent(index)).toHaveLength(1);
  });
});

describe('a worker that is stopped', () => {
  const work = (agents = true) => {
    const { config } = bellows;
    const policy = { ...config.policy, agents };
    return startWorker({ ...config, policy }, createLog({ level: 'silent' }), undefined, {
      ...quickTempo,
      queueMs: 50,
    });
  };
  let worker: Awaited<ReturnType<typeof work>>;
  let store: Store;
  const queueOf = (base: string) => ({ repository: world().repo(repo).id, base });
  const change = (base: string, how: (queue: Queue) => Queue) =>
    store.queues.change(queueOf(base), (before) => before && how(before));
  beforeAll(async () => {
    bellows = await startBellows({ parts: ['bot'], agents: true });
    store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
    worker = await work();
    await bellows.link('ada');
  });
  afterAll(async () => {
    await worker.stop();
    await close(store.redis);
    await bellows.close();
  });

  it('is followed by others, of which one merges, once', async () => {
    const { name, index, report } = open('Interrupted', 'pending');
    expect(words(await type('ada', `queue ${name}`))).toContain('Added');
    await worker.stop();
    report('success');
    expect(sent(index)).toEqual([]);
    const [next, another] = await Promise.all([work(), work()]);
    worker = next;
    await messaged('ada', `Merged ${name} Interrupted`);
    await another.stop();
    expect(sent(index)).toHaveLength(1);
  });

  it('is followed by one that looks again before it merges', async () => {
    const { name, index, report } = open('Looked at before', 'pending');
    await type('ada', `queue ${name}`);
    await worker.stop();
    report('failure');
    const base = world().repo(repo).branches.get('main') ?? '';
    const step = { at: 'merging', base, since: Date.now(), looked: Date.now() - 60_000 } as const;
    await change('main', (before) => ({ ...before, entries: before.entries.map((each) => ({ ...each, step })) }));
    worker = await work();
    await messaged('ada', `${name} Looked at before was taken out of the queue`);
    expect(sent(index)).toEqual([]);
  });

  it('sends nothing more once it is another one’s turn', async () => {
    const { name, index, report, sha } = open('Handed over', 'pending');
    const reads = () => bellows.forge.requests.all.filter(({ path }) => path.endsWith(`/commits/${sha}/status`)).length;
    await type('ada', `queue ${name}`);
    const before = reads();
    await expect.poll(reads).toBeGreaterThan(before + 1);
    // the last look before its merge
    const handedOver = createLatch();
    const hold = () => change('main', (queue) => ({ ...queue, turn: 'another' })).then(handedOver.open);
    bellows.forge.faults.add({ on: /GET .*\/branches\/main$/, trouble: { hold } });
    report('success');
    await handedOver.opened;
    world().push({ as: 'ada', repo, branch: 'side', commits: ['Start'] });
    const beside = open('Beside', 'success', 'side');
    await type('ada', `queue ${beside.name}`);
    await messaged('ada', `Merged ${beside.name}`);
    expect(sent(index)).toEqual([]);
    await store.queues.step(queueOf('main'), 'another', (queue) => queue, 0);
    await messaged('ada', `Merged ${name}`);
    expect(sent(index)).toHaveLength(1);
  });

  it('does nothing more for agents once they are turned off', async () => {
    const agent = await clientOver(
      overHttp(bellows.address, await addAgent(bellows, 'ada', 'Able --may "queue, pr merge"')),
    );
    const { name, index, report } = open('Turned off', 'pending');
    expect(await agent.call('queue', { pull: name })).toMatchObject({ status: 'done' });
    await agent.close();
    await worker.stop();
    report('success');
    worker = await work(false);
    await messaged('ada', 'Agents are turned off');
    expect(sent(index)).toEqual([]);
  });
});
