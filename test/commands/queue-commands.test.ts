import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { createLatch } from '../support/latch.js';
import { testKeys } from '../support/redis.js';
import {
  ask,
  bellows,
  branchAt,
  cardSays,
  click,
  looked,
  merges,
  messaged,
  move,
  open,
  queue,
  repo,
  sent,
  start,
  turnGreen,
  type,
  updated,
  updates,
  world,
} from './queue-scene.js';
import { words } from './talk.js';

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

  it('is not left by a namesake in another workspace', async () => {
    const { name } = open('Of a namesake', 'g');
    await type('ada', `queue pause ${repo} g --reason "Wait"`);
    await queue(name);
    const redis = connect(bellows.redisUrl);
    const { queues } = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
    const theirs = { team: 'T0ELSEWHER', user: 'U0ALAN0001' };
    await queues.change(
      { repository: world().repo(repo).id, base: 'g' },
      (before) =>
        before && { ...before, entries: before.entries.map((each) => ({ ...each, by: { ...each.by, ...theirs } })) },
    );
    await close(redis);
    expect(words(await type('alan', `queue remove ${name}`))).toContain('Only ada or someone who may merge');
    expect(words(await type('ada', `queue remove ${name}`))).toContain('had added it');
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

  it('is about the very repository, not one of the same number or name', async () => {
    const make = (name: string, title: string) => {
      world().createRepo({ as: 'ada', owner: 'acme', name });
      world().push({ as: 'ada', repo: `acme/${name}`, branch: 'topic', commits: [title] });
      return `acme/${name}#${world().openPull({ as: 'ada', repo: `acme/${name}`, title, head: 'topic' }).index}`;
    };
    const [named, other] = [make('old', 'Of the old one'), make('other', 'Of another')];
    await type('ada', 'queue pause acme/old --reason "Wait"');
    await queue(named);
    expect(words(await type('ada', `queue remove ${other}`))).toContain('isn’t in a queue');
    expect(words(await type('ada', 'queue list'))).toContain('Of the old one');
    world().deleteRepo({ as: 'ada', repo: 'acme/old' });
    make('old', 'Of the new one');
    expect(words(await type('ada', 'queue list'))).not.toContain('Of the old one');
  });

  it('pauses and resumes for maintainers', async () => {
    const { name, index, report } = open('Paused', 'b');
    expect(words(await type('alan', `queue pause ${repo} b --reason "No"`))).toContain('Only maintainers');
    world().protect({ repo, branch: 'b', rules: { mergeList: ['grace'] } });
    const kept = words(await type('ada', `queue pause ${repo} b --reason "Mine"`));
    expect(kept).toContain('so you can’t pause or resume its queue');
    world().protect({ repo, branch: 'b' });
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

  it('does not remove what is being merged', async () => {
    const { name, index, report } = open('Too late', 'c');
    report('success');
    const refused = createLatch();
    bellows.forge.faults.add({ on: merges, trouble: { first: () => refused.opened } });
    const arrives = bellows.forge.requests.next(new RegExp(`POST .*/pulls/${index}/merge`));
    await queue(name);
    await arrives;
    expect(words(await type('ada', `queue remove ${name}`))).toContain('is being merged right now');
    refused.open();
    await messaged('ada', `Merged ${name}`);
  });

  it('puts one first for maintainers, with a reason', async () => {
    const [one, two, three] = [open('Front', 'c'), open('Middle', 'c'), open('Urgent', 'c')];
    for (const each of [one, two, three]) each.report('pending');
    await queue(one.name);
    await looked(one.index, 1);
    await queue(two.name);
    await bellows.link('alan', 'margaret');
    expect(await queue(three.name, '--first')).toContain('Say why');
    const refused = 'Only maintainers can put a pull request first';
    expect(await queue(three.name, '--first --reason "Mine"', 'alan')).toContain(refused);
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

  it.each(['--queue', '--when-checks-succeed'])('need the approval of queue for pr merge %s too', async (flag) => {
    const pull = open(`Approved with ${flag}`, 'gated');
    pull.report('success');
    const card = await ask(`pr merge ${pull.name} ${flag}`);
    expect(sent(pull.index)).toEqual([]);
    await bellows.slack.as('grace').click(card, 'Approve');
    await messaged('ada', `Merged ${pull.name}`);
    const other = open(`At once, not ${flag}`, 'gated');
    other.report('success');
    expect(words(await type('ada', `pr merge ${other.name}`))).toContain('Merged');
  });

  it('follow the settings of a repository’s present name, whichever name was typed', async () => {
    world().createRepo({ as: 'ada', owner: 'acme', name: 'former' });
    const former = 'acme/former';
    world().push({ as: 'ada', repo: former, branch: 'main', commits: ['Start'] });
    const offer = (head: string) => {
      const commits = [{ message: head, files: [`${head}.go`] }];
      const [made] = world().push({ as: 'ada', repo: former, branch: head, from: 'main', commits });
      const { index } = world().openPull({ as: 'ada', repo: former, title: head, head, base: 'main' });
      world().commitStatus({ as: 'ada', repo: former, sha: made?.sha ?? '', context: 'ci', state: 'success' });
      return `${former}#${index}`;
    };
    const [one, other] = [offer('one'), offer('other')];
    world().renameRepo({ as: 'ada', repo: former, name: 'renamed' });
    const merged = bellows.forge.requests.of(merges).length;
    await type('ada', `queue pause ${former} main --reason "Wait"`);
    expect(words(await type('ada', `queue resume ${former} main`))).toContain('frozen until 24:00 UTC (Move)');
    expect(await queue(one)).toContain('frozen until 24:00 UTC (Move)');
    expect(words(await type('ada', `pr merge ${other} --queue`))).toContain('frozen until 24:00 UTC (Move)');
    expect(words(await type('ada', 'queue list acme/renamed'))).toContain('acme/renamed');
    expect(words(await type('ada', `queue setup ${former} main`))).toContain('way: branch');
    expect(bellows.forge.requests.of(merges)).toHaveLength(merged);
  });
});

describe('what was tested is what lands', () => {
  beforeAll(() => start('gitea-1.28'));
  afterAll(() => bellows.close());

  it('looks again if one more check passed right before', async () => {
    const { name, index, report, sha } = open('One more passed', 'e');
    report('success');
    const on = new RegExp(`GET .*/commits/${sha}/status`);
    // between the look when it is queued and the one right before its merge, and after that
    bellows.forge.faults.add({ on, trouble: { hold: async () => report('success', 'ci/second') } });
    bellows.forge.faults.add({ on, after: 2, trouble: { hold: async () => report('pending', 'ci/third') } });
    await queue(name);
    await looked(index, 2);
    expect(sent(index)).toEqual([]);
    report('success', 'ci/third');
    await messaged('ada', `Merged ${name}`);
  });

  it('stops loudly if the base moved in the very moment of the merge', async () => {
    const { name, report } = open('Raced', 'a');
    report('success');
    const before = branchAt('a');
    // after the last look at the base, before the merge
    bellows.forge.faults.add({ on: merges, trouble: { first: async () => move('a') } });
    await queue(name);
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

  it('tries again where a proxy gave up on the merge', async () => {
    const { name, index, report } = open('Given up', 'f');
    report('success');
    bellows.forge.faults.add({ on: merges, trouble: { status: 504 } });
    await queue(name);
    await messaged('ada', `Merged ${name}`);
    expect(sent(index)).toHaveLength(2);
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
