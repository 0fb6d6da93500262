import type { Flavor } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { startWorker } from '../../src/worker.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { quickTempo } from '../support/quick.js';
import { decideIn } from './deciding.js';
import { talkTo, words } from './talk.js';

const flavors: readonly Flavor[] = ['gitea-1.26', 'gitea-1.28', 'forgejo-11', 'forgejo-15'];
const repo = 'acme/engine';
const merges = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';
const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001]
approvals:
  rules:
    - { repository: acme/engine, branch: release, command: pr merge, approve: admin, count: 1 }
`;

let bellows: Bellows;
const { type, click } = talkTo(() => bellows, 60_000);
const { ask, cardSays, messaged } = decideIn(() => bellows);
let branches = 0;
const world = () => bellows.forge.world;
const sent = (index: number) => bellows.forge.requests.of(merges).filter(({ path }) => path.includes(`/${index}/`));
/** How often the pull request was read. */
const looks = (index: number) =>
  bellows.forge.requests.all.filter(({ method, path }) => method === 'GET' && path === `/repos/${repo}/pulls/${index}`)
    .length;
const isMerged = (index: number) => world().issue(repo, index)?.pull?.merged !== undefined;

function open(title: string, base = 'main') {
  branches += 1;
  const head = `branch-${branches}`;
  const push = (message = title) =>
    world()
      .push({ as: 'grace', repo, branch: head, commits: [{ message, files: [`src/${head}.go`] }] })
      .at(0)?.sha ?? '';
  const sha = push();
  const { index } = world().openPull({ as: 'grace', repo, title, head, base });
  const report = (state: string, context = 'ci/build') =>
    world().commitStatus({ as: 'grace', repo, sha, context, state });
  return { index, name: `${repo}#${index}`, sha, push, report };
}

async function start(flavor: Flavor): Promise<void> {
  bellows = await startBellows({ policy, forge: { flavor } });
  await bellows.link('ada');
  await bellows.link('grace');
  for (const branch of ['dev', 'release']) world().push({ as: 'ada', repo, branch, commits: ['Start'] });
}
const wait = (name: string, flags = '') => type('ada', `pr merge ${name} --when-checks-succeed ${flags}`);

describe.each(flavors)('pr merge --when-checks-succeed on %s', (flavor) => {
  beforeAll(() => start(flavor));
  afterAll(() => bellows.close());

  it('merges exactly that head once all its checks have passed, not before', async () => {
    const { name, index, report, sha } = open('Patient');
    report('pending');
    report('pending', 'ci/test');
    const answer = await wait(name, '--style squash');
    expect(words(answer)).toContain('will be merged into `main` when its checks pass');
    report('success');
    // longer than it takes to merge what is green
    const before = looks(index);
    await expect.poll(() => looks(index), { timeout: 60_000 }).toBeGreaterThan(before + 5);
    expect(sent(index)).toEqual([]);
    expect(isMerged(index)).toBe(false);
    report('success', 'ci/test');
    await messaged('ada', `Merged ${name} Patient`);
    expect(isMerged(index)).toBe(true);
    expect(sent(index)).toMatchObject([
      { who: 'ada', body: { Do: 'squash', head_commit_id: sha, delete_branch_after_merge: false } },
    ]);
    expect(sent(index)[0]?.body).not.toHaveProperty('merge_when_checks_succeed');
  });

  it('merges what is green already', async () => {
    const { name, index, report } = open('Green');
    report('success');
    await wait(name);
    await messaged('ada', `Merged ${name} Green`);
    expect(isMerged(index)).toBe(true);
  });

  it.each(['failure', 'error', 'warning'])(
    'ends at the first check that is red (%s), required or not',
    async (word) => {
      const { name, index, report } = open(`Red: ${word}`);
      report('pending');
      await wait(name);
      report(word, 'lint');
      await messaged('ada', `1 check of ${name} failed: lint`);
      report('success');
      report('success', 'lint');
      expect(isMerged(index)).toBe(false);
      expect(sent(index)).toEqual([]);
    },
  );

  it('ends when commits are pushed, however green they are', async () => {
    const { name, index, report, push } = open('Pushed');
    report('pending');
    await wait(name);
    const fresh = push('Unseen');
    world().commitStatus({ as: 'grace', repo, sha: fresh, context: 'ci/build', state: 'success' });
    await messaged('ada', `${name} has new commits`);
    report('success');
    expect(isMerged(index)).toBe(false);
    expect(sent(index)).toEqual([]);
  });

  it('ends when it is retargeted, so no rule of the new branch is bypassed', async () => {
    const { name, index, report } = open('Retargeted', 'dev');
    report('pending');
    await wait(name);
    await type('ada', `pr retarget ${name} release`);
    report('success');
    await messaged('ada', `${name} now targets release instead of dev`);
    expect(isMerged(index)).toBe(false);
    expect(sent(index)).toEqual([]);
  });

  it('ends with a word to requester and approver when changes are requested after the approval', async () => {
    const { name, index, report } = open('Approved, then refused', 'release');
    report('pending');
    const card = await ask(`pr merge ${name} --when-checks-succeed`);
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'will be merged into');
    world().review({ as: 'margaret', repo, index, verdict: 'reject', body: 'Wait.' });
    report('success');
    await messaged('ada', `${name} has a new review: margaret requested changes`);
    await messaged('grace', `You approved merging ${name} for .*margaret requested changes`);
    expect(isMerged(index)).toBe(false);
  });

  it('merges under the approval that was given', async () => {
    const { name, index, report } = open('Approved', 'release');
    report('pending');
    const card = await ask(`pr merge ${name} --when-checks-succeed`);
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'will be merged into');
    report('success');
    await messaged('ada', `Merged ${name} Approved`);
    expect(isMerged(index)).toBe(true);
    expect(sent(index)).toHaveLength(1);
  });
});

describe('waiting for checks', () => {
  beforeAll(() => start('gitea-1.28'));
  afterAll(() => bellows.close());

  it('refuses to wait for what is red already', async () => {
    const { name, report } = open('Red from the start');
    report('failure');
    expect(words(await wait(name, '--yes'))).toContain('1 check failed: ci/build');
  });

  it('says that there are no checks, after a while', async () => {
    const { name, index } = open('Unchecked');
    await wait(name);
    await messaged('ada', `No checks were reported for ${name}`);
    expect(isMerged(index)).toBe(false);
  });

  it('sees a red check on a later page', async () => {
    const { name, index, report } = open('Many checks');
    report('failure', 'the-first');
    for (let nth = 0; nth < 60; nth += 1) report('success', `ci/${nth}`);
    expect(words(await wait(name))).toContain('1 check failed: the-first');
    expect(isMerged(index)).toBe(false);
  });

  it('waits for a word it does not know, a run that goes on and a required check that is missing', async () => {
    const strange = open('Strange');
    strange.report('success');
    strange.report('almost', 'ci/odd');
    await wait(strange.name);
    world().protect({ repo, branch: 'dev', rules: { statusChecks: ['deep / *'] } });
    const required = open('Required', 'dev');
    required.report('success');
    await wait(required.name);
    const running = open('Running');
    running.report('success');
    const run = world().startRun({ as: 'grace', repo, title: 'Late', sha: running.sha });
    await wait(running.name);
    const plain = open('Plain');
    plain.report('success');
    await wait(plain.name);
    await messaged('ada', `Merged ${plain.name}`);
    for (const { index } of [strange, required, running]) expect(isMerged(index)).toBe(false);
    strange.report('success', 'ci/odd');
    required.report('success', 'deep / a / b');
    world().finishRun({ run: run.id, conclusion: 'success' });
    for (const { name } of [strange, required, running]) await messaged('ada', `Merged ${name}`);
  });

  it.each([
    ['closed', ({ index }: { index: number }) => world().close({ as: 'grace', repo, index }), 'was closed'],
    [
      'merged by someone else',
      ({ index }: { index: number }) => world().merge({ as: 'grace', repo, index }),
      'was merged by grace',
    ],
  ] as const)('ends when it is %s', async (title, act, says) => {
    const pull = open(title);
    pull.report('pending');
    await wait(pull.name);
    act(pull);
    await messaged('ada', `${pull.name} ${says}`);
    expect(sent(pull.index)).toEqual([]);
  });

  it('ends when it becomes a draft', async () => {
    const { name, report } = open('Ready');
    report('pending');
    await wait(name);
    await type('grace', `pr edit ${name} --title "WIP: Ready"`);
    await messaged('ada', `${name} was turned into a draft`);
  });

  it('is stopped by its person, or by someone who may merge; nobody else', async () => {
    const { name, index, report } = open('Stopped');
    report('pending');
    const answer = await wait(name);
    expect(words(await click('ada', answer, 'Stop waiting'))).toContain(`${name} is no longer merged automatically`);
    report('success');
    expect(words(await type('ada', `pr cancel-merge ${name}`))).toContain('isn’t waiting for its checks');
    expect(isMerged(index)).toBe(false);
    const other = open('Stopped by another');
    other.report('pending');
    await wait(other.name);
    await bellows.link('alan', 'linus');
    expect(words(await type('alan', `pr cancel-merge ${other.name}`))).toContain('Only ada or someone who may merge');
    expect(words(await type('grace', `pr merge ${other.name} --when-checks-succeed`))).toContain('ada asked for it');
    expect(words(await type('grace', `pr cancel-merge ${other.name}`))).toContain('had asked for it');
  });

  it('ends when the forge refuses for another reason than its checks', async () => {
    world().protect({ repo, branch: 'dev', rules: { requiredApprovals: 1 } });
    const { name, report } = open('Unapproved', 'dev');
    report('success');
    await wait(name);
    await messaged('ada', 'it doesn’t have enough approvals');
    world().protect({ repo, branch: 'dev' });
  });

  it('finds its own merge when the answer was lost', async () => {
    const { name, index, report } = open('Lost');
    report('success');
    bellows.forge.faults.add({ on: merges, trouble: { drop: 'after' } });
    await wait(name);
    await messaged('ada', `Merged ${name} Lost`);
    expect(sent(index)).toHaveLength(1);
  });
});

describe('a worker that is stopped while it waits', () => {
  const work = () => startWorker(bellows.config, createLog({ level: 'silent' }), undefined, quickTempo);
  let worker: Awaited<ReturnType<typeof work>>;
  beforeAll(async () => {
    bellows = await startBellows({ policy, parts: ['bot'] });
    worker = await work();
    await bellows.link('ada');
  });
  afterAll(async () => {
    await worker.stop();
    await bellows.close();
  });

  it('is followed by the next one, which merges once', async () => {
    const { name, index, report } = open('Interrupted');
    report('pending');
    expect(words(await wait(name))).toContain('will be merged');
    await worker.stop();
    report('success');
    expect(sent(index)).toEqual([]);
    const [next, another] = await Promise.all([work(), work()]);
    worker = next;
    await messaged('ada', `Merged ${name} Interrupted`);
    await another.stop();
    expect(isMerged(index)).toBe(true);
    expect(sent(index)).toHaveLength(1);
  });
});
