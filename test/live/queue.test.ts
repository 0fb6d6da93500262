import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decideIn } from '../commands/deciding.js';
import { talkTo, words } from '../commands/talk.js';
import { freshRepo } from '../contract/forge/things.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { tokenOf } from './support/accounts.js';
import { type LiveForge, nameOf, startLive } from './support/server.js';

const live = await startLive();
const policy = `
roles: { admin: { users: [U0ADA00001] } }
queues:
  - { repository: "*/*", branch: update }
  - { repository: "*/*", branch: "*", way: branch, group: 4 }
`;
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
});
