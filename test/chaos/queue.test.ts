import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideIn } from '../commands/deciding.js';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf, type Part, startPart } from '../support/processes.js';
import { startRedis } from '../support/redis.js';

const repo = 'acme/engine';
const merges = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';

/** Where the worker is killed: as this request arrives, before or after the forge does it. */
const points = [
  ['check', 'GET .*/commits', 'before'],
  ['update', 'POST .*/update', 'before'],
  ['updated', 'POST .*/update', 'after'],
  ['own', 'GET .*/timeline', 'before'],
  ['test', 'GET .*/status', 'before'],
  ['merge', 'POST .*/merge', 'before'],
  ['merged', 'POST .*/merge', 'after'],
  ['verify', 'GET .*/git/trees', 'before'],
] as const;

describe('a merge queue under kill -9', () => {
  let bellows: Bellows;
  let bot: Part;
  let worker: Part;
  let checks: NodeJS.Timeout;
  const green = new Map<string, number>();
  const { type } = talkTo(() => bellows);
  const { messaged } = decideIn(() => bellows);
  const start = (word: 'bot' | 'worker') => startPart(word, environmentOf(bellows.config, {}));
  const world = () => bellows.forge.world;
  const opened: { readonly index: number; readonly base: string; readonly name: string }[] = [];

  /** A busy machine may refuse a command. */
  async function add(name: string): Promise<void> {
    const answer = words(await type('ada', `queue ${name}`));
    if (!/Added|already in the queue/.test(answer)) await add(name);
  }

  /** Every head is tested for a second. */
  function test(): void {
    for (const { index } of opened) {
      const sha = world().issue(repo, index)?.pull?.headSha ?? '';
      if (!green.has(sha)) green.set(sha, Date.now() + 1_000);
      const isDone = (green.get(sha) ?? 0) <= Date.now();
      const state = isDone ? 'success' : 'pending';
      const before = world()
        .repo(repo)
        ?.statuses.findLast((each) => each.sha === sha);
      if (before?.state !== state) world().commitStatus({ as: 'grace', repo, sha, context: 'ci', state });
    }
  }

  beforeAll(async () => {
    expect((await startRedis()).kind, 'these tests need redis-server or valkey-server on PATH').toBe('private');
    bellows = await startBellows({ parts: [] });
    [bot, worker] = await Promise.all([start('bot'), start('worker')]);
    await bellows.link('ada');
    checks = setInterval(test, 200);
  });
  afterAll(async () => {
    clearInterval(checks);
    await Promise.all([bot.kill('SIGTERM'), worker.kill('SIGTERM')]);
    await bellows.close();
  });

  it('merges each once, tested, whichever step it was killed at', { timeout: 900_000 }, async () => {
    const { faults, requests } = bellows.forge;
    for (const [base, request, when] of points) {
      world().push({ as: 'ada', repo, branch: base, commits: ['Start'] });
      world().push({
        as: 'grace',
        repo,
        branch: `to-${base}`,
        from: base,
        commits: [{ message: base, files: [`${base}.go`] }],
      });
      const { index } = world().openPull({ as: 'grace', repo, title: base, head: `to-${base}`, base });
      world().push({ as: 'ada', repo, branch: base, commits: [{ message: 'Meanwhile', files: ['other.go'] }] });
      const pull = { index, base, name: `${repo}#${index}` };
      const on = new RegExp(request.includes('POST') ? request.replace('.*', `.*/pulls/${index}`) : request);
      opened.push(pull);
      await add(pull.name);
      faults.add({ on, times: 1, trouble: when === 'before' ? { delay: 5_000 } : { stall: 5_000 } });
      await requests.next(on);
      if (when === 'after') {
        const issue = world().issue(repo, index);
        const isDone = () => issue?.pull?.merged !== undefined || issue?.comments.length !== comments;
        const comments = issue?.comments.length;
        await expect
          .poll(isDone, { timeout: 10_000 })
          .toBe(true)
          .catch(() => {});
      }
      await worker.kill();
      faults.clear();
      worker = await start('worker');
    }
    for (const { name } of opened) await messaged('ada', `Merged ${name}`);
    const pulls = opened.map(({ index }) => ({ index, pull: world().issue(repo, index)?.pull }));
    const lost = pulls.filter(({ pull }) => pull?.merged === undefined).length;
    const done = (index: number) =>
      requests.of(merges).filter(({ path, status }) => path.includes(`/${index}/`) && status === 200).length;
    const twice = pulls.filter(({ index }) => done(index) > 1).length;
    const untested = pulls.filter(({ pull }) => {
      const at = green.get(pull?.headSha ?? '');
      return at === undefined || (pull?.merged?.at ?? 0) * 1_000 + 999 < at;
    }).length;
    process.stdout.write(
      `figure queue.lost ${lost}\nfigure queue.merged_twice ${twice}\nfigure queue.merged_untested ${untested}\n`,
    );
    expect({ lost, twice, untested }).toEqual({ lost: 0, twice: 0, untested: 0 });
    const told = bellows.slack
      .as('ada')
      .sees(bellows.slack.as('ada').dm)
      .filter(({ text }) => text.includes('Merged'));
    expect(told).toHaveLength(points.length);
  });
});
