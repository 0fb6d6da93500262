import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ask,
  bellows,
  cardSays,
  headOf,
  isMerged,
  looked,
  merges,
  messaged,
  move,
  open,
  openSteady,
  queue,
  repo,
  report,
  sent,
  start,
  turnGreen,
  type,
  updated,
  updates,
  world,
} from './queue-scene.js';
import { words } from './talk.js';

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

  it('being closed, merged by someone else or rejected', async () => {
    const [closed, merged, rejected] = [open('Closed', 'a'), open('Merged', 'b'), open('Rejected', 'd')];
    const all = [closed, merged, rejected];
    for (const { report } of all) report('pending');
    for (const { name } of all) await queue(name);
    await Promise.all(all.map(({ index }) => looked(index, 1)));
    world().close({ as: 'grace', repo, index: closed.index });
    world().merge({ as: 'grace', repo, index: merged.index });
    world().review({ as: 'margaret', repo, index: rejected.index, verdict: 'reject', body: 'No.' });
    await messaged('ada', `${closed.name} was closed`);
    await messaged('ada', `${merged.name} was merged by grace`);
    await messaged('ada', `${rejected.name} has a new review: margaret requested changes`);
    expect(all.flatMap(({ index }) => sent(index))).toEqual([]);
  });

  it('being closed right before a merge at once', async () => {
    const { name, index, sha } = openSteady('Closed at once', 'a');
    // the last that is read when it is queued
    bellows.forge.faults.add({
      on: new RegExp(`GET .*/commits/${sha}/status`),
      trouble: { hold: async () => world().close({ as: 'grace', repo, index }) },
    });
    await queue(name);
    await messaged('ada', `${name} was closed`);
    expect(sent(index)).toEqual([]);
  });

  it('becoming a draft, or targeting another branch', async () => {
    const draft = open('Unfinished');
    draft.report('pending');
    await queue(draft.name);
    await type('grace', `pr edit ${draft.name} --title "WIP: Unfinished"`);
    const moved = open('Retargeted', 'dev');
    moved.report('pending');
    await queue(moved.name);
    await type('ada', `pr retarget ${moved.name} release`);
    moved.report('success');
    await messaged('ada', `${draft.name} was turned into a draft`);
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

  it('checks that take too long, and a forge that fails to merge for longer than the time limit', async () => {
    const [slow, stuck] = [open('Slow', 'slow'), open('Stuck', 'slower')];
    slow.report('pending');
    stuck.report('success');
    const on = new RegExp(`POST .*/pulls/${stuck.index}/merge`);
    const heal = bellows.forge.faults.add({ on, times: 100, trouble: { status: 500 } });
    for (const { name } of [slow, stuck]) await queue(name);
    await messaged('ada', `The checks of ${slow.name} did not pass within 2s`);
    await messaged('ada', `${stuck.name}: Could not merge`);
    heal();
    expect([isMerged(slow.index), isMerged(stuck.index)]).toEqual([false, false]);
  });

  it('a base that never rests', async () => {
    const chased = open('Chased', 'dev');
    chased.report('pending');
    await queue(chased.name);
    let isOver = false;
    const over = messaged('ada', `moved 4 times while ${chased.name} was tested`).then(() => {
      isOver = true;
    });
    for (let nth = 0; nth < 20 && !isOver; nth += 1) {
      const head = headOf(chased.index);
      // a head without any check leaves the queue for that
      report(head, 'pending');
      move('dev', `chase-${nth}.go`);
      await expect.poll(() => isOver || headOf(chased.index) !== head).toBe(true);
    }
    await over;
    expect(isMerged(chased.index)).toBe(false);
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
    // by someone whose approval does not count
    world().review({ as: 'linus', repo, index: bare.index, verdict: 'approve' });
    const refused = await type('ada', `queue ${bare.name}`);
    expect(words(refused)).toContain(`${bare.name} needs 1 approval and has 0. Ask for a review`);
    expect(JSON.stringify(refused.blocks)).toContain('Request review');
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
    world().protect({ repo, branch: 'c', rules: { requiredApprovals: 1, ignoreStale: true } });
    const ignored = open('Ignored', 'c');
    world().review({ as: 'ada', repo, index: ignored.index, verdict: 'approve' });
    report(ignored.push('More'), 'success');
    await queue(ignored.name);
    await messaged('ada', `${ignored.name} needs 1 approval and has 0. The forge withdrew that of ada`);
    expect([bare, lost, late, ignored].map(({ index }) => isMerged(index))).toEqual([false, false, false, false]);
    world().protect({ repo, branch: 'c' });
  });

  it('no checks, unless the queue merges without', async () => {
    const none = open('Unchecked', 'd');
    await queue(none.name);
    const fine = open('Fine', 'unchecked');
    await queue(fine.name);
    await messaged('ada', `No checks were reported for ${none.name}`);
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

  it('a person who has linked another forge account since', async () => {
    const { name, index, report } = open('Another account', 'e');
    report('pending');
    await queue(name, '', 'grace');
    await looked(index, 1);
    await bellows.link('grace', 'linus');
    report('success');
    await messaged('grace', 'The person who queued it has linked another forge account since');
    expect(sent(index)).toEqual([]);
    await bellows.link('grace');
  });

  it('being merged by someone else right before its merge', async () => {
    const { name, index, report, sha } = open('Merged elsewhere', 'e');
    report('success');
    // read when it is queued, and again right before its merge
    bellows.forge.faults.add({
      on: new RegExp(`GET .*/commits/${sha}/status`),
      after: 1,
      trouble: { hold: async () => world().merge({ as: 'grace', repo, index }) },
    });
    await queue(name);
    await messaged('ada', `${name} was merged by grace`);
    expect(sent(index)).toEqual([]);
  });

  it('a repository that was deleted', async () => {
    world().createRepo({ as: 'ada', owner: 'acme', name: 'gone' });
    const gone = 'acme/gone';
    const [commit] = world().push({ as: 'ada', repo: gone, branch: 'topic', commits: ['Work'] });
    const { index } = world().openPull({ as: 'ada', repo: gone, title: 'Topic', head: 'topic' });
    world().commitStatus({ as: 'ada', repo: gone, sha: commit?.sha ?? '', context: 'ci', state: 'pending' });
    await queue(`${gone}#${index}`);
    world().deleteRepo({ as: 'ada', repo: gone });
    await messaged('ada', `${gone}#${index} can no longer be read`);
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

  it('an update without an answer, if it was approved: its approver is told too', async () => {
    const pull = open('Approved as it was', 'release');
    pull.report('success');
    move('release');
    const card = await ask(`queue ${pull.name}`);
    bellows.forge.faults.add({ on: updates, trouble: { drop: 'after' } });
    await bellows.slack.as('grace').click(card, 'Approve');
    await turnGreen(pull);
    await messaged('ada', `${pull.name} has new commits`);
    await messaged('grace', `You approved merging ${pull.name} for .*${pull.name} has new commits`);
    expect(sent(pull.index)).toEqual([]);
  });

  it.each([
    ['moved by someone else while the queue updates it', 'grace', 'update', 'merge'],
    ['moved by its person while the queue updates it', 'ada', 'push', 'merge'],
    ['moved by its person while the queue rebases it', 'ada', 'push', 'rebase'],
  ] as const)('a head that was %s', async (title, as, how, updateStyle) => {
    world().setMerging({ repo, updateStyle });
    const pull = open(title, 'f');
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
    world().setMerging({ repo, updateStyle: 'merge' });
  });
});
