import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { startWorker } from '../../src/worker.js';
import { addAgent, clientOver, overHttp, type TestAgent } from '../mcp/agent.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { quickTempo } from '../support/quick.js';
import { decideIn } from './deciding.js';
import { talkTo, words } from './talk.js';

const repo = 'acme/engine';
const merges = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';
let bellows: Bellows;
const { type } = talkTo(() => bellows);
const { messaged } = decideIn(() => bellows);
const world = () => bellows.forge.world;
const sent = (index: number) => bellows.forge.requests.of(merges).filter(({ path }) => path.includes(`/${index}/`));

function open(title: string, state: string) {
  const head = title.toLowerCase().replaceAll(' ', '-');
  const [commit] = world().push({
    as: 'grace',
    repo,
    branch: head,
    commits: [{ message: title, files: [`${head}.go`] }],
  });
  const { index } = world().openPull({ as: 'grace', repo, title, head });
  const report = (word: string) =>
    world().commitStatus({ as: 'grace', repo, sha: commit?.sha ?? '', context: 'ci', state: word });
  report(state);
  return { index, name: `${repo}#${index}`, report };
}

describe('an agent', () => {
  const opened: TestAgent[] = [];
  const agent = async (line: string) => {
    const made = await clientOver(overHttp(bellows.address, await addAgent(bellows, 'ada', line)));
    opened.push(made);
    return made;
  };
  beforeAll(async () => {
    bellows = await startBellows({ agents: true });
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
    return startWorker({ ...config, policy }, createLog({ level: 'silent' }), undefined, quickTempo);
  };
  let worker: Awaited<ReturnType<typeof work>>;
  beforeAll(async () => {
    bellows = await startBellows({ parts: ['bot'], agents: true });
    worker = await work();
    await bellows.link('ada');
  });
  afterAll(async () => {
    await worker.stop();
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
