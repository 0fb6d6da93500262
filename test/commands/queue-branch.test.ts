import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Flavor } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { quickTempo } from '../support/quick.js';
import { testKeys } from '../support/redis.js';
import { servers } from '../support/servers.js';
import { decideIn } from './deciding.js';
import { talkTo, words } from './talk.js';

const repo = 'acme/engine';
const merges = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';
const updates = 'POST /repos/{owner}/{repo}/pulls/{index}/update';
const policy = `
roles:
  admin:
    users: [U0ADA00001]
queues:
  - { repository: acme/engine, branch: "four-*", way: branch, group: 4 }
  - { repository: acme/engine, branch: quiet, way: branch }
  - { repository: acme/engine, branch: "*", way: branch }
`;

/** Where git leaves its copies, and what it was called with. */
const scratch = mkdtempSync(join(tmpdir(), 'queue-branch-'));
const calls = join(scratch, 'calls');
/** While there, the next copy is deleted once its commit is made, and copies are said to be too large. */
const [lose, grow] = [join(scratch, 'lose'), join(scratch, 'grow')];
const before = { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'] };

beforeAll(() => {
  const [, git = ''] = /^(.*git)$/m.exec(execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' })) ?? [];
  expect(git, 'these tests need git on PATH').not.toBe('');
  writeFileSync(calls, '');
  const script = `#!/bin/sh
echo "$@" >> '${calls}'
case " $* " in
  *" commit-tree "*) if rm '${lose}' 2>&-; then '${git}' "$@" && rm -r "$2"; exit; fi ;;
  *" count-objects "*) if [ -f '${grow}' ]; then echo 'size-pack: 2000000'; exit; fi ;;
esac
exec '${git}' "$@"
`;
  writeFileSync(join(scratch, 'git'), script);
  chmodSync(join(scratch, 'git'), 0o755);
  Object.assign(process.env, { PATH: `${scratch}${delimiter}${before.PATH}`, TMPDIR: scratch });
});
afterAll(() => {
  process.env['PATH'] = before.PATH;
  if (before.TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before.TMPDIR;
  rmSync(scratch, { recursive: true, force: true });
});

let bellows: Bellows;
let branches = 0;
const { type } = talkTo(() => bellows);
const { messaged } = decideIn(() => bellows);
const world = () => bellows.forge.world;
const pullOf = (index: number) => world().issue(repo, index)?.pull;
const isMerged = (index: number) => pullOf(index)?.merged !== undefined;
const sent = (index: number) =>
  bellows.forge.requests.of(merges).filter(({ path, status }) => path.includes(`/${index}/`) && status === 200);
const queueBranches = () => [...world().repo(repo).branches.keys()].filter((name) => name.startsWith('bellows-queue/'));
const pushes = () => bellows.forge.requests.all.filter(({ path }) => path.endsWith('/git-receive-pack'));

/** The operations that the audit lists for a merge. */
async function auditedFor(index: number): Promise<string> {
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  const { rows } = await store.audit.read({ command: 'queue', target: `${repo}#${index}`, outcome: 'done' });
  await close(redis);
  return rows.map(({ entry }) => entry.operation ?? '').find((each) => each.includes('pulls.merge')) ?? '';
}

/** What its CI ran: the pull requests on each branch of the queue. */
let runs: { readonly branch: string; readonly sha: string; state: string }[] = [];
/** While set, CI takes its time. */
let held = false;

/** Red if a file says so. */
function runChecks(): void {
  const { branches, commits } = world().repo(repo);
  for (const [branch, sha] of branches) {
    if (!branch.startsWith('bellows-queue/') || branch.includes('/quiet/')) continue;
    const run = runs.find((each) => each.sha === sha) ?? { branch, sha, state: '' };
    if (!runs.includes(run)) runs.push(run);
    const reached = new Set([sha]);
    for (const id of reached) for (const parent of commits.get(id)?.parents ?? []) reached.add(parent);
    const isRed = [...reached].some((id) => commits.get(id)?.files.some(({ filename }) => filename.includes('red')));
    const result = isRed ? 'failure' : 'success';
    const state = held ? 'pending' : result;
    if (run.state === state) continue;
    run.state = state;
    world().commitStatus({ as: 'grace', repo, sha, context: 'CI / queue (push)', state });
  }
}

function open(title: string, base: string, file = `${title.replaceAll(' ', '-')}.go`, as = 'grace') {
  branches += 1;
  const head = `branch-${branches}`;
  const [commit] = world().push({ as, repo, branch: head, from: base, commits: [{ message: title, files: [file] }] });
  const { index } = world().openPull({ as, repo, title, head, base });
  return { index, name: `${repo}#${index}`, sha: commit?.sha ?? '', head };
}

const move = (branch: string, file = `moved-${branches}.go`) =>
  world().push({ as: 'ada', repo, branch, commits: [{ message: 'Meanwhile', files: [file] }] });

const queue = async (name: string, flags = '', as = 'ada') => words(await type(as, `queue ${name} ${flags}`));
const pause = (branch: string) => type('ada', `queue pause ${repo} ${branch} --reason "Gather"`);
const resume = (branch: string) => type('ada', `queue resume ${repo} ${branch}`);

/** All of them in line before the first is looked at. */
async function queueAll(base: string, all: readonly { readonly name: string }[]): Promise<void> {
  await pause(base);
  for (const { name } of all) expect(await queue(name)).toContain('Added');
  await resume(base);
}

const landed = (indexes: readonly number[]) =>
  [...indexes].sort((a, b) => (pullOf(a)?.merged?.sha ? seq(a) : 0) - (pullOf(b)?.merged?.sha ? seq(b) : 0));
const seq = (index: number) =>
  world()
    .repo(repo)
    .commits.get(pullOf(index)?.merged?.sha ?? '')?.seq ?? 0;

async function start(flavor: Flavor, bases: readonly string[]): Promise<() => Promise<void>> {
  // nobody's notifications are read meanwhile: requests are counted
  const tempo = { queueMs: 50, feed: { ...quickTempo.feed, tickMs: 60_000 } };
  bellows = await startBellows({ policy, forge: { flavor, git: true }, tempo });
  await bellows.link('ada');
  await bellows.link('grace');
  runs = [];
  held = false;
  for (const branch of bases) world().push({ as: 'ada', repo, branch, commits: ['Start'] });
  const ci = setInterval(runChecks, 20);
  return async () => {
    clearInterval(ci);
    await bellows.close();
  };
}

describe.each(servers)('a queue that tests on branches of its own on %s', (flavor) => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    stop = await start(flavor, ['one', 'four-a', 'fork']);
  });
  afterAll(() => stop());

  it('leaves the pull request as it is, tests it on the base, merges exactly that and cleans up', async () => {
    const pull = open('Behind', 'one');
    world().review({ as: 'margaret', repo, index: pull.index, verdict: 'approve' });
    move('one');
    await queue(pull.name);
    await messaged('ada', `Merged ${pull.name} Behind`);
    expect(pullOf(pull.index)).toMatchObject({ headSha: pull.sha, reviews: [{ stale: false }] });
    expect(bellows.forge.requests.of(updates)).toEqual([]);
    expect(sent(pull.index)).toMatchObject([{ who: 'ada', body: { head_commit_id: pull.sha } }]);
    expect(pushes()).toMatchObject([{ who: 'ada' }]);
    expect(runs).toHaveLength(1);
    expect(runs[0]?.branch).toMatch(new RegExp(`^bellows-queue/one/${pull.index}-[0-9a-f]{8}$`));
    await expect.poll(queueBranches).toEqual([]);
    await expect.poll(() => auditedFor(pull.index)).toMatch(/^git.push .*pulls.merge/);
    expect((await auditedFor(pull.index)).split('git.push')).toHaveLength(2);
  });

  it('merges a fork that nobody else may update', async () => {
    const fork = world().forkRepo({ as: 'linus', repo });
    const from = `${fork.owner.login}/${fork.name}`;
    world().push({
      as: 'linus',
      repo: from,
      branch: 'patch',
      from: 'fork',
      commits: [{ message: 'P', files: ['p.go'] }],
    });
    const made = world().openPull({ as: 'linus', repo, title: 'Patch', head: 'patch', base: 'fork', from });
    if (made.pull) made.pull.maintainerEdit = false;
    move('fork');
    await queue(`${repo}#${made.index}`);
    await messaged('ada', `Merged ${repo}#${made.index} Patch`);
  });

  it('tests several together, and finds the red one', async () => {
    const all = [open('A', 'four-a'), open('B', 'four-a'), open('C', 'four-a', 'red-c.go'), open('D', 'four-a')];
    await queueAll('four-a', all);
    const [a, b, c, d] = all;
    await messaged('ada', `${c?.name} C was taken out of the queue for .?four-a.?: 1 check failed: CI / queue`);
    await messaged('ada', `Merged ${d?.name}`);
    const landing = [a, b, d].map((each) => each?.index ?? 0);
    expect(landing.every(isMerged)).toBe(true);
    expect(landed(landing)).toEqual(landing);
    expect(isMerged(c?.index ?? 0)).toBe(false);
    // all four; A and B; C, which fails alone; D
    expect(runs.filter(({ branch }) => branch.includes('/four-a/'))).toHaveLength(4);
    await expect.poll(queueBranches).toEqual([]);
  });
});

describe('groups', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    stop = await start('gitea-1.28', ['four-b', 'four-c', 'four-d', 'four-e', 'four-f', 'four-g']);
  });
  afterAll(() => stop());

  it('land in order after one run', async () => {
    runs = [];
    const all = Array.from({ length: 4 }, (_, nth) => open(`Green ${nth}`, 'four-g'));
    await pause('four-g');
    for (const { name } of all) await queue(name);
    const asked = bellows.forge.requests.all.length;
    await resume('four-g');
    const last = all.at(-1);
    await messaged('ada', `Merged ${last?.name}`);
    await expect.poll(queueBranches).toEqual([]);
    const requests = bellows.forge.requests.all.slice(asked).filter(({ path }) => path.startsWith('/repos/'));
    process.stdout.write(`figure queue.four_requests ${requests.length}\n`);
    expect(runs).toHaveLength(1);
    expect(landed(all.map(({ index }) => index))).toEqual(all.map(({ index }) => index));
    expect(requests.length).toBeLessThanOrEqual(60);
  });

  it('let one that conflicts with an earlier one wait for its fate', async () => {
    const all = [open('First', 'four-b', 'same.go'), open('Second', 'four-b', 'same.go'), open('Third', 'four-b')];
    const [first, second, third] = all;
    await queueAll('four-b', all);
    const next = [open('Red first', 'four-c', 'red-same.go'), open('Then', 'four-c', 'red-same.go')];
    const bad = next[0]?.head ?? '';
    expect(bad).not.toBe('');
    await queueAll('four-c', next);
    await messaged('ada', `Merged ${third?.name} Third`);
    await messaged('ada', `${second?.name} conflicts with .four-b.`);
    expect(isMerged(first?.index ?? 0)).toBe(true);
    for (const { name } of next) await messaged('ada', `${name} .* was taken out of the queue for .?four-c`);
  });

  it('are built again without one that was removed while they were tested', async () => {
    held = true;
    const all = [open('Stays', 'four-d'), open('Removed', 'four-d'), open('Last', 'four-d')];
    const [stays, removed, last] = all;
    await queueAll('four-d', all);
    await expect.poll(() => runs.some(({ branch }) => branch.includes('/four-d/'))).toBe(true);
    await expect
      .poll(async () => words(await type('ada', `queue list ${repo}`)))
      .toMatch(/Stays.*waiting for CI.*Removed.*tested together/s);
    await type('ada', `queue remove ${removed?.name}`);
    held = false;
    for (const each of [stays, last]) await messaged('ada', `Merged ${each?.name}`);
    expect(isMerged(removed?.index ?? 0)).toBe(false);
  });

  it('land nothing together with one that was pushed to while they were tested', async () => {
    held = true;
    const all = [open('Before', 'four-f'), open('Pushed', 'four-f'), open('After', 'four-f')];
    const [first, pushed, last] = all;
    await queueAll('four-f', all);
    await expect.poll(() => runs.some(({ branch }) => branch.includes('/four-f/'))).toBe(true);
    world().push({ as: 'grace', repo, branch: pushed?.head ?? '', commits: [{ message: 'Unseen', files: ['u.go'] }] });
    held = false;
    await messaged('ada', `${pushed?.name} has new commits`);
    const shown = words(await messaged('ada', `Merged ${first?.name}`));
    expect(shown).toContain(`together with #${last?.index}`);
    expect(shown).not.toContain(`#${pushed?.index}`);
    await messaged('ada', `Merged ${last?.name}`);
    expect(isMerged(pushed?.index ?? 0)).toBe(false);
  });

  it('are built again when someone merges past the queue', async () => {
    held = true;
    const all = [open('Under', 'four-e'), open('Over', 'four-e')];
    await queueAll('four-e', all);
    await expect.poll(() => runs.filter(({ branch }) => branch.includes('/four-e/')).length).toBe(1);
    move('four-e');
    await expect.poll(() => runs.filter(({ branch }) => branch.includes('/four-e/')).length).toBe(2);
    expect(all.some(({ index }) => isMerged(index))).toBe(false);
    held = false;
    for (const { name } of all) await messaged('ada', `Merged ${name}`);
  });
});

describe('what the branch way defends against', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    stop = await start('gitea-1.28', [
      'one',
      'quiet',
      'fork',
      'outdated',
      'lost',
      'no',
      'ready',
      'raced',
      'gone',
      'large',
    ]);
  });
  afterAll(() => stop());

  it('stops loudly if the base moved in the very moment of the merge', async () => {
    const { name } = open('Raced', 'raced');
    bellows.forge.faults.add({ on: merges, trouble: { first: async () => move('raced') } });
    await queue(name);
    await messaged('ada', `${name} was merged, but .raced. now differs from what was tested`);
    expect(words(await type('ada', `queue list ${repo}`))).toContain('The queue is paused');
  });

  it('waits until git sees the head that the API shows', async () => {
    const pull = open('Lagging', 'one');
    const state = pullOf(pull.index);
    const [more] = world().push({
      as: 'grace',
      repo,
      branch: pull.head,
      commits: [{ message: 'More', files: ['more.go'] }],
    });
    if (state) state.laggingRef = pull.sha;
    move('one');
    const fetched = () => bellows.forge.requests.all.filter(({ path }) => path.endsWith('/git-upload-pack')).length;
    const looks = fetched();
    await queue(pull.name);
    await expect.poll(fetched).toBeGreaterThan(looks + 3);
    expect(queueBranches()).toEqual([]);
    if (state) state.laggingRef = undefined;
    await messaged('ada', `Merged ${pull.name}`);
    expect(sent(pull.index)).toMatchObject([{ body: { head_commit_id: more?.sha } }]);
  });

  it('refuses a fork that changes workflows unless a maintainer lets it run', async () => {
    const fork = world().forkRepo({ as: 'linus', repo });
    const from = `${fork.owner.login}/${fork.name}`;
    const offer = (title: string, files: readonly string[]) => {
      world().push({ as: 'linus', repo: from, branch: title, from: 'fork', commits: [{ message: title, files }] });
      return world().openPull({ as: 'linus', repo, title, head: title, base: 'fork', from }).index;
    };
    const index = offer('sneaky', ['.gitea/workflows/ci.yml']);
    expect(await queue(`${repo}#${index}`, '', 'grace')).toContain('comes from a fork and changes workflow files');
    expect(await queue(`${repo}#${index}`, '--workflows', 'grace')).toContain('Only maintainers');
    expect(await queue(`${repo}#${index}`, '--workflows')).toContain('Added');
    await messaged('ada', `Merged ${repo}#${index}`);
    const other = offer('hidden', ['.github/workflows/x.yml']);
    // a server that leaves it out of the list
    bellows.forge.faults.add({ on: /GET .*\/files/, trouble: { bend: () => [] } });
    const pushed = pushes().length;
    expect(await queue(`${repo}#${other}`)).toContain('Added');
    await messaged('ada', `${repo}#${other} comes from a fork and changes workflow files`);
    expect(pushes()).toHaveLength(pushed);
    expect(isMerged(other)).toBe(false);
  });

  it('says that no workflow runs on its branches, and which rule is in the way', async () => {
    const quiet = open('Quiet', 'quiet');
    await queue(quiet.name);
    world().protect({ repo, branch: 'outdated', rules: { blockOnOutdated: true } });
    const behind = open('Outdated', 'outdated');
    move('outdated');
    await queue(behind.name);
    await messaged('ada', '.outdated. only accepts branches that are up to date');
    await messaged('ada', 'A workflow has to run on pushes to bellows-queue/quiet/');
    expect([isMerged(quiet.index), isMerged(behind.index)]).toEqual([false, false]);
    await expect.poll(queueBranches).toEqual([]);
  });

  it('uses the checks of a pull request that is alone, up to date and green', async () => {
    const ready = open('Ready', 'ready');
    world().commitStatus({ as: 'grace', repo, sha: ready.sha, context: 'CI / build (pull_request)', state: 'success' });
    const pushed = pushes().length;
    await queue(ready.name);
    await messaged('ada', `Merged ${ready.name}`);
    expect(pushes()).toHaveLength(pushed);
  });

  it('pushes and merges once when the answers are lost, and deletes its branch when it can', async () => {
    const pull = open('Lost', 'lost');
    move('lost');
    runs = [];
    bellows.forge.faults.add({ on: /POST .*git-receive-pack/, trouble: { drop: 'after' } });
    bellows.forge.faults.add({ on: merges, trouble: { drop: 'after' } });
    bellows.forge.faults.add({ on: /DELETE .*\/branches\//, times: 2, trouble: { status: 500 } });
    await queue(pull.name);
    await messaged('ada', `Merged ${pull.name}`);
    expect(runs).toHaveLength(1);
    await expect.poll(queueBranches).toEqual([]);
  });

  it('says that git is refused, with nothing merged', async () => {
    const pull = open('Refused', 'no');
    move('no');
    bellows.forge.faults.add({ on: /git-receive-pack|info\/refs/, times: 100, trouble: { status: 403 } });
    await queue(pull.name);
    await messaged('ada', 'The forge doesn’t let ada use acme/engine with git');
    bellows.forge.faults.clear();
    expect(isMerged(pull.index)).toBe(false);
  });

  it('says in queue setup that git is missing', async () => {
    const path = process.env['PATH'];
    const setup = async () => words(await type('ada', `queue setup ${repo} no`));
    expect(await setup()).not.toContain('isn’t installed');
    process.env['PATH'] = join(scratch, 'nothing');
    expect(await setup()).toContain('git 2.38 or newer isn’t installed where the worker runs');
    process.env['PATH'] = path;
  });

  it('keeps credentials out of arguments and files', () => {
    const token = bellows.forge.account('ada').token();
    const secrets = [token, Buffer.from(`token:${token}`).toString('base64')];
    const made = execFileSync('sh', ['-c', `find '${scratch}' -type f`], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(made.some((file) => file.includes('bellows-git-'))).toBe(true);
    expect(readFileSync(calls, 'utf8')).toContain('merge-tree');
    for (const file of made)
      for (const secret of secrets) expect(readFileSync(file, 'latin1').includes(secret), file).toBe(false);
  });

  it('builds it again if its copy was deleted before the push', async () => {
    const pull = open('Gone', 'gone');
    move('gone');
    writeFileSync(lose, '');
    await queue(pull.name);
    await messaged('ada', `Merged ${pull.name}`);
    expect(existsSync(lose)).toBe(false);
  });

  it('deletes a copy that is too large, once it is pushed', async () => {
    const pull = open('Large', 'large');
    move('large');
    writeFileSync(grow, '');
    await queue(pull.name);
    await messaged('ada', `Merged ${pull.name}`);
    rmSync(grow);
    const [, copy = ''] = [...readFileSync(calls, 'utf8').matchAll(/^--git-dir (\S+) push /gm)].at(-1) ?? [];
    expect(copy).toContain('bellows-git-');
    expect(existsSync(copy)).toBe(false);
  });
});

describe('a worker that may not write to its temporary folder', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    process.env['TMPDIR'] = mkdtempSync(join(scratch, 'narrow-'));
    // a file, so that nothing can be made in it
    writeFileSync(join(tmpdir(), `bellows-git-${process.getuid?.() ?? 0}`), '');
    stop = await start('gitea-1.28', ['one']);
  });
  afterAll(async () => {
    process.env['TMPDIR'] = scratch;
    await stop();
  });

  it('says what to do, and the others go on', async () => {
    const [first, next] = [open('First', 'one'), open('Next', 'one')];
    await queueAll('one', [first, next]);
    for (const { name } of [first, next]) {
      const shown = words(await messaged('ada', `Bellows can’t keep what git needs to test ${name}`));
      expect(shown).toContain('An admin has to make the worker’s temporary folder writable');
    }
  });
});
