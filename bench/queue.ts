import { setTimeout as pause } from 'node:timers/promises';
import { close, connect, createSeal, createStore } from '../src/store/index.js';
import { type Bellows, startBellows } from '../test/support/bellows.js';
import { testKeys } from '../test/support/redis.js';

const repo = 'acme/engine';
const ciMs = 5_000;
const steadyMs = 17_000;
const policy = `
roles:
  admin:
    users: [U0ADA00001]
queues:
  - { repository: acme/engine, branch: ten, way: branch, group: 10 }
# no inbox is read meanwhile
feed: { busySeconds: 3600, idleSeconds: 86400 }
`;

interface Pull {
  readonly index: number;
  readonly name: string;
}

/** What a merge costs the forge and its people, with checks that take five seconds and webhooks that report them. */
export async function run(): Promise<Record<string, number>> {
  const bellows = await startBellows({ policy, forge: { git: true } });
  const { world, requests } = bellows.forge;
  await bellows.link('ada');
  for (const branch of ['ready', 'behind', 'ten']) world.push({ as: 'ada', repo, branch, commits: ['Start'] });
  const store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  const ci = runChecks(bellows, () => store.queues.wake(world.repo(repo).id));
  let opened = 0;
  const open = (base: string, file = `file-${opened}.go`): Pull => {
    opened += 1;
    const head = `bench-${opened}`;
    world.push({ as: 'grace', repo, branch: head, from: base, commits: [{ message: head, files: [file] }] });
    const { index } = world.openPull({ as: 'grace', repo, title: head, head, base });
    return { index, name: `${repo}#${index}` };
  };
  const say = async (text: string) => {
    const ada = bellows.slack.as('ada');
    const before = ada.sees('engine').length;
    await ada.command('engine', '/forge', text);
    await bellows.slack.until(() => ada.sees('engine').length > before);
  };
  const asked = () => requests.all.filter(({ path }) => path.startsWith(`/repos/${repo}/`)).length;
  const over = (pulls: readonly Pull[], left = 0) =>
    bellows.slack.until(
      () => pulls.filter(({ index }) => !world.issue(repo, index)?.pull?.merged).length <= left && isTold(pulls),
      600_000,
    );
  const isTold = (pulls: readonly Pull[]) => {
    const ada = bellows.slack.as('ada');
    const told = JSON.stringify(ada.sees(ada.dm));
    return pulls.every(({ name }) => told.includes(name));
  };
  /** Seconds and requests from the command, or from the last of several, on. */
  const measure = async (act: () => Promise<void>) => {
    const [since, before] = [performance.now(), asked()];
    await act();
    return { seconds: (performance.now() - since) / 1_000, requests: asked() - before };
  };

  const ready = open('ready');
  await ci.isGreen(ready.index);
  // one that has been green for a while
  await pause(steadyMs);
  const one = await measure(async () => {
    await say(`queue ${ready.name}`);
    await over([ready]);
  });

  const behind = open('behind');
  await ci.isGreen(behind.index);
  world.push({ as: 'ada', repo, branch: 'behind', commits: [{ message: 'Meanwhile', files: ['other.go'] }] });
  const two = await measure(async () => {
    await say(`queue ${behind.name}`);
    await over([behind]);
  });

  const group = async (red: number | undefined) => {
    const pulls = Array.from({ length: 10 }, (_, at) => open('ten', at === red ? 'red.go' : undefined));
    for (const { index } of pulls) await ci.isGreen(index);
    await say(`queue pause ${repo} ten --reason "Gather"`);
    for (const { name } of pulls) await say(`queue ${name}`);
    const runs = ci.runs();
    const cost = await measure(async () => {
      await say(`queue resume ${repo} ten`);
      await over(pulls, red === undefined ? 0 : 1);
    });
    return { ...cost, runs: ci.runs() - runs };
  };
  const ten = await group(undefined);
  const mixed = await group(3);

  while ([...world.repo(repo).branches.keys()].some((name) => name.startsWith('bellows-queue/'))) await pause(50);
  const idle = asked();
  await pause(10_000);
  const empty = asked() - idle;
  ci.stop();
  await close(store.redis);
  await bellows.close();
  return {
    'queue.ready_seconds': one.seconds,
    'queue.ready_requests': one.requests,
    'queue.behind_seconds_beyond_ci': two.seconds - ciMs / 1_000,
    'queue.requests_per_merge': two.requests,
    'queue.ten_seconds': ten.seconds,
    'queue.ten_requests': ten.requests,
    'queue.ten_runs': ten.runs,
    'queue.ten_one_red_runs': mixed.runs,
    'queue.requests_when_empty': empty,
  };
}

/** Every head and every branch of the queue is tested once, for five seconds; red if a file says so. */
function runChecks({ forge: { world } }: Bellows, wake: () => Promise<void>) {
  const due = new Map<string, number>();
  const ofQueue = new Set<string>();
  const filesOf = (sha: string): string[] => {
    const found = world.repo(repo).commits.get(sha);
    return found ? [...found.files.map(({ filename }) => filename), ...found.parents.flatMap(filesOf)] : [];
  };
  const stateOf = (sha: string) => world.repo(repo).statuses.findLast((each) => each.sha === sha)?.state;
  const report = (sha: string, state: string) => {
    world.commitStatus({ as: 'grace', repo, sha, context: 'ci / test (push)', state });
    void wake();
  };
  const timer = setInterval(() => {
    for (const [branch, sha] of world.repo(repo).branches) {
      const isQueue = branch.startsWith('bellows-queue/');
      if (!isQueue && !branch.startsWith('bench-')) continue;
      if (isQueue) ofQueue.add(sha);
      if (!due.has(sha)) {
        // alone, everything passes
        due.set(sha, performance.now() + ciMs);
        report(sha, 'pending');
      } else if (stateOf(sha) === 'pending' && (due.get(sha) ?? 0) <= performance.now())
        report(sha, isQueue && filesOf(sha).includes('red.go') ? 'failure' : 'success');
    }
  }, 50);
  return {
    runs: () => ofQueue.size,
    async isGreen(index: number): Promise<void> {
      while (stateOf(world.issue(repo, index)?.pull?.headSha ?? '') !== 'success') await pause(50);
    },
    stop: () => clearInterval(timer),
  };
}
