import type { Flavor } from '@bellows/sandbox/forge';
import { expect } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { decideIn } from './deciding.js';
import { talkTo, words } from './talk.js';

export const repo = 'acme/engine';
export const merges = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';
export const updates = 'POST /repos/{owner}/{repo}/pulls/{index}/update';
const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001]
approvals:
  rules:
    - { repository: acme/engine, branch: release, command: pr merge, approve: admin, count: 1 }
    - { repository: acme/engine, branch: gated, command: queue, approve: admin, count: 1 }
queues:
  - { repository: acme/engine, branch: unchecked, noChecks: merge, style: squash }
  - { repository: acme/engine, branch: flaky, retries: 1 }
  - { repository: acme/engine, branch: slow*, timeLimit: 2s }
  - { repository: acme/engine, branch: brief, keepPlace: 1s }
  - { repository: acme/engine, branch: frozen, freeze: [{ zone: UTC, reason: Launch }] }
  - { repository: acme/engine, branch: shown, channel: C0ENGINE01 }
  - { repository: acme/renamed, way: branch, freeze: [{ zone: UTC, reason: Move }] }
`;

export let bellows: Bellows;
export const { type, click } = talkTo(() => bellows);
export const { ask, cardSays, messaged } = decideIn(() => bellows);
let branches = 0;
export const world = () => bellows.forge.world;
export const of = (route: string, index: number) =>
  bellows.forge.requests.of(route).filter(({ path }) => path.includes(`/${index}/`));
export const sent = (index: number) => of(merges, index);
export const updated = (index: number) => of(updates, index);
/** How often the pull request was read. */
const looks = (index: number) =>
  bellows.forge.requests.all.filter(({ method, path }) => method === 'GET' && path === `/repos/${repo}/pulls/${index}`)
    .length;
export const looked = async (index: number, times = 3) => {
  const before = looks(index);
  await expect.poll(() => looks(index)).toBeGreaterThan(before + times);
};
export const pullOf = (index: number) => world().issue(repo, index)?.pull;
export const isMerged = (index: number) => pullOf(index)?.merged !== undefined;
export const headOf = (index: number) => pullOf(index)?.headSha ?? '';
export const branchAt = (name: string) => world().repo(repo)?.branches.get(name) ?? '';

/** Everything asked of the repository for one merge, from the command on, but for reviews and timelines. */
export const tally = (name: string, since: number) => {
  const asked = bellows.forge.requests.all
    .slice(since)
    .filter(({ path, who }) => who === 'ada' && `${path}/`.startsWith(`/repos/${repo}/`))
    // her inbox reads these of every pull request that moved
    .filter(({ path }) => !/\/(?:reviews|timeline|comments)$/.test(path));
  process.stdout.write(`figure queue.${name} ${asked.length}\n`);
  return asked;
};

export const report = (sha: string, state: string, context = 'ci/build') =>
  world().commitStatus({ as: 'grace', repo, sha, context, state });

export function open(title: string, base = 'main') {
  branches += 1;
  const head = `branch-${branches}`;
  const push = (message = title, as = 'grace') =>
    world()
      .push({ as, repo, branch: head, from: base, commits: [{ message, files: [`src/${head}.go`] }] })
      .at(0)?.sha ?? '';
  const sha = push();
  const { index } = world().openPull({ as: 'grace', repo, title, head, base });
  const tell = (state: string, context?: string) => report(sha, state, context);
  return { index, name: `${repo}#${index}`, sha, head, push, report: tell };
}

/** Its checks passed a while ago. */
export function openSteady(title: string, base: string) {
  const pull = open(title, base);
  world().at(Math.floor(Date.now() / 1_000) - 60, () => pull.report('success'));
  return pull;
}

/** Someone pushes to it. */
export const move = (branch: string, file = `moved-${branches}.go`) =>
  world().push({ as: 'ada', repo, branch, commits: [{ message: 'Meanwhile', files: [file] }] });

/** Up to date, tested green at its new head. */
export async function turnGreen({ index, sha }: { readonly index: number; readonly sha: string }): Promise<string> {
  await expect.poll(() => headOf(index)).not.toBe(sha);
  report(headOf(index), 'success');
  return headOf(index);
}

export async function start(flavor: Flavor, more = '', queueMs = 30): Promise<void> {
  bellows = await startBellows({ policy: policy + more, forge: { flavor }, tempo: { queueMs } });
  await bellows.link('ada');
  await bellows.link('grace');
  for (const branch of [
    'dev',
    'slow',
    'slower',
    'release',
    'unchecked',
    'flaky',
    'frozen',
    'shown',
    'brief',
    'gated',
    'a',
    'b',
    'c',
    'd',
    'e',
    'f',
    'g',
    'h',
  ])
    world().push({ as: 'ada', repo, branch, commits: ['Start'] });
}
export const queue = async (name: string, flags = '', as = 'ada') => words(await type(as, `queue ${name} ${flags}`));

/** The queue's own update of this one counts as new content, so its approvals go. */
export function contest(title: string, base: string, rules: object) {
  world().protect({ repo, branch: base, rules: { requiredApprovals: 1, ...rules } });
  const pull = open(title, base);
  world().review({ as: 'ada', repo, index: pull.index, verdict: 'approve' });
  pull.report('success');
  move(base, `src/${pull.head}.go`);
  return pull;
}
