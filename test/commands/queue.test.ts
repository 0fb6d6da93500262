import { EventEmitter, once } from 'node:events';
import type { Flavor } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { decideIn } from './deciding.js';
import { talkTo, words } from './talk.js';

const flavors: readonly Flavor[] = ['gitea-1.26', 'gitea-1.28', 'forgejo-11', 'forgejo-15'];
const repo = 'acme/engine';
const merges = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';
const updates = 'POST /repos/{owner}/{repo}/pulls/{index}/update';
const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001]
approvals:
  rules:
    - { repository: acme/engine, branch: release, command: pr merge, approve: admin, count: 1 }
queues:
  - { repository: acme/engine, branch: unchecked, noChecks: merge, style: squash }
  - { repository: acme/engine, branch: flaky, retries: 1 }
  - { repository: acme/engine, branch: slow, timeLimit: 2s }
  - { repository: acme/engine, branch: brief, keepPlace: 1s }
  - { repository: acme/engine, branch: frozen, freeze: [{ zone: UTC, reason: Launch }] }
  - { repository: acme/engine, branch: shown, channel: C0ENGINE01 }
`;

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);
const { ask, cardSays, messaged } = decideIn(() => bellows);
let branches = 0;
const world = () => bellows.forge.world;
const of = (route: string, index: number) =>
  bellows.forge.requests.of(route).filter(({ path }) => path.includes(`/${index}/`));
const sent = (index: number) => of(merges, index);
const updated = (index: number) => of(updates, index);
/** How often the pull request was read. */
const looks = (index: number) =>
  bellows.forge.requests.all.filter(({ method, path }) => method === 'GET' && path === `/repos/${repo}/pulls/${index}`)
    .length;
const looked = async (index: number, times = 5) => {
  const before = looks(index);
  await expect.poll(() => looks(index)).toBeGreaterThan(before + times);
};
const pullOf = (index: number) => world().issue(repo, index)?.pull;
const isMerged = (index: number) => pullOf(index)?.merged !== undefined;
const headOf = (index: number) => pullOf(index)?.headSha ?? '';
const branchAt = (name: string) => world().repo(repo)?.branches.get(name) ?? '';

/** Everything asked of the repository for one merge, from the command on, but for reviews and timelines. */
const tally = (name: string, since: number) => {
  const asked = bellows.forge.requests.all
    .slice(since)
    .filter(({ path, who }) => who === 'ada' && `${path}/`.startsWith(`/repos/${repo}/`))
    // her inbox reads these of every pull request that moved
    .filter(({ path }) => !/\/(?:reviews|timeline|comments)$/.test(path));
  process.stdout.write(`figure queue.${name} ${asked.length}\n`);
  return asked;
};

const report = (sha: string, state: string, context = 'ci/build') =>
  world().commitStatus({ as: 'grace', repo, sha, context, state });

function open(title: string, base = 'main') {
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
function openSteady(title: string, base: string) {
  const pull = open(title, base);
  world().at(Math.floor(Date.now() / 1_000) - 60, () => pull.report('success'));
  return pull;
}

/** Someone pushes to it. */
const move = (branch: string, file = `moved-${branches}.go`) =>
  world().push({ as: 'ada', repo, branch, commits: [{ message: 'Meanwhile', files: [file] }] });

/** Up to date, tested green at its new head. */
async function turnGreen({ index, sha }: { readonly index: number; readonly sha: string }): Promise<string> {
  await expect.poll(() => headOf(index)).not.toBe(sha);
  report(headOf(index), 'success');
  return headOf(index);
}

async function start(flavor: Flavor, more = ''): Promise<void> {
  bellows = await startBellows({ policy: policy + more, forge: { flavor }, tempo: { followMs: 50 } });
  await bellows.link('ada');
  await bellows.link('grace');
  for (const branch of [
    'dev',
    'slow',
    'release',
    'unchecked',
    'flaky',
    'frozen',
    'shown',
    'brief',
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
const queue = async (name: string, flags = '', as = 'ada') => words(await type(as, `queue ${name} ${flags}`));

describe.each(flavors)('the merge queue on %s', (flavor) => {
  beforeAll(() => start(flavor));
  afterAll(() => bellows.close());

  it('merges what is up to date and green at once, as the person who queued it', async () => {
    const { name, index, report, sha } = open('Ready');
    report('success');
    const since = bellows.forge.requests.all.length;
    expect(await queue(name, '--style squash')).toContain('Added');
    await messaged('ada', `Merged ${name} Ready`);
    const asked = tally('ready_requests', since);
    // when it is asked for, and again right before the merge
    expect(asked.filter(({ path }) => path.endsWith('/branches/main'))).toHaveLength(2);
    expect(asked.filter(({ path }) => path.endsWith('/commits'))).toHaveLength(1);
    expect(updated(index)).toEqual([]);
    expect(sent(index)).toMatchObject([
      { who: 'ada', body: { Do: 'squash', head_commit_id: sha, delete_branch_after_merge: false } },
    ]);
    expect(sent(index)[0]?.body).not.toHaveProperty('merge_when_checks_succeed');
  });

  it('is merged with one look if its checks have been green for a while', async () => {
    const pull = openSteady('Green for long', 'e');
    const since = bellows.forge.requests.all.length;
    await queue(pull.name);
    await messaged('ada', `Merged ${pull.name}`);
    const asked = tally('steady_requests', since);
    expect(asked.filter(({ path }) => path.endsWith('/branches/e'))).toHaveLength(1);
    expect(asked.filter(({ path }) => path.endsWith('/commits'))).toEqual([]);
    expect(sent(pull.index)).toMatchObject([{ who: 'ada', body: { head_commit_id: pull.sha } }]);
    // the forge has not looked for the merge base since
    const stale = openSteady('Up to date', 'e');
    const record = pullOf(stale.index);
    if (record) record.mergeBase = pull.sha;
    await queue(stale.name);
    await messaged('ada', `Merged ${stale.name}`);
    expect(updated(stale.index)).toEqual([]);
    // moved between that look and the merge
    const overtaken = openSteady('Overtaken at once', 'e');
    bellows.forge.faults.add({
      on: new RegExp(`GET .*/pulls/${overtaken.index}$`),
      after: 1,
      times: 1,
      trouble: { delay: 1_000 },
    });
    await queue(overtaken.name);
    move('e');
    const tested = await turnGreen(overtaken);
    await messaged('ada', `Merged ${overtaken.name}`);
    expect(sent(overtaken.index)).toMatchObject([{ body: { head_commit_id: tested } }]);
  });

  it('is not merged if a check appears right before', async () => {
    const { name, index, report, sha } = open('One more check');
    report('success');
    // read when it is queued, and again right before its merge
    bellows.forge.faults.add({
      on: new RegExp(`GET .*/commits/${sha}/status`),
      after: 1,
      times: 1,
      trouble: { delay: 1_000 },
    });
    await queue(name);
    report('pending', 'ci/late');
    await looked(index, 2);
    expect(sent(index)).toEqual([]);
    report('success', 'ci/late');
    await messaged('ada', `Merged ${name}`);
  });

  it('waits until every check of exactly that head has passed', async () => {
    const { name, index, report } = open('Patient');
    report('pending');
    report('pending', 'ci/test');
    await queue(name);
    report('success');
    await looked(index);
    expect(sent(index)).toEqual([]);
    report('success', 'ci/test');
    await messaged('ada', `Merged ${name} Patient`);
  });

  it('updates a branch that is behind, tests that, and merges exactly that', async () => {
    const pull = open('Behind', 'a');
    pull.report('success');
    move('a');
    const since = bellows.forge.requests.all.length;
    await queue(pull.name);
    const tested = await turnGreen(pull);
    await messaged('ada', `Merged ${pull.name} Behind`);
    tally('requests_per_merge', since);
    expect(updated(pull.index)).toMatchObject([{ who: 'ada' }]);
    expect(sent(pull.index)).toMatchObject([{ who: 'ada', body: { head_commit_id: tested } }]);
  });

  it('rebases where the repository says so', async () => {
    if (flavor === 'gitea-1.26') return;
    world().setMerging({ repo, updateStyle: 'rebase' });
    const pull = open('Rebased', 'a');
    pull.report('success');
    move('a');
    await queue(pull.name);
    await turnGreen(pull);
    await messaged('ada', `Merged ${pull.name} Rebased`);
    expect(updated(pull.index).every(({ query }) => query['style'] === 'rebase')).toBe(true);
    world().setMerging({ repo, updateStyle: 'merge' });
  });

  it('takes out what is red, with a word to its author too, and goes on with the next', async () => {
    const [one, two, three] = [open('One', 'b'), open('Two', 'b'), open('Three', 'b')];
    for (const each of [one, two, three]) each.report('pending');
    for (const { name } of [one, two, three]) await queue(name);
    one.report('success');
    await messaged('ada', `Merged ${one.name}`);
    await expect.poll(() => headOf(two.index)).not.toBe(two.sha);
    report(headOf(two.index), 'pending');
    report(headOf(two.index), 'failure', 'lint');
    await messaged('ada', `${two.name} Two was taken out of the queue for .?b.?: 1 check failed: lint`);
    await messaged('grace', `${two.name} Two was taken out of the queue for .?b`);
    await turnGreen(three);
    await messaged('ada', `Merged ${three.name}`);
    expect(isMerged(two.index)).toBe(false);
    expect(sent(two.index)).toEqual([]);
  });

  it('takes it out when commits are pushed, however green they are', async () => {
    const { name, index, report: tell, push } = open('Pushed', 'c');
    tell('pending');
    await queue(name);
    await looked(index, 1);
    report(push('Unseen'), 'success');
    await messaged('ada', `${name} has new commits`);
    tell('success');
    expect(sent(index)).toEqual([]);
  });

  it('builds it again when someone merges past the queue', async () => {
    const pull = open('Overtaken', 'd');
    pull.report('pending');
    await queue(pull.name);
    await looked(pull.index, 1);
    move('d');
    pull.report('success');
    await expect.poll(() => updated(pull.index).length).toBeGreaterThan(0);
    expect(isMerged(pull.index)).toBe(false);
    const tested = await turnGreen(pull);
    await messaged('ada', `Merged ${pull.name}`);
    expect(sent(pull.index)).toMatchObject([{ body: { head_commit_id: tested } }]);
  });

  it('merges under the approval that a rule for pr merge wants, and only then', async () => {
    const { name, index, report } = open('Approved', 'release');
    report('success');
    const card = await ask(`queue ${name}`);
    expect(sent(index)).toEqual([]);
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'Added');
    await messaged('ada', `Merged ${name} Approved`);
    expect(sent(index)).toHaveLength(1);
  });
});

describe('what takes a pull request out of the queue', () => {
  beforeAll(() => start('gitea-1.28'));
  afterAll(() => bellows.close());

  it('asks for approval again if the head changed before it was given', async () => {
    const { name, index, push } = open('Changed', 'release');
    const card = await ask(`queue ${name}`);
    report(push('More'), 'success');
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'changed');
    expect(sent(index)).toEqual([]);
  });

  it.each([
    ['closed', ({ index }: { index: number }) => world().close({ as: 'grace', repo, index }), 'was closed'],
    [
      'merged by someone else',
      ({ index }: { index: number }) => world().merge({ as: 'grace', repo, index }),
      'was merged by grace',
    ],
    [
      'rejected',
      ({ index }: { index: number }) => world().review({ as: 'margaret', repo, index, verdict: 'reject', body: 'No.' }),
      'has a new review: margaret requested changes',
    ],
  ] as const)('being %s', async (title, act, says) => {
    const pull = open(title);
    pull.report('pending');
    await queue(pull.name);
    await looked(pull.index, 1);
    act(pull);
    await messaged('ada', `${pull.name} ${says}`);
    expect(sent(pull.index)).toEqual([]);
  });

  it('being closed right before a merge at once', async () => {
    const { name, index } = openSteady('Closed at once', 'a');
    bellows.forge.faults.add({
      on: new RegExp(`GET .*/pulls/${index}$`),
      after: 1,
      times: 1,
      trouble: { delay: 1_000 },
    });
    await queue(name);
    world().close({ as: 'grace', repo, index });
    await messaged('ada', `${name} was closed`);
    expect(sent(index)).toEqual([]);
  });

  it('becoming a draft, or targeting another branch', async () => {
    const draft = open('Unfinished');
    draft.report('pending');
    await queue(draft.name);
    await type('grace', `pr edit ${draft.name} --title "WIP: Unfinished"`);
    await messaged('ada', `${draft.name} was turned into a draft`);
    const moved = open('Retargeted', 'dev');
    moved.report('pending');
    await queue(moved.name);
    await type('ada', `pr retarget ${moved.name} release`);
    moved.report('success');
    await messaged('ada', `${moved.name} now targets release instead of dev`);
    expect([isMerged(draft.index), isMerged(moved.index)]).toEqual([false, false]);
  });

  it('a fork that cannot be updated, with who has to do it', async () => {
    const fork = world().forkRepo({ as: 'linus', repo });
    const from = `${fork.owner.login}/${fork.name}`;
    world().push({ as: 'linus', repo: from, branch: 'patch', commits: [{ message: 'Patch', files: ['patch.go'] }] });
    const { index, pull } = world().openPull({ as: 'linus', repo, title: 'Patch', head: 'patch', base: 'main', from });
    if (pull) pull.maintainerEdit = false;
    move('main');
    await queue(`${repo}#${index}`, '', 'grace');
    await messaged('grace', 'a fork that does not allow edits by maintainers. linus has to update it');
    expect(sent(index)).toEqual([]);
  });

  it('checks that take too long, and a base that never rests', async () => {
    const slow = open('Slow', 'slow');
    slow.report('pending');
    await queue(slow.name);
    await messaged('ada', `The checks of ${slow.name} did not pass within 2s`);
    const chased = open('Chased', 'dev');
    chased.report('pending');
    await queue(chased.name);
    const over = messaged('ada', `moved 4 times while ${chased.name} was tested`).then(() => 'over');
    for (let nth = 0; nth < 20; nth += 1) {
      if ((await Promise.race([over, looked(chased.index, 3)])) === 'over') break;
      move('dev', `chase-${nth}.go`);
    }
    expect(await over).toBe('over');
    expect([isMerged(slow.index), isMerged(chased.index)]).toEqual([false, false]);
  });

  it('a conflict, and no right to merge', async () => {
    const conflict = open('Conflicting', 'a');
    move('a');
    world().setConflicts({ repo, index: conflict.index, conflicts: true });
    await queue(conflict.name);
    await messaged('ada', `${conflict.name} conflicts with .a.`);
    const locked = open('Locked out', 'b');
    world().protect({ repo, branch: 'b', rules: { mergeList: ['grace'] } });
    expect(await queue(locked.name)).toContain('you’re not on the list of people who may merge');
    world().protect({ repo, branch: 'b' });
    locked.report('pending');
    await queue(locked.name);
    await looked(locked.index, 1);
    world().protect({ repo, branch: 'b', rules: { mergeList: ['grace'] } });
    locked.report('success');
    await messaged('ada', 'you’re not on the list of people who may merge');
    expect(sent(locked.index)).toEqual([]);
    world().protect({ repo, branch: 'b' });
  });

  it('too few approvals, also those that the forge withdrew after a push', async () => {
    const rules = { requiredApprovals: 1, dismissStale: true };
    world().protect({ repo, branch: 'c', rules });
    const bare = open('Unapproved', 'c');
    bare.report('success');
    expect(await queue(bare.name)).toContain(`${bare.name} needs 1 approval and has 0. Ask for a review`);
    const kept = open('Kept', 'c');
    world().review({ as: 'ada', repo, index: kept.index, verdict: 'approve' });
    kept.report('success');
    move('c');
    await queue(kept.name);
    await turnGreen(kept);
    await messaged('ada', `Merged ${kept.name}`);
    const lost = open('Lost', 'c');
    world().review({ as: 'ada', repo, index: lost.index, verdict: 'approve' });
    report(lost.push('More'), 'success');
    const says = `${lost.name} needs 1 approval and has 0. The forge withdrew that of ada`;
    expect(await queue(lost.name)).toContain(says);
    const late = open('More wanted', 'c');
    world().review({ as: 'ada', repo, index: late.index, verdict: 'approve' });
    late.report('pending');
    await queue(late.name);
    world().protect({ repo, branch: 'c', rules: { ...rules, requiredApprovals: 2 } });
    late.report('success');
    await messaged('ada', `${late.name} needs 2 approvals and has 1`);
    expect([bare, lost, late].map(({ index }) => isMerged(index))).toEqual([false, false, false]);
    world().protect({ repo, branch: 'c' });
  });

  it('no checks, unless the queue merges without', async () => {
    const none = open('Unchecked', 'd');
    await queue(none.name);
    await messaged('ada', `No checks were reported for ${none.name}`);
    const fine = open('Fine', 'unchecked');
    await queue(fine.name);
    await messaged('ada', `Merged ${fine.name}`);
    expect(sent(fine.index)).toMatchObject([{ body: { Do: 'squash' } }]);
    expect(isMerged(none.index)).toBe(false);
  });

  it('an archived repository, and a token that may not merge: the next ones go on', async () => {
    world().createRepo({ as: 'ada', owner: 'acme', name: 'attic' });
    const attic = 'acme/attic';
    const [commit] = world().push({ as: 'ada', repo: attic, branch: 'late', commits: ['Late'] });
    const { index: late } = world().openPull({ as: 'ada', repo: attic, title: 'Late', head: 'late' });
    world().commitStatus({ as: 'ada', repo: attic, sha: commit?.sha ?? '', context: 'ci', state: 'pending' });
    // its status can’t be shown any more either
    world().protect({ repo: attic, branch: 'main', rules: { statusChecks: ['bellows/queue'] } });
    await queue(`${attic}#${late}`);
    world().archive({ repo: attic });
    await messaged('ada', `${attic}#${late} is in a repository that is archived now`);
    const barred = open('Barred', 'g');
    const next = open('Next in line', 'g');
    for (const { report } of [barred, next]) report('success');
    const message = 'token does not have at least one of required scope(s): [write:repository]';
    bellows.forge.faults.add({ on: merges, times: 1, trouble: { status: 403, message } });
    await queue(barred.name);
    await messaged('ada', `${barred.name}: You don’t have permission to merge`);
    await queue(next.name);
    await messaged('ada', `Merged ${next.name}`);
    expect(isMerged(barred.index)).toBe(false);
  });

  it('a forge that fails to merge it for longer than the time limit', async () => {
    const stuck = open('Stuck', 'slow');
    stuck.report('success');
    bellows.forge.faults.add({ on: merges, times: 100, trouble: { status: 500 } });
    await queue(stuck.name);
    await messaged('ada', `${stuck.name}: Could not merge`);
    bellows.forge.faults.clear();
    expect(isMerged(stuck.index)).toBe(false);
  });

  it('being closed while its branch is updated', async () => {
    const pull = open('Closed early', 'h');
    pull.report('success');
    move('h');
    bellows.forge.faults.add({ on: updates, times: 100, trouble: { status: 500 } });
    await queue(pull.name);
    await expect.poll(() => updated(pull.index).length).toBeGreaterThan(0);
    world().close({ as: 'grace', repo, index: pull.index });
    await messaged('ada', `${pull.name} was closed`);
    expect(sent(pull.index)).toEqual([]);
    bellows.forge.faults.clear();
  });

  it('a person who is no longer linked', async () => {
    const { name, index, report } = open('Orphan', 'e');
    report('pending');
    await queue(name, '', 'grace');
    await looked(index, 1);
    await type('grace', 'signout');
    report('success');
    await messaged('grace', 'no longer linked');
    expect(sent(index)).toEqual([]);
    await bellows.link('grace');
  });

  it('a new repository of the same name', async () => {
    world().createRepo({ as: 'ada', owner: 'acme', name: 'twin' });
    const twin = 'acme/twin';
    const make = () => {
      const [commit] = world().push({ as: 'ada', repo: twin, branch: 'topic', commits: ['Work'] });
      const { index } = world().openPull({ as: 'ada', repo: twin, title: 'Topic', head: 'topic' });
      return { index, sha: commit?.sha ?? '' };
    };
    const first = make();
    world().commitStatus({ as: 'ada', repo: twin, sha: first.sha, context: 'ci', state: 'pending' });
    await queue(`${twin}#${first.index}`);
    world().deleteRepo({ as: 'ada', repo: twin });
    world().createRepo({ as: 'ada', owner: 'acme', name: 'twin' });
    const second = make();
    world().commitStatus({ as: 'ada', repo: twin, sha: second.sha, context: 'ci', state: 'success' });
    await messaged('ada', 'is in another repository that took over this name');
    expect(world().issue(twin, second.index)?.pull?.merged).toBeUndefined();
  });

  it.each([
    ['by someone else', 'grace', 'update'],
    ['by its person', 'ada', 'push'],
  ] as const)('a head that moved %s while the queue updates it', async (title, as, how) => {
    const pull = open(`Moved ${title}`, 'f');
    pull.report('success');
    move('f', `${as}.go`);
    const attempts = updated(pull.index).length;
    bellows.forge.faults.add({ on: updates, times: 100, trouble: { status: 500 } });
    await queue(pull.name);
    await expect.poll(() => updated(pull.index).length).toBeGreaterThan(attempts);
    if (how === 'push') pull.push('Sneaked in', as);
    else world().update({ as, repo, index: pull.index });
    report(headOf(pull.index), 'success');
    await messaged('ada', `${pull.name} has new commits`);
    expect(sent(pull.index)).toEqual([]);
    bellows.forge.faults.clear();
  });
});

/** The queue's own update of this one counts as new content, so its approvals go. */
function contest(title: string, base: string, rules: object) {
  world().protect({ repo, branch: base, rules: { requiredApprovals: 1, ...rules } });
  const pull = open(title, base);
  world().review({ as: 'ada', repo, index: pull.index, verdict: 'approve' });
  pull.report('success');
  move(base, `src/${pull.head}.go`);
  return pull;
}

describe.each(flavors)('an approval that the queue’s own update cost on %s', (flavor) => {
  beforeAll(() => start(flavor));
  afterAll(() => bellows.close());
  const requests = 'POST /repos/{owner}/{repo}/pulls/{index}/requested_reviewers';

  it.each([
    ['withdraws', 'a', { dismissStale: true }],
    ['ignores', 'b', { ignoreStale: true }],
  ] as const)('is asked for again where the branch %s it; its place is kept', async (title, base, rules) => {
    const first = contest(`First ${title}`, base, rules);
    const second = open(`Second ${title}`, base);
    world().review({ as: 'ada', repo, index: second.index, verdict: 'approve' });
    second.report('success');
    await queue(first.name, '', 'grace');
    // what was withdrawn is seen before its checks are over, what is ignored only by the refused merge
    if ('ignoreStale' in rules) await turnGreen(first);
    const shown = await messaged('grace', `${first.name} First ${title} needs an approval again`);
    expect(words(shown)).toContain('The forge no longer counts that of ada');
    expect(words(await type('ada', `queue list ${repo}`))).toContain('waiting for approval by ada');
    await queue(second.name, '', 'grace');
    await messaged('grace', `Merged ${second.name}`);
    expect(isMerged(first.index)).toBe(false);
    const tried = sent(first.index).length;
    await bellows.slack.as('grace').click(shown, 'Ask again');
    await expect.poll(() => of(requests, first.index)).toMatchObject([{ who: 'grace', body: { reviewers: ['ada'] } }]);
    const reads = () => of('GET /repos/{owner}/{repo}/pulls/{index}/reviews', first.index).length;
    const read = reads();
    await expect.poll(reads).toBeGreaterThan(read);
    expect(sent(first.index)).toHaveLength(tried);
    const before = headOf(first.index);
    world().review({ as: 'ada', repo, index: first.index, verdict: 'approve' });
    // on top of the second one
    await turnGreen({ index: first.index, sha: before });
    await messaged('grace', `Merged ${first.name}`);
    world().protect({ repo, branch: base });
  });
});

describe('a place that is kept', () => {
  afterAll(() => bellows.close());
  const hours = (days: readonly string[]) =>
    `workingHours: { days: [${days.join(', ')}], from: "00:00", to: "24:00" }\n`;

  it('is lost after the time for it, with a word', async () => {
    await start('gitea-1.28', hours(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']));
    const pull = contest('Forgotten', 'brief', { dismissStale: true });
    await queue(pull.name, '', 'grace');
    await messaged('grace', `${pull.name} Forgotten needs an approval again`);
    await messaged('grace', `ada did not approve ${pull.name} again within 1s of working time`);
    expect(isMerged(pull.index)).toBe(false);
    expect(words(await type('ada', `queue list ${repo}`))).not.toContain('waiting for approval');
    await bellows.close();
  });

  it('is not lost while nobody works, until new commits end it', async () => {
    const later = new Date(Date.now() + 3 * 86_400_000).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
    await start('gitea-1.28', hours([later.toLowerCase()]));
    const pull = contest('At night', 'brief', { dismissStale: true });
    const reads = () =>
      bellows.forge.requests.all.filter(({ path }) => path.endsWith(`/pulls/${pull.index}/reviews`)).length;
    await queue(pull.name, '', 'grace');
    await messaged('grace', `${pull.name} At night needs an approval again`);
    const seen = reads();
    const begun = Date.now();
    await expect.poll(reads, { timeout: 10_000 }).toBeGreaterThan(seen + 1);
    expect(Date.now() - begun).toBeGreaterThan(1_000);
    expect(words(await type('ada', `queue list ${repo}`))).toContain('waiting for approval by ada');
    report(pull.push('Unseen'), 'success');
    world().review({ as: 'ada', repo, index: pull.index, verdict: 'approve' });
    await messaged('grace', `${pull.name} has new commits`);
    expect(sent(pull.index)).toEqual([]);
  });
});

describe('the queue’s commands', () => {
  beforeAll(async () => {
    await start('gitea-1.28');
    await bellows.link('alan', 'linus');
  });
  afterAll(() => bellows.close());

  it('answers bad input with one sentence, and changes nothing', async () => {
    const { name, index, report } = open('Twice');
    report('pending');
    await queue(name);
    expect(await queue(name)).toContain(`is already in the queue for`);
    expect(await queue(name, '', 'grace')).toContain('ada added it');
    expect(await queue(`${repo}#99999`)).toContain('I can’t find pull request #99999');
    const issue = world().openIssue({ as: 'grace', repo, title: 'Not a pull request' });
    expect(await queue(`${repo}#${issue.index}`)).toContain('is an issue');
    const merged = open('Merged');
    world().merge({ as: 'grace', repo, index: merged.index });
    expect(await queue(merged.name)).toContain('is already merged');
    const closed = open('Closed');
    world().close({ as: 'grace', repo, index: closed.index });
    expect(await queue(closed.name)).toContain('is closed');
    const red = open('Red');
    red.report('failure');
    expect(await queue(red.name)).toContain('failed its checks: ci/build');
    const rejected = open('Rejected');
    world().review({ as: 'margaret', repo, index: rejected.index, verdict: 'reject', body: 'No.' });
    expect(await queue(rejected.name)).toContain('margaret requested changes');
    expect(await queue(open('Not theirs').name, '', 'alan')).toContain('that needs write access');
    expect(words(await type('ada', `queue remove ${red.name}`))).toContain('isn’t in a queue');
    for (const each of [index, merged.index, closed.index, red.index]) expect(sent(each)).toEqual([]);
    await type('ada', `queue remove ${name}`);
  });

  it('is left by its person or someone who may merge; nobody else', async () => {
    const { name, index, report } = open('Removed');
    report('pending');
    const answer = await type('ada', `pr merge ${name} --when-checks-succeed`);
    expect(words(answer)).toContain('to the queue for');
    expect(words(await type('alan', `queue remove ${name}`))).toContain('Only ada or someone who may merge');
    expect(words(await click('ada', answer, 'Remove from queue'))).toContain(`Removed ${name} from the queue`);
    report('success');
    await queue(name, '', 'grace');
    await messaged('grace', `Merged ${name}`);
    expect(sent(index)).toMatchObject([{ who: 'grace' }]);
    const other = open('Removed by another');
    other.report('pending');
    await queue(other.name);
    expect(words(await type('grace', `queue remove ${other.name}`))).toContain('had added it');
  });

  it('is joined by pr merge as well, on the same terms', async () => {
    const rejected = open('Rejected too');
    world().review({ as: 'margaret', repo, index: rejected.index, verdict: 'reject', body: 'No.' });
    for (const flags of ['--queue', '--when-checks-succeed --yes'])
      expect(words(await type('ada', `pr merge ${rejected.name} ${flags}`))).toContain(
        `margaret requested changes on ${rejected.name}. Address them, then queue it.`,
      );
    world().protect({ repo, branch: 'h', rules: { statusChecks: ['ci/*', 'bellows/queue'] } });
    const red = open('Red until updated', 'h');
    red.report('failure');
    expect(words(await type('ada', `merge ${red.name} --queue`))).toContain('failed its checks: ci/build');
    move('h');
    expect(words(await type('ada', `merge ${red.name} --queue --style squash`))).toContain('Added');
    const shown = world()
      .repo(repo)
      .statuses.filter(({ sha, context }) => sha === red.sha && context === 'bellows/queue');
    expect(shown).not.toEqual([]);
    await turnGreen(red);
    await messaged('ada', `Merged ${red.name}`);
    expect(sent(red.index)).toMatchObject([{ who: 'ada', body: { Do: 'squash' } }]);
    expect(sent(rejected.index)).toEqual([]);
    world().protect({ repo, branch: 'h' });
  });

  it('lists who is next and what it waits for, to those who see the repository', async () => {
    const [one, two] = [open('Listed one', 'a'), open('Listed two', 'a')];
    one.report('pending', 'ci/slow');
    for (const { name } of [one, two]) await queue(name);
    await looked(one.index, 1);
    const shown = words(await type('grace', `queue list ${repo}`));
    expect(shown).toMatch(/1\. .*Listed one.*waiting for ci\/slow.*2\. .*Listed two/s);
    world().createRepo({ as: 'ada', owner: 'ada', name: 'secret', private: true });
    world().push({ as: 'ada', repo: 'ada/secret', branch: 'topic', commits: ['Hidden'] });
    const hidden = world().openPull({ as: 'ada', repo: 'ada/secret', title: 'Hidden work', head: 'topic' });
    await queue(`ada/secret#${hidden.index}`);
    expect(words(await type('ada', 'queue list'))).toContain('Hidden work');
    const theirs = words(await type('alan', 'queue list'));
    expect(theirs).toContain('Listed one');
    expect(theirs).not.toContain('Hidden work');
    for (const { name } of [one, two]) await type('ada', `queue remove ${name}`);
  });

  it('pauses and resumes for maintainers', async () => {
    const { name, index, report } = open('Paused', 'b');
    expect(words(await type('alan', `queue pause ${repo} b --reason "No"`))).toContain('Only maintainers');
    await type('ada', `queue pause ${repo} b --for 2h --reason "Broken runner"`);
    report('success');
    expect(await queue(name)).toContain('The queue is paused for another 2 h: Broken runner');
    expect(words(await type('ada', `queue list ${repo}`))).toContain('Broken runner');
    expect(sent(index)).toEqual([]);
    expect(words(await type('ada', `queue resume ${repo} b`))).toContain('Resumed');
    await messaged('ada', `Merged ${name}`);
    expect(words(await type('ada', `queue resume ${repo} b`))).toContain('isn’t paused');
  });

  it('says which ways are open, what is missing and what to add', async () => {
    world().createRepo({ as: 'ada', owner: 'acme', name: 'lab' });
    const lab = 'acme/lab';
    world().push({ as: 'ada', repo: lab, branch: 'g', commits: ['Start'] });
    const setup = async (branch: string, as = 'ada') => words(await type(as, `queue setup ${lab} ${branch}`));
    const plant = (on: string) =>
      world().plantFile({ repo: lab, path: '.gitea/workflows/queue.yml', text: `name: Q\non:\n${on}\njobs: {}\n` });
    plant('  push:\n    branches: [main, "release/*"]');
    world().protect({ repo: lab, branch: 'g', rules: { blockOnOutdated: true } });
    const strict = await setup('g');
    expect(strict).toContain('No workflow runs on pushes to `bellows-queue/g/**`');
    expect(strict).toContain('`g` only accepts branches that are up to date');
    expect(strict).toMatch(/branches: \[.*main.*release.*bellows-queue\/\*\*/);
    expect(strict).toContain('way: branch, group: 4');
    expect(strict).toContain('requires no checks');
    expect(await setup('g', 'grace')).toContain('Only admins can see whether');
    world().protect({ repo: lab, branch: 'g', rules: { statusChecks: ['ci/*', 'bellows/queue'] } });
    for (const [on, says] of [
      ['  push:', 'works here'],
      ['  push:\n    branches: [main, "bellows-queue/**"]', 'works here'],
      ['  push:\n    branches: ["**", "!bellows-queue/**"]', 'No workflow runs'],
      ['  push:\n    branches-ignore: ["bellows-queue/**"]', 'No workflow runs'],
      ['  push:\n    tags: ["v*"]', 'No workflow runs'],
      ['  push:\n    paths: ["src/**"]', 'only for some files'],
      ['  pull_request:', 'No workflow runs'],
    ] as const) {
      plant(on);
      expect(await setup('g'), on).toContain(says);
    }
    expect(await setup('g')).toContain('requires checks: ci/*');
    expect(await setup('g')).toContain('Only the queue merges into');
    expect(await setup('nosuch')).toContain('nosuch');
    world().protect({ repo: lab, branch: 'g' });
  });

  it('puts one first for maintainers, with a reason', async () => {
    const [one, two, three] = [open('Front', 'c'), open('Middle', 'c'), open('Urgent', 'c')];
    for (const each of [one, two, three]) each.report('pending');
    await queue(one.name);
    await looked(one.index, 1);
    await queue(two.name);
    await bellows.link('alan', 'margaret');
    expect(await queue(three.name, '--first')).toContain('Say why');
    await queue(three.name, '--first --reason "Fixes login"');
    expect(words(await type('ada', `queue list ${repo}`))).toMatch(
      /1\. .*Front.*2\. .*Urgent.*Fixes login.*3\. .*Middle/s,
    );
    for (const { name } of [one, two, three]) await type('ada', `queue remove ${name}`);
  });

  it('merges nothing while its branch is frozen', async () => {
    const { name, index, report } = open('Frozen', 'frozen');
    report('success');
    expect(await queue(name)).toContain('frozen is frozen until 24:00 UTC (Launch)');
    const plain = open('Elsewhere', 'd');
    plain.report('success');
    await queue(plain.name);
    await messaged('ada', `Merged ${plain.name}`);
    expect(sent(index)).toEqual([]);
  });

  it('offers the queue where a merge is refused because of checks or a branch that is behind', async () => {
    world().protect({ repo, branch: 'e', rules: { statusChecks: ['ci/*'] } });
    const { name, report } = open('Refused', 'e');
    const refused = await type('ada', `pr merge ${name}`);
    expect(words(refused)).toContain('not all required checks have passed');
    expect(words(await click('ada', refused, 'Add to queue'))).toContain('Added');
    report('success');
    await messaged('ada', `Merged ${name}`);
    world().protect({ repo, branch: 'e', rules: { blockOnOutdated: true } });
    const behind = open('Left behind', 'e');
    behind.report('success');
    move('e');
    const late = await type('ada', `pr merge ${behind.name} --style squash`);
    expect(words(late)).toContain('its branch is behind `e`');
    expect(words(await click('ada', late, 'Add to queue'))).toContain('Added');
    await turnGreen(behind);
    await messaged('ada', `Merged ${behind.name}`);
    expect(sent(behind.index).at(-1)).toMatchObject({ body: { Do: 'squash' } });
    world().protect({ repo, branch: 'e' });
  });

  it('reruns failed jobs as often as its settings say, then shows job, step and log', async () => {
    const { name, index, sha } = open('Flaky', 'flaky');
    const run = world().startRun({ as: 'grace', repo, title: 'CI', sha, event: 'pull_request' });
    await queue(name);
    await looked(index, 1);
    world().finishRun({ run: run.id, conclusion: 'failure' });
    const reruns = 'POST /repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs';
    await expect.poll(() => bellows.forge.requests.of(reruns).length).toBe(1);
    world().finishRun({ run: run.id, conclusion: 'failure' });
    const shown = await messaged('ada', `${name} Flaky was taken out of the queue`);
    expect(words(shown)).toMatch(/Job .* failed/);
    expect(words(shown)).toContain('Rerun failed jobs');
    expect(bellows.forge.requests.of(reruns)).toHaveLength(1);
    expect(sent(index)).toEqual([]);
  });

  it('keeps one card in its channel', async () => {
    const { name, report, index } = open('On a card', 'shown');
    report('pending');
    await queue(name);
    const card = await bellows.slack.until(() =>
      bellows.slack
        .as('ada')
        .sees('engine')
        .find((shown) => shown.onlyFor === undefined && words(shown).includes('On a card')),
    );
    report('success');
    await messaged('ada', `Merged ${name}`);
    await cardSays(card, `#${index} merged`);
  });
});

describe('what was tested is what lands', () => {
  beforeAll(() => start('gitea-1.28'));
  afterAll(() => bellows.close());

  it('stops loudly if the base moved in the very moment of the merge', async () => {
    const { name, index, report } = open('Raced', 'a');
    report('success');
    const before = branchAt('a');
    // after the last look at the base, before the merge
    bellows.forge.faults.add({ on: merges, times: 1, trouble: { delay: 1_500 } });
    const arrives = bellows.forge.requests.next(new RegExp(`POST .*/pulls/${index}/merge`));
    await queue(name);
    await arrives;
    move('a');
    await messaged('ada', `${name} was merged, but .a. now differs from what was tested`);
    expect(branchAt('a')).not.toBe(before);
    expect(words(await type('ada', `queue list ${repo}`))).toContain('The queue is paused');
  });

  it('waits for a required check that nobody has reported yet', async () => {
    world().protect({ repo, branch: 'd', rules: { statusChecks: ['ci/*', 'lint'] } });
    const pull = open('Lint is late', 'd');
    pull.report('success');
    await queue(pull.name);
    await expect.poll(async () => words(await type('ada', `queue list ${repo}`))).toContain('waiting for lint');
    expect(sent(pull.index)).toEqual([]);
    pull.report('success', 'lint');
    await messaged('ada', `Merged ${pull.name}`);
    world().protect({ repo, branch: 'd' });
  });

  it('tests again what turned red on a base that has moved', async () => {
    const pull = open('Red before', 'c');
    pull.report('pending');
    await queue(pull.name);
    await looked(pull.index, 1);
    move('c');
    pull.report('failure');
    await turnGreen(pull);
    await messaged('ada', `Merged ${pull.name}`);
  });

  it('finds its own merge and its own update when the answers were lost', async () => {
    const pull = open('Lost answers', 'b');
    pull.report('success');
    move('b');
    bellows.forge.faults.add({ on: updates, times: 1, trouble: { drop: 'after' } });
    bellows.forge.faults.add({ on: merges, times: 1, trouble: { drop: 'after' } });
    await queue(pull.name);
    await turnGreen(pull);
    await messaged('ada', `Merged ${pull.name}`);
    expect(updated(pull.index)).toHaveLength(1);
    expect(sent(pull.index)).toHaveLength(1);
  });
});

describe.each(['gitea-1.26', 'forgejo-15'] as const)('a branch that only the queue may merge into on %s', (flavor) => {
  beforeAll(() => start(flavor));
  afterAll(() => bellows.close());
  const context = 'bellows/queue';
  const statuses = (sha: string) =>
    world()
      .repo(repo)
      .statuses.filter((each) => each.sha === sha && each.context === context)
      .map(({ state }) => state);
  const contexts = (branch: string) => world().repo(repo).protections.get(branch)?.statusChecks;
  /** A risky command needs a second person. */
  const change = async (line: string) => {
    const card = await ask(`queue require ${repo} ${line}`);
    await bellows.slack.as('grace').click(card, 'Approve');
    return cardSays(card, 'now requires|no longer requires');
  };

  it('is set up by an admin of the repository, and taken back exactly', async () => {
    world().protect({ repo, branch: 'a', rules: { statusChecks: ['ci/*'], requiredApprovals: 0 } });
    world().protect({ repo, branch: 'c', rules: { requiredApprovals: 0 } });
    world().protect({ repo, branch: 'd', rules: { statusChecks: [] } });
    world().protect({ repo, branch: 'e', rules: { statusChecks: ['ci/*', context, 'lint'] } });
    const refused = async (line: string, as: string) => words(await type(as, `queue require ${repo} ${line}`));
    expect(await refused('b', 'ada')).toContain('isn’t protected');
    expect(await refused('d', 'ada')).toContain('requires every check');
    expect(await refused('a', 'grace')).toContain('Only admins of acme/engine');
    expect(contexts('a')).toEqual(['ci/*']);
    await change('a');
    expect(contexts('a')).toEqual(['ci/*', context]);
    await change('c');
    expect(contexts('c')).toEqual([context]);
    await change('c --off');
    expect(contexts('c')).toBeUndefined();
    await change('e --off');
    expect(contexts('e')).toEqual(['ci/*', 'lint']);
    expect(contexts('d')).toEqual([]);
    expect(world().repo(repo).protections.get('a')?.requiredApprovals).toBe(0);
  });

  it('shows its heads as pending, releases one right before its merge, and leaves no other green', async () => {
    const good = open('Released', 'a');
    good.report('pending');
    await queue(good.name);
    expect(statuses(good.sha)[0]).toBe('pending');
    expect(words(await type('ada', `pr merge ${good.name} --yes`))).toContain('not all required checks have passed');
    good.report('success');
    await messaged('ada', `Merged ${good.name}`);
    expect(statuses(good.sha).at(-1)).toBe('success');
    expect(statuses(good.sha).filter((each) => each === 'success')).toHaveLength(1);
    const steady = openSteady('Green for long', 'a');
    await queue(steady.name);
    await messaged('ada', `Merged ${steady.name}`);
    expect(sent(steady.index)).toHaveLength(1);
    const red = open('Turns red', 'a');
    red.report('pending');
    await queue(red.name);
    red.report('failure');
    await messaged('ada', `${red.name} Turns red was taken out`);
    await expect.poll(() => statuses(red.sha).at(-1)).toBe('failure');
    const removed = open('Removed', 'a');
    removed.report('pending');
    await queue(removed.name);
    await type('ada', `queue remove ${removed.name}`);
    expect(statuses(removed.sha).at(-1)).toBe('failure');
    const refused = open('Refused late', 'a');
    refused.report('success');
    bellows.forge.faults.add({
      on: merges,
      times: 1,
      trouble: { status: 405, message: 'There are requested changes' },
    });
    await queue(refused.name);
    await messaged('ada', `${refused.name} can’t be merged`);
    expect(statuses(refused.sha)).toContain('success');
    expect(statuses(refused.sha).at(-1)).toBe('failure');
    expect([red, removed, refused].some(({ index }) => isMerged(index))).toBe(false);
    const held = open('Held back', 'a');
    held.report('success');
    const message = 'Not all required status checks successful';
    bellows.forge.faults.add({ on: merges, times: 1, trouble: { status: 405, message } });
    await queue(held.name);
    await messaged('ada', `Merged ${held.name}`);
    expect(statuses(held.sha).join(' ')).toMatch(/success pending( pending)* success$/);
  });

  it('withdraws its green when the queue is paused in the middle of a merge', async () => {
    world().protect({ repo, branch: 'g', rules: { statusChecks: ['ci/*', context] } });
    const { name, index, report, sha } = open('Paused late', 'g');
    report('success');
    const isGreen = () => statuses(sha).at(-1) === 'success';
    const answer = new EventEmitter();
    const hold = async () => (isGreen() ? once(answer, 'go') : undefined);
    bellows.forge.faults.add({ on: /POST .*\/statuses\//, times: 100, trouble: { hold } });
    await queue(name);
    await expect.poll(isGreen).toBe(true);
    await type('ada', `queue pause ${repo} g --reason "Stop"`);
    answer.emit('go');
    await expect.poll(() => statuses(sha).at(-1)).toBe('pending');
    bellows.forge.faults.clear();
    expect(sent(index)).toEqual([]);
    expect(words(await type('ada', `pr merge ${name} --yes`))).toContain('not all required checks have passed');
    expect(isMerged(index)).toBe(false);
    await type('ada', `queue resume ${repo} g`);
    await messaged('ada', `Merged ${name}`);
    world().protect({ repo, branch: 'g' });
  });

  /** On the pull request's page, by “merge when checks succeed”. */
  const onForge = (as: string, index: number, method: 'POST' | 'DELETE') =>
    fetch(`${bellows.forge.url}/api/v1/repos/${repo}/pulls/${index}/merge`, {
      method,
      headers: { authorization: `token ${bellows.forge.account(as).token()}`, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify({ Do: 'merge', merge_when_checks_succeed: true }) }),
    });

  it('queues what people ask the forge to merge, as themselves, until they take it back', async () => {
    world().protect({ repo, branch: 'h', rules: { statusChecks: ['ci/*'] } });
    const early = open('Asked before', 'h');
    await onForge('grace', early.index, 'POST');
    const pushed = open('Pushed since', 'h');
    await onForge('grace', pushed.index, 'POST');
    report(pushed.push('Unseen'), 'pending');
    await change('h');
    const listed = async () => words(await type('ada', `queue list ${repo}`));
    await messaged('grace', `Added ${early.name}`);
    await expect.poll(listed).toMatch(/grace chose “merge when checks succeed” for [^ ]* Pushed since/);
    early.report('success');
    // by the queue or by the forge's own schedule, which its status released
    await messaged('grace', `Merged ${early.name}`);
    const late = open('Asked later', 'h');
    late.report('pending');
    await onForge('grace', late.index, 'POST');
    await messaged('grace', `Added ${late.name}`);
    await onForge('grace', late.index, 'DELETE');
    await messaged('grace', `grace canceled .merge when checks succeed. of ${late.name}`);
    expect(isMerged(late.index)).toBe(false);
    const stranger = open('Asked by a stranger', 'h');
    world().setCollaborator({ repo, login: 'margaret', level: 'write' });
    stranger.report('pending');
    expect((await onForge('margaret', stranger.index, 'POST')).status).toBe(201);
    await expect.poll(listed).toContain('margaret chose “merge when checks succeed”');
    stranger.report('success');
    await queue(stranger.name);
    // the schedule merges as margaret once the queue's status is green: what was tested is what landed
    await messaged('ada', `Merged ${stranger.name}`);
    expect(await listed()).not.toContain('margaret chose');
  });

  it('tells its channel what was merged past it, also while nothing is queued', async () => {
    world().protect({ repo, branch: 'shown', rules: { statusChecks: ['ci/*'] } });
    await change('shown');
    const own = open('By the queue', 'shown');
    own.report('success');
    await queue(own.name);
    await messaged('ada', `Merged ${own.name}`);
    const told = () =>
      bellows.slack
        .as('ada')
        .sees('engine')
        .filter((shown) => words(shown).includes('changed without the queue'));
    const looked = bellows.forge.requests.of('GET /repos/{owner}/{repo}/pulls').length;
    await expect
      .poll(() => bellows.forge.requests.of('GET /repos/{owner}/{repo}/pulls').length)
      .toBeGreaterThan(looked + 1);
    expect(told()).toEqual([]);
    const [past] = move('shown');
    await expect.poll(() => told().map(words).join()).toContain(past?.sha.slice(0, 10));
    world().protect({ repo, branch: 'shown' });
  });

  it('does not act for someone whose login on the forge is another account’s now', async () => {
    world().protect({ repo, branch: 'a', rules: { statusChecks: ['ci/*'] } });
    await change('a');
    world().renameUser({ login: 'grace', to: 'gracie' });
    world().createUser({ login: 'grace' });
    world().setCollaborator({ repo, login: 'grace', level: 'write' });
    const pull = world().openPull({ as: 'ada', repo, title: 'By a newcomer', head: 'f', base: 'a' });
    expect((await onForge('grace', pull.index, 'POST')).status).toBe(201);
    await expect.poll(async () => words(await type('ada', `queue list ${repo}`))).toContain('grace chose');
    expect(world().repo(repo).issues.get(pull.index)?.pull?.merged).toBeUndefined();
    world().protect({ repo, branch: 'a' });
  });

  it('does not count its own status as a check', async () => {
    world().protect({ repo, branch: 'e', rules: { statusChecks: [context] } });
    const { name, index } = open('Only ours', 'e');
    await queue(name);
    await messaged('ada', `No checks were reported for ${name}`);
    expect(isMerged(index)).toBe(false);
  });

  it('says in its channel that someone merged past it', async () => {
    world().protect({ repo, branch: 'shown', rules: { statusChecks: ['ci/*', context] } });
    const { name, index, report } = open('Passed by', 'shown');
    report('pending');
    await queue(name);
    await looked(index, 1);
    move('shown');
    await bellows.slack.until(() =>
      bellows.slack
        .as('ada')
        .sees('engine')
        .find((shown) => words(shown).includes('changed without the queue')),
    );
    expect(isMerged(index)).toBe(false);
  });
});
