import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import type { Person, PlayedRunner } from '../contract/forge/server.js';
import { eventually, fresh, freshRepo } from '../contract/forge/things.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { tokenOf } from './support/accounts.js';
import { type LiveForge, nameOf, startLive } from './support/server.js';

const live = await startLive();
const channel = 'C0ENGINE01';
const patience = 30_000;
const hasRuns = (await live?.has('runs.list')) ?? false;
const everything = `issues pulls commits:* branches tags releases reviews comments${hasRuns ? ' runs' : ''}`;

describe.skipIf(!live)(`a day’s work on ${nameOf(live)}`, () => {
  let bellows: Bellows;
  let at: { owner: string; repo: string };
  const server = (): LiveForge => {
    if (!live) throw new Error('there is no server');
    return live;
  };
  const within = () => `/repos/${at.owner}/${at.repo}`;

  beforeAll(async () => {
    const { alice, root } = server().people;
    at = await freshRepo(server());
    bellows = await startBellows({
      real: { url: server().url, token: await tokenOf(root) },
      policy: 'feed: { busySeconds: 1, idleSeconds: 1, digestAbove: 1000 }',
    });
    await bellows.link('ada', alice.login, await tokenOf(alice));
    await bellows.slack.as('ada').command('engine', '/forge', `subscribe ${at.owner}/${at.repo} ${everything}`);
    await primed();
  });
  afterAll(async () => {
    await bellows?.close();
    await live?.close();
  });

  /** The first poll of feed and runs only learns; the day starts after it. */
  async function primed(): Promise<void> {
    const redis = connect(bellows.redisUrl);
    const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
    const { id } = await server().people.alice.api.repos.get(at);
    await vi.waitFor(
      async () => {
        const sources = [`repo-${id}`, ...(hasRuns ? [`runs-${id}`] : [])];
        const marks = await Promise.all(sources.map((source) => store.marks.get(source)));
        if (marks.includes(undefined)) throw new Error('not checked yet');
      },
      { timeout: 60_000, interval: 100 },
    );
    await close(redis);
  }

  const posts = () =>
    bellows.slack.state
      .messages(channel)
      .filter(({ metadata }) => metadata?.['event_type'] === 'bellows_post')
      // the channel also gets one message about who subscribed it
      .filter(({ text }) => !text.includes('subscribed this channel'))
      .toSorted((a, b) => (a.ts < b.ts ? -1 : 1));

  /** Something happens, and it is posted before the next thing does. */
  async function step(action: () => Promise<unknown>): Promise<void> {
    const before = posts().length;
    await action();
    await bellows.slack.until(() => posts().length > before, patience);
  }

  const send = async (by: Person, method: 'POST' | 'PUT' | 'PATCH', path: string, body: object): Promise<void> => {
    const { status, text } = await by.send(method, `${within()}${path}`, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  };
  const commit = (by: Person, name: string, branch?: string) =>
    send(by, 'POST', `/contents/${name}.txt`, {
      content: Buffer.from(name).toString('base64'),
      message: `Add ${name}`,
      branch: 'main',
      ...(branch && { new_branch: branch }),
    });

  /** Pushing a workflow, or anything after it, queues a run. */
  async function run(push: () => Promise<unknown>, runner: PlayedRunner, result: 'success' | 'failure'): Promise<void> {
    await step(push);
    await eventually(() => runner.take());
    await step(() => runner.finish(result));
  }

  it('shows each thing once, in order, and joins the rows of one action', { timeout: 300_000 }, async () => {
    const { alice, bob, carol } = server().people;
    let issue = 0;
    let pull = 0;
    await step(async () => {
      const made = await carol.api.issues.create({ ...at, body: { title: 'A leak', body: 'It drips. <!channel>' } });
      issue = made.number;
    });
    await step(() => send(bob, 'POST', `/issues/${issue}/comments`, { body: 'I see it' }));
    await step(() => commit(bob, 'gasket'));
    await step(() => commit(carol, 'valve', 'valve'));
    await step(async () => {
      await send(carol, 'POST', '/pulls', { head: 'valve', base: 'main', title: 'A valve' });
      const { items } = await carol.api.issues.search({ query: { owner: at.owner, type: 'pulls' } });
      pull = items.find(({ title }) => title === 'A valve')?.number ?? 0;
    });
    const remark = (line: number) => ({ path: 'valve.txt', body: `Remark ${line}`, new_position: 1 });
    await step(() =>
      send(bob, 'POST', `/pulls/${pull}/reviews`, {
        event: 'APPROVED',
        body: 'Good',
        comments: [remark(1), remark(2)],
      }),
    );
    await step(() => eventually(() => send(alice, 'POST', `/pulls/${pull}/merge`, { Do: 'merge' })));
    await step(() => send(alice, 'PATCH', `/issues/${issue}`, { state: 'closed' }));
    await step(() => send(alice, 'POST', '/releases', { tag_name: 'v1', name: 'First', target_commitish: 'main' }));
    if (hasRuns) {
      const label = fresh('label');
      const runner = await server().ground.runner(label);
      await run(() => server().ground.queueRun(at, label), runner, 'failure');
      await run(() => commit(bob, 'repair'), runner, 'success');
    }
    await step(() => carol.api.issues.create({ ...at, body: { title: 'The end' } }));
    const flow = '.*\\.yml';
    const ofRuns = [
      `${alice.login} pushed 1 commit to main`,
      `${flow} failed on main: .*, run 1`,
      `${bob.login} pushed 1 commit to main`,
      `> ${flow} passes again on main: fixed by run 2 after .*`,
    ];
    const wanted = [
      `${carol.login} opened issue #${issue} A leak`,
      `> ${bob.login} commented on issue #${issue} A leak`,
      `${bob.login} pushed 1 commit to main`,
      `${carol.login} pushed 1 commit to the new branch valve`,
      `${carol.login} opened pull request #${pull} A valve`,
      `> ${bob.login} approved ${carol.login}’s pull request #${pull} A valve with 2 comments`,
      `> ${alice.login} merged pull request #${pull} A valve into main`,
      `> ${alice.login} closed issue #${issue} A leak`,
      `${alice.login} published release First`,
      ...(hasRuns ? ofRuns : []),
      `${carol.login} opened issue #\\d+ The end`,
    ];
    const shown = posts().map(({ text, threadTs }) => `${threadTs ? '> ' : ''}${text}`);
    expect(shown).toEqual(wanted.map((line) => expect.stringMatching(new RegExp(`^${line}$`))));
    const card = (words: string) => JSON.stringify(posts().find(({ text }) => text.includes(words))?.blocks);
    expect(card('opened issue #1')).toContain('Closed');
    expect(card('opened pull request')).toContain('Merged');
    if (hasRuns) expect(card('failed on')).toContain('Fixed by');
    expect(bellows.slack.failures.all).toEqual([]);
  });
});
