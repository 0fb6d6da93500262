import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servers } from '../support/servers.js';
import {
  ask,
  bellows,
  cardSays,
  headOf,
  isMerged,
  looked,
  messaged,
  move,
  open,
  openSteady,
  pullOf,
  queue,
  repo,
  report,
  sent,
  start,
  tally,
  turnGreen,
  updated,
  world,
} from './queue-scene.js';

describe.each(servers)('the merge queue on %s', (flavor) => {
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
      on: new RegExp(`GET .*/commits/${overtaken.sha}/status`),
      trouble: { hold: async () => move('e') },
    });
    await queue(overtaken.name);
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
      trouble: { first: async () => report('pending', 'ci/late') },
    });
    await queue(name);
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
