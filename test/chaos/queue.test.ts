import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideIn } from '../commands/deciding.js';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf, type Part, startPart } from '../support/processes.js';
import { type DurableRedis, startDurableRedis } from './support/durable-redis.js';

const repo = 'acme/engine';
const merges = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';

/** How often each step is struck. */
const rounds = Number(process.env['CHAOS_QUEUE_ROUNDS'] ?? 3);

/**
 * As this request arrives: the worker is killed before or after the forge does it, its answer is lost, or Redis is
 * killed and starts again.
 */
const updating = [
  ['check', 'GET .*/commits', 'before'],
  ['update', 'POST .*/update', 'before'],
  ['updated', 'POST .*/update', 'after'],
  ['own', 'GET .*/timeline', 'before'],
  ['test', 'GET .*/status', 'before'],
  ['merge', 'POST .*/merge', 'before'],
  ['merged', 'POST .*/merge', 'after'],
  ['verify', 'GET .*/git/trees', 'before'],
  ['lost-update', 'POST .*/update', 'lost'],
  ['lost-merge', 'POST .*/merge', 'lost'],
  ['redis-update', 'POST .*/update', 'redis'],
  ['redis-merge', 'POST .*/merge', 'redis'],
] as const;

/** Several at once, on a branch of the queue. */
const branching = [
  ['b-check', 'GET .*/commits', 'before'],
  ['b-fetch', 'POST .*git-upload-pack', 'before'],
  ['b-push', 'POST .*git-receive-pack', 'before'],
  ['b-pushed', 'POST .*git-receive-pack', 'after'],
  ['b-test', 'GET .*/status', 'before'],
  ['b-merge', 'POST .*/merge', 'before'],
  ['b-merged', 'POST .*/merge', 'after'],
  ['b-verify', 'GET .*/git/trees', 'before'],
  ['b-delete', 'DELETE .*/branches/', 'after'],
  ['b-lost-push', 'POST .*git-receive-pack', 'lost'],
  ['b-lost-merge', 'POST .*/merge', 'lost'],
  ['b-redis', 'POST .*/merge', 'redis'],
] as const;
const policy = 'queues: [{ repository: acme/engine, branch: "b-*", way: branch, group: 3 }]';

describe.each([
  ['branches of pull requests', updating, 1],
  ['branches of its own', branching, 2],
] as const)('a merge queue that tests on %s under kill -9', (_, points, group) => {
  let bellows: Bellows;
  let redis: DurableRedis;
  let bot: Part;
  let worker: Part;
  let checks: NodeJS.Timeout;
  const folder = mkdtempSync(join(tmpdir(), 'chaos-queue-'));
  const green = new Map<string, number>();
  const { type } = talkTo(() => bellows);
  const { messaged } = decideIn(() => bellows);
  const start = (word: 'bot' | 'worker') =>
    startPart(
      word,
      environmentOf(
        { ...bellows.config, redisUrl: redis.url },
        { BELLOWS_CONFIG: join(folder, 'bellows.yaml'), TMPDIR: folder },
      ),
    );
  const world = () => bellows.forge.world;
  const opened: { readonly index: number; readonly base: string; readonly name: string }[] = [];

  /** A busy machine may refuse a command. */
  async function add(name: string): Promise<void> {
    const answer = words(await type('ada', `queue ${name}`));
    if (!/Added|already in the queue/.test(answer)) await add(name);
  }

  /** Every head, or every branch of the queue, is tested for a second. */
  function test(): void {
    const heads = opened.map(({ index }) => world().issue(repo, index)?.pull?.headSha ?? '');
    const own = [...world().repo(repo).branches].filter(([name]) => name.startsWith('bellows-queue/'));
    for (const sha of group === 1 ? heads : own.map(([, tip]) => tip)) {
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
    redis = await startDurableRedis('always');
    bellows = await startBellows({ parts: [], forge: { git: group > 1 } });
    writeFileSync(join(folder, 'bellows.yaml'), policy);
    [bot, worker] = await Promise.all([start('bot'), start('worker')]);
    await bellows.link('ada');
    checks = setInterval(test, 200);
  });
  afterAll(async () => {
    clearInterval(checks);
    await Promise.all([bot.kill('SIGTERM'), worker.kill('SIGTERM')]);
    await bellows.close();
    await redis.close();
    rmSync(folder, { recursive: true });
  });

  it('merges each once, tested, whichever step it was killed at', { timeout: 3_600_000 }, async () => {
    const { faults, requests } = bellows.forge;
    let kills = 0;
    const struck = Array.from({ length: rounds }, (_, round) =>
      points.map(([name, ...how]) => [`${name}-${round}`, ...how] as const),
    );
    for (const [base, request, when] of struck.flat()) {
      world().push({ as: 'ada', repo, branch: base, commits: ['Start'] });
      const made = Array.from({ length: group }, (_, nth) => {
        const head = `to-${base}-${nth}`;
        const commits = [{ message: head, files: [`${head}.go`] }];
        world().push({ as: 'grace', repo, branch: head, from: base, commits });
        const { index } = world().openPull({ as: 'grace', repo, title: head, head, base });
        return { index, base, name: `${repo}#${index}` };
      });
      const index = made[0]?.index ?? 0;
      world().push({ as: 'ada', repo, branch: base, commits: [{ message: 'Meanwhile', files: ['other.go'] }] });
      const on = new RegExp(
        /^POST .*\/(update|merge)$/.test(request) ? request.replace('.*', `.*/pulls/${index}`) : request,
      );
      opened.push(...made);
      for (const { name } of made) await add(name);
      const trouble = {
        before: { delay: 5_000 },
        after: { stall: 5_000 },
        lost: { drop: 'after' },
        redis: { delay: 1_000 },
      } as const;
      faults.add({ on, times: 1, trouble: trouble[when] });
      await requests.next(on);
      if (when === 'redis') {
        await redis.stop('SIGKILL');
        await redis.start();
      }
      if (when === 'redis' || when === 'lost') {
        for (const { name } of made) await messaged('ada', `Merged ${name}`);
        continue;
      }
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
      kills += 1;
      faults.clear();
      worker = await start('worker');
    }
    for (const { name } of opened) await messaged('ada', `Merged ${name}`);
    const pulls = opened.map(({ index }) => ({ index, pull: world().issue(repo, index)?.pull }));
    const lost = pulls.filter(({ pull }) => pull?.merged === undefined).length;
    const done = (index: number) =>
      requests.of(merges).filter(({ path, status }) => path.includes(`/${index}/`) && status === 200).length;
    const twice = pulls.filter(({ index }) => done(index) > 1).length;
    const { commits } = world().repo(repo);
    /** Everything reachable from it. */
    const reach = (sha: string): string[] => [sha, ...(commits.get(sha)?.parents ?? []).flatMap(reach)];
    const untested = pulls.filter(({ pull }) => {
      const by = (pull?.merged?.at ?? 0) * 1_000 + 999;
      return ![...green].some(([sha, at]) => at <= by && reach(sha).includes(pull?.headSha ?? ''));
    }).length;
    const treeOf = async (sha: string) => {
      const answer = await fetch(`${bellows.forge.apiUrl}/repos/${repo}/git/trees/${sha}`, {
        headers: { authorization: `token ${bellows.forge.account('ada').token()}` },
      });
      const { tree } = (await answer.json()) as {
        readonly tree: readonly { readonly path: string; readonly sha: string }[];
      };
      return JSON.stringify(tree.map((each) => [each.path, each.sha]));
    };
    const tested = new Set(await Promise.all([...green.keys()].map(treeOf)));
    const bases = [...new Set(opened.map(({ base }) => world().repo(repo).branches.get(base) ?? ''))];
    const landed = await Promise.all(bases.map(treeOf));
    const other = landed.filter((tree) => !tested.has(tree)).length;
    await expect
      .poll(() => [...world().repo(repo).branches.keys()].filter((name) => name.startsWith('bellows-queue/')), {
        timeout: 60_000,
      })
      .toEqual([]);
    process.stdout.write(
      `figure queue.kills ${kills}\nfigure queue.other_tree ${other}\nfigure queue.lost ${lost}\nfigure queue.merged_twice ${twice}\nfigure queue.merged_untested ${untested}\n`,
    );
    expect({ lost, twice, untested, other }).toEqual({ lost: 0, twice: 0, untested: 0, other: 0 });
    const told = bellows.slack
      .as('ada')
      .sees(bellows.slack.as('ada').dm)
      .filter(({ text }) => text.includes('Merged'));
    expect(told).toHaveLength(opened.length);
  });
});
