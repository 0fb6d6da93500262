import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { decideIn } from '../commands/deciding.js';
import { talkTo, words } from '../commands/talk.js';
import { eventually, freshRepo } from '../contract/forge/things.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { overhear } from '../support/overhearing.js';
import { testKeys } from '../support/redis.js';
import { tokenOf } from './support/accounts.js';
import { type LiveForge, nameOf, startLive } from './support/server.js';

const live = await startLive();
const policy = `
roles: { admin: { users: [U0ADA00001] } }
approvals: { risky: { count: 0 } }
queues:
  - { repository: "*/*", branch: update }
  - { repository: "*/*", branch: strict }
  - { repository: "*/*", branch: "*", way: branch, group: 4 }
`;
const ciMs = 5_000;
const Branches = z.array(z.object({ name: z.string(), commit: z.object({ id: z.string() }) }));

describe.skipIf(!live)(`the merge queue on ${nameOf(live)}`, { timeout: 180_000 }, () => {
  let bellows: Bellows;
  let token = '';
  const { type } = talkTo(() => bellows);
  const { messaged } = decideIn(() => bellows);
  const server = (): LiveForge => {
    if (!live) throw new Error('there is no server');
    return live;
  };
  type At = { readonly owner: string; readonly repo: string };
  const alice = () => server().people.alice;
  const bob = () => server().people.bob;
  const path = ({ owner, repo }: At) => `/repos/${owner}/${repo}`;

  async function open(at: At, base: string, name: string): Promise<number> {
    const file = { content: Buffer.from(name).toString('base64'), message: name, branch: base, new_branch: name };
    expect((await alice().send('POST', `${path(at)}/contents/${name}.txt`, file)).status).toBe(201);
    const { text } = await alice().send('POST', `${path(at)}/pulls`, { head: name, base, title: name });
    return z.object({ number: z.int() }).parse(JSON.parse(text)).number;
  }

  /** Red if a file of the commit says so. */
  function startChecks(at: At, wanted: (branch: string) => boolean) {
    const seen = new Set<string>();
    const look = async () => {
      const found = Branches.parse(JSON.parse((await alice().send('GET', `${path(at)}/branches?limit=50`)).text));
      for (const { name, commit } of found) {
        if (!wanted(name) || seen.has(commit.id)) continue;
        seen.add(commit.id);
        const { tree } = await alice().api.repos.getTree({ ...at, sha: commit.id });
        const state = JSON.stringify(tree).includes('red') ? 'failure' : 'success';
        await alice().send('POST', `${path(at)}/statuses/${commit.id}`, { state, context: 'ci' });
      }
    };
    let looking: Promise<void> | undefined;
    const turns = setInterval(() => {
      looking ??= look()
        .catch(() => {})
        .finally(() => {
          looking = undefined;
        });
    }, 200);
    return {
      seen,
      stop: async () => {
        clearInterval(turns);
        await looking;
      },
    };
  }

  /** As git itself shows the base: its files, and what was merged, oldest first. */
  function inGit({ owner, repo }: At, base: string) {
    const folder = mkdtempSync(join(tmpdir(), 'live-queue-'));
    const basic = Buffer.from(`token:${token}`).toString('base64');
    const env = {
      PATH: process.env['PATH'],
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.extraHeader',
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
    };
    const git = (...args: string[]) => execFileSync('git', args, { env, encoding: 'utf8', stdio: 'pipe' }).trim();
    git('clone', '--quiet', '--bare', `${server().url}/${owner}/${repo}.git`, folder);
    const files = git('-C', folder, 'ls-tree', '--name-only', base).split('\n');
    const merged = git('-C', folder, 'log', '--first-parent', '--reverse', '--format=%s', base).split('\n');
    const left = git('-C', folder, 'for-each-ref', '--format=%(refname)', 'refs/heads/bellows-queue');
    rmSync(folder, { recursive: true });
    return { files, merged: merged.filter((each) => each.startsWith('Merge pull')), left };
  }

  beforeAll(async () => {
    const { root } = server().people;
    bellows = await startBellows({ real: { url: server().url, token: await tokenOf(root) }, policy });
    token = await tokenOf(alice());
    await bellows.link('ada', alice().login, token);
    await bellows.link('grace', bob().login, await tokenOf(bob()));
  });
  afterAll(async () => {
    await bellows?.close();
    await live?.close();
  });

  it.each([
    ['update', ['one', 'two-red', 'three'], (branch: string) => !/^(main|update)$/.test(branch)],
    ['main', ['a', 'b', 'c-red', 'd'], (branch: string) => branch.startsWith('bellows-queue/')],
  ] as const)('merges into %s in order, without the red one', async (base, names, isTested) => {
    const at = await freshRepo(server());
    if (base !== 'main') await server().ground.branch(at, base);
    const pulls: { readonly name: string; readonly ref: string }[] = [];
    for (const name of names) pulls.push({ name, ref: `${at.owner}/${at.repo}#${await open(at, base, name)}` });
    await type('ada', `queue pause ${at.owner}/${at.repo} ${base} --reason "Gather"`);
    for (const { ref } of pulls) expect(words(await type('ada', `queue ${ref} --style merge`))).toContain('Added');
    const checks = startChecks(at, isTested);
    await type('ada', `queue resume ${at.owner}/${at.repo} ${base}`);
    for (const { name, ref } of pulls)
      await messaged('ada', name.includes('red') ? `${ref} .* was taken out of the queue` : `Merged ${ref}`);
    const green = names.filter((name) => !name.includes('red'));
    await expect.poll(() => inGit(at, base).left).toBe('');
    await checks.stop();
    const { files, merged } = inGit(at, base);
    expect(files).toEqual(expect.arrayContaining(green.map((name) => `${name}.txt`)));
    expect(files.some((file) => file.includes('red'))).toBe(false);
    expect(merged.map((each) => /'(.*)'/.exec(each)?.[1])).toEqual(green);
    if (base === 'main') expect(checks.seen.size).toBeLessThanOrEqual(4);
  });

  /** A branch with these rules, bob as a second person, and a file both sides change at different lines. */
  async function contest(rules: object) {
    const at = await freshRepo(server());
    await alice().send('PUT', `${path(at)}/collaborators/${bob().login}`, { permission: 'write' });
    const lines = Array.from({ length: 30 }, (_, line) => `line ${line}`);
    const write = async (changed: number | undefined, branch: object) => {
      const content = lines.map((each, line) => (line === changed ? `${each} changed` : each)).join('\n');
      const found = await alice().send('GET', `${path(at)}/contents/both.txt?ref=strict`);
      const sha = found.status === 200 ? z.object({ sha: z.string() }).parse(JSON.parse(found.text)).sha : undefined;
      const body = { content: Buffer.from(content).toString('base64'), message: 'Shared', sha, ...branch };
      const { status } = await alice().send(sha ? 'PUT' : 'POST', `${path(at)}/contents/both.txt`, body);
      expect([200, 201]).toContain(status);
    };
    await server().ground.branch(at, 'strict');
    await write(undefined, { branch: 'strict' });
    await write(1, { branch: 'strict', new_branch: 'topic' });
    const { text } = await alice().send('POST', `${path(at)}/pulls`, { head: 'topic', base: 'strict', title: 'Topic' });
    const { number } = z.object({ number: z.int() }).parse(JSON.parse(text));
    const protection = { rule_name: 'strict', enable_push: true, ...rules };
    expect((await alice().send('POST', `${path(at)}/branch_protections`, protection)).status).toBe(201);
    const checks = startChecks(at, (branch) => branch === 'topic');
    return {
      at,
      number,
      ref: `${at.owner}/${at.repo}#${number}`,
      moveBase: () => write(28, { branch: 'strict' }),
      checks,
    };
  }

  it('keeps the place of one whose approval its own update cost', async () => {
    const { at, number, ref, moveBase, checks } = await contest({
      required_approvals: 1,
      dismiss_stale_approvals: true,
    });
    const approve = () =>
      bob().send('POST', `${path(at)}/pulls/${number}/reviews`, { event: 'APPROVED', body: 'Fine.' });
    expect(words(await type('ada', `queue ${ref} --style merge`))).toContain('needs 1 approval and has 0');
    expect((await approve()).status).toBe(200);
    await moveBase();
    expect(words(await type('ada', `queue ${ref} --style merge`))).toContain('Added');
    const shown = await messaged('ada', `${ref} Topic needs an approval again`);
    expect(words(shown)).toContain(`no longer counts that of ${bob().login}`);
    expect((await approve()).status).toBe(200);
    await messaged('ada', `Merged ${ref}`);
    await checks.stop();
    expect(inGit(at, 'strict').merged).toHaveLength(1);
  });

  it('takes up what someone asks the forge itself to merge', async () => {
    const { at, number, ref, checks } = await contest({ enable_status_check: true, status_check_contexts: ['ci'] });
    const said = words(await type('ada', `queue require ${at.owner}/${at.repo} strict`));
    expect(said).toContain('strict');
    const body = { Do: 'merge', merge_when_checks_succeed: true };
    // refused while the server looks for conflicts
    await eventually(async () =>
      expect(await bob().send('POST', `${path(at)}/pulls/${number}/merge`, body)).toMatchObject({ status: 201 }),
    );
    await messaged('grace', `Added ${ref}`);
    await messaged('grace', `Merged ${ref}`);
    await checks.stop();
    expect(inGit(at, 'strict').merged).toHaveLength(1);
  });

  it('costs few seconds and requests', async () => {
    const proxy = await overhear(server().url);
    const measured = await startBellows({
      real: { url: proxy.url, token: await tokenOf(server().people.root) },
      policy,
    });
    await measured.link('ada', alice().login, token);
    const store = createStore({ redis: connect(measured.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
    const at = await freshRepo(server());
    await server().ground.branch(at, 'update');
    const { id } = z.object({ id: z.int() }).parse(JSON.parse((await alice().send('GET', path(at))).text));
    const report = async (sha: string) => {
      await alice().send('POST', `${path(at)}/statuses/${sha}`, { state: 'success', context: 'ci' });
      // as its webhook does
      await store.queues.wake(id);
    };
    const headOf = async (index: number) => (await alice().api.pulls.get({ ...at, index })).head?.sha ?? '';
    const cost = async (index: number, meanwhile: () => Promise<void>) => {
      const [since, before] = [performance.now(), proxy.heard.length];
      const ref = `${at.owner}/${at.repo}#${index}`;
      expect(words(await talkTo(() => measured).type('ada', `queue ${ref} --style merge`))).toContain('Added');
      await meanwhile();
      await decideIn(() => measured).messaged('ada', `Merged ${ref}`);
      const asked = proxy.heard.slice(before).filter((each) => `${each.path}/`.startsWith(`${path(at)}/`));
      return { seconds: (performance.now() - since) / 1_000, requests: asked.length };
    };
    const [ready, behind] = [await open(at, 'update', 'ready'), await open(at, 'update', 'behind')];
    for (const index of [ready, behind]) await report(await headOf(index));
    const reported = Date.now();
    await expect.poll(() => Date.now() - reported).toBeGreaterThan(17_000);
    const one = await cost(ready, async () => {});
    const old = await headOf(behind);
    const two = await cost(behind, async () => {
      await expect.poll(() => headOf(behind)).not.toBe(old);
      const begun = Date.now();
      await expect.poll(() => Date.now() - begun).toBeGreaterThan(ciMs);
      await report(await headOf(behind));
    });
    const figures = {
      ready_seconds: one.seconds,
      ready_requests: one.requests,
      behind_seconds_beyond_ci: two.seconds - ciMs / 1_000,
      requests_per_merge: two.requests,
    };
    for (const [name, value] of Object.entries(figures))
      process.stdout.write(`figure queue.${name} ${value.toFixed(1)}\n`);
    expect(one.requests).toBeLessThanOrEqual(10);
    // a busy machine looks more often
    expect(two.requests).toBeLessThanOrEqual(30);
    await close(store.redis);
    await measured.close();
    await proxy.close();
  });
});
