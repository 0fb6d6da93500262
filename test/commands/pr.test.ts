import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { type Shown, talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click, form, result } = talkTo(() => bellows);
const edits = 'PATCH /repos/{owner}/{repo}/pulls/{index}';
const asks = 'POST /repos/{owner}/{repo}/pulls/{index}/requested_reviewers';
const reviews = 'POST /repos/{owner}/{repo}/pulls/{index}/reviews';
const merges = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';
const last = (route: string) => bellows.forge.requests.of(route).at(-1);
const repo = 'acme/engine';
let branches = 0;

function open(title: string, as = 'grace') {
  branches += 1;
  const branch = `branch-${branches}`;
  const { world } = bellows.forge;
  world.push({ as, repo, branch, commits: [{ message: title, files: [`src/${branch}.go`] }] });
  const { index, pull } = world.openPull({ as, repo, title, head: branch });
  const push = () => world.push({ as, repo, branch, commits: [{ message: 'More', files: ['src/more.go'] }] });
  return { index, sha: pull?.headSha ?? '', push };
}

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await bellows.link('grace');
  await type('ada', `repo use ${repo}`);
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

describe('pr show', () => {
  it('shows where a check leads that has the name of another host', async () => {
    const { index, sha } = open('To be checked');
    const check = { context: 'forge.example.org/login', targetUrl: 'https://evil.test/x', state: 'failure' } as const;
    bellows.forge.world.commitStatus({ as: 'grace', repo, sha, ...check });
    const shown = words(await type('ada', `pr show #${index}`));
    expect(shown).toContain('<https://evil.test/x|https://evil.test/x>');
    expect(shown).not.toContain('login');
  });

  it('shows branches, reviews, checks and what can be decided', async () => {
    const { index } = open('To be seen');
    bellows.forge.world.review({ as: 'ada', repo, index, verdict: 'approve' });
    const shown = words(await type('ada', `pr show #${index}`));
    for (const part of ['To be seen', 'approved by ada', '"Approve"', '"Merge"', '`main` ←'])
      expect(shown).toContain(part);
  });

  it('counts an outsider’s review as no approval', async () => {
    const { index } = open('Praised from outside');
    bellows.forge.world.createUser({ login: 'mallory' });
    bellows.forge.world.review({ as: 'mallory', repo, index, verdict: 'approve' });
    const shown = words(await type('ada', `pr show #${index}`));
    expect(shown).toContain('approval by mallory doesn’t count');
    expect(shown).not.toContain('approved by');
  });

  it('shows its assignees, milestone and due date', async () => {
    const { index } = open('Planned');
    await type('ada', `pr edit #${index} --assignees grace --milestone 1.0 --due 2030-01-02`);
    const shown = words(await type('ada', `pr show #${index}`));
    for (const part of ['assigned to grace', 'due 2030-01-02', '1.0']) expect(shown).toContain(part);
  });

  it('marks a verdict on outdated code', async () => {
    const { index, push } = open('Approved, then changed');
    bellows.forge.world.review({ as: 'ada', repo, index, verdict: 'approve' });
    push();
    const shown = words(await type('ada', `pr show #${index}`));
    expect(shown).toContain('approved by ada (before the last push)');
  });

  it('offers nobody to approve their own', async () => {
    const { index } = open('My own', 'ada');
    const shown = words(await type('ada', `pr show #${index}`));
    expect(shown).not.toContain('"Approve"');
    expect((await type('ada', `pr approve #${index}`)).text).toContain('You cannot review your own');
  });
});

describe('pr approve and request-changes', () => {
  it('approves the commit that was shown', async () => {
    const { index } = open('Fine');
    const card = await type('ada', `pr show #${index}`);
    const answer = await click('ada', card, 'Approve');
    expect(answer.text).toContain(`Approved acme/engine#${index} Fine at`);
    expect(words(answer)).not.toContain('official');
    expect(last(reviews)).toMatchObject({
      who: 'ada',
      body: { event: 'APPROVED', commit_id: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
  });

  it('refuses if the head moved after it was shown, and shows the new one', async () => {
    const { index, push } = open('Moving');
    const card = await type('ada', `pr show #${index}`);
    push();
    const refused = await click('ada', card, 'Approve');
    expect(refused.text).toContain('has new commits');
    expect(bellows.forge.requests.of(reviews)).toEqual([]);
    const fresh = await click('ada', refused, 'Show pull request');
    expect((await click('ada', fresh, 'Approve')).text).toContain('Approved');
  });

  it('asks in a form what has to change', async () => {
    const { index } = open('Not yet');
    const card = await type('ada', `pr show #${index}`);
    const ada = bellows.slack.as('ada');
    await ada.click(card, 'Review');
    await form('ada');
    await ada.fill({ verdict: 'Request changes', body: 'A test, please.' });
    await ada.submit();
    await result('ada', 'Requested changes on');
    await ada.close();
    expect(last(reviews)?.body).toMatchObject({ event: 'REQUEST_CHANGES', body: 'A test, please.' });
  });
});

describe('pr merge', () => {
  it('merges with the requested style, bound to the head', async () => {
    const { index } = open('Squash me');
    const answer = await type('ada', `pr merge #${index} --style squash --delete-branch`);
    expect(answer.text).toContain(`Merged acme/engine#${index} Squash me into`);
    expect(last(merges)?.body).toMatchObject({
      Do: 'squash',
      delete_branch_after_merge: true,
      head_commit_id: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(answer.text).toMatch(/Deleted the branch `branch-\d+`\./);
    expect((await type('ada', `pr merge #${index}`)).text).toContain('already merged');
  });

  it('warns about red checks and requested changes first, with the facts, and merges when confirmed', async () => {
    const { index, push } = open('Red and refused');
    const { world } = bellows.forge;
    const sha = push().at(-1)?.sha ?? '';
    world.commitStatus({ as: 'grace', repo, sha, context: 'lint', state: 'failure' });
    world.review({ as: 'margaret', repo, index, verdict: 'reject', body: 'Not like this.' });
    const warned = await type('ada', `pr merge #${index}`);
    expect(words(warned)).toContain('margaret requested changes');
    expect(words(warned)).toContain('1 check failed: lint');
    expect(bellows.forge.requests.of(merges)).toEqual([]);
    expect((await click('ada', warned, 'Merge anyway')).text).toContain(`Merged acme/engine#${index}`);
  });

  it('counts the newest verdicts of many', async () => {
    const { index } = open('Reviewed again and again');
    const { world } = bellows.forge;
    for (let at = 0; at < 60; at += 1) world.review({ as: 'margaret', repo, index, verdict: 'comment', body: 'Hm.' });
    world.review({ as: 'margaret', repo, index, verdict: 'reject', body: 'Not like this.' });
    expect(words(await type('ada', `pr merge #${index}`))).toContain('margaret requested changes');
  });

  it('counts the last verdict of each reviewer that stands', async () => {
    const { world } = bellows.forge;
    const reject = (index: number) => world.review({ as: 'margaret', repo, index, verdict: 'reject', body: 'No.' });
    const [approved, dismissed, both] = [open('Approved since'), open('Dismissed since'), open('Rejected twice')];
    for (const { index } of [approved, dismissed, both]) reject(index);
    world.review({ as: 'margaret', repo, index: approved.index, verdict: 'approve' });
    world.dismissReview({ as: 'ada', repo, index: dismissed.index, of: 'margaret' });
    world.review({ as: 'margaret', repo, index: both.index, verdict: 'approve' });
    reject(both.index);
    for (const { index } of [approved, dismissed])
      expect((await type('ada', `pr merge #${index}`)).text).toContain(`Merged acme/engine#${index}`);
    expect(words(await type('ada', `pr merge #${both.index}`))).toContain('margaret requested changes');
  });

  it('warns about checks with warnings, and merges only the head it warned about', async () => {
    const { index, push } = open('Yellow');
    const sha = push().at(-1)?.sha ?? '';
    bellows.forge.world.commitStatus({ as: 'grace', repo, sha, context: 'lint', state: 'warning' });
    const warned = await type('ada', `pr merge #${index}`);
    expect(words(warned)).toContain('1 check with warnings: lint');
    push();
    expect((await click('ada', warned, 'Merge anyway')).text).toContain('has new commits');
    expect(bellows.forge.requests.of(merges)).toEqual([]);
  });
});

describe('pr review', () => {
  const ask = (index: number, who: string): Promise<Shown> => type('grace', `pr review acme/engine#${index} ${who}`);

  it('says that its author cannot review it, before asking the forge', async () => {
    const { index } = open('My own');
    expect((await ask(index, 'grace')).text).toContain('grace opened this pull request and can’t review it');
    expect(bellows.forge.requests.of(asks)).toEqual([]);
    expect(words(await ask(index, 'ada, grace'))).toContain('grace (opened this pull request and can’t review it)');
    expect(last(asks)?.body).toEqual({ reviewers: ['ada'] });
  });

  it('requests people and teams at once', async () => {
    const { index } = open('For all');
    expect((await ask(index, 'ada, margaret --teams core')).text).toContain(
      'Requested a review from ada, margaret, team core',
    );
    expect(last(asks)?.body).toEqual({ reviewers: ['ada', 'margaret'], team_reviewers: ['core'] });
  });

  it('reports exactly who was requested, who already was and who is unknown', async () => {
    const { index } = open('For some');
    await ask(index, 'margaret');
    const answer = await ask(index, 'ada, nobody, margaret');
    expect(answer.text).toContain('Requested a review from ada');
    const shown = words(answer);
    expect(shown).toContain('Already requested: margaret.');
    expect(shown).toContain('Not requested: nobody (not found on the forge)');
  });

  it('says when everyone was already requested', async () => {
    const { index } = open('For one');
    await ask(index, 'ada');
    expect(words(await ask(index, 'ada'))).toContain('Already requested: ada.');
  });

  it('says when nobody could be requested', async () => {
    const { index } = open('For nobody');
    expect((await ask(index, 'nobody, grace')).text).toMatch(/Could not request a review:\n• nobody: .*\n• grace: /);
  });

  it('reports who was requested even if the forge then refuses for another reason', async () => {
    const { index } = open('Half way');
    const after = 2;
    bellows.forge.faults.add({ on: asks, after, times: 2, trouble: { status: 403, message: 'no more today' } });
    const answer = words(await ask(index, 'margaret,nobody,ada'));
    expect(answer).toContain('Requested a review from margaret');
    expect(answer).toContain('Not requested: nobody (no more today)');
    expect(answer).toContain('Not requested: ada (no more today)');
  });

  it('takes several people in its form', async () => {
    const { index } = open('For whom');
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', 'pr review');
    await form('ada');
    expect(last(asks)).toBeUndefined();
    await ada.fill({ pull: `acme/engine#${index}`, people: ['ada', 'margaret'] });
    await ada.submit();
    await result('ada', 'Requested a review from ada, margaret');
    expect(last(asks)?.body).toMatchObject({ reviewers: ['ada', 'margaret'] });
    await ada.close();
  });

  it('says that a closed or merged one takes no reviewers', async () => {
    const { index } = open('Shut');
    bellows.forge.world.close({ as: 'ada', repo, index });
    expect((await ask(index, 'ada')).text).toContain('is closed: it cannot be reviewed. Reopen it');
    expect((await ask(3, 'ada')).text).toContain('is already merged: it cannot be reviewed.');
  });

  it('maps a Slack person to their login', async () => {
    const { index } = open('For a friend');
    expect((await ask(index, '@ada')).text).toContain('Requested a review from ada');
    expect((await ask(index, '@alan')).text).toContain('@alan has no linked forge account');
  });
});

describe('pr edit, retarget, close and reopen', () => {
  it('edits title, labels and milestone, and clears the milestone', async () => {
    const { index } = open('Rough title');
    const answer = await type('ada', `pr edit #${index} --title "Fine title" --labels bug --milestone 1.0`);
    expect(answer.text).toContain('Changed title, milestone, labels of');
    expect(last(edits)?.body).toMatchObject({ title: 'Fine title', content_version: expect.any(Number) });
    await type('ada', `pr edit #${index} --milestone none`);
    expect(bellows.forge.world.issue(repo, index)?.milestone).toBeUndefined();
  });

  it('retargets, with undo, and names a branch that does not exist', async () => {
    const { index } = open('Elsewhere');
    const answer = await type('ada', `pr retarget #${index} printer`);
    expect(answer.text).toContain('Changed the target branch from `main` to `printer`');
    expect((await click('ada', answer, 'Undo')).text).toContain('targets main again');
    expect((await type('ada', `pr retarget #${index} nowhere`)).text).toContain(
      'There is no branch `nowhere` in acme/engine.',
    );
  });

  it('retargets nothing that is closed', async () => {
    const { index } = open('Gone by');
    bellows.forge.world.close({ as: 'ada', repo, index });
    const { text } = await type('ada', `pr retarget #${index} printer`);
    expect(text).toContain('is closed: its target branch cannot change. Reopen it with /forge pr reopen');
  });

  it('closes and reopens', async () => {
    const { index } = open('On hold');
    const closed = await type('ada', `pr close #${index}`);
    expect(last(edits)?.body).toEqual({ state: 'closed' });
    expect((await click('ada', closed, 'Undo')).text).toContain('Reopened');
  });

  it('says that merged ones and issues cannot be closed this way', async () => {
    expect((await type('ada', 'pr close #3')).text).toContain('is merged');
    expect((await type('ada', 'pr close #4')).text).toContain('is an issue, not a pull request');
  });

  it.each([
    'pr show #4',
    'pr approve #4',
    'pr request-changes #4 Please.',
    'pr merge #4',
    'pr review #4 grace',
    'pr retarget #4 printer',
  ])('%s says that it is an issue', async (line) => {
    expect((await type('ada', line)).text).toContain('acme/engine#4 is an issue, not a pull request');
  });
});

describe('a merge that the server refuses', () => {
  it.each([
    ['Does not have enough approvals', 'it doesn’t have enough approvals', 'Request review'],
    ['Not all required status checks successful', 'not all required checks have passed', ''],
  ])('says what is missing: %s', async (message, says, offers) => {
    const { index } = open(`Refused: ${message}`);
    const on = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';
    bellows.forge.faults.add({ on, trouble: { status: 405, message } });
    const shown = words(await type('ada', `pr merge ${repo}#${index}`));
    expect(shown).toContain(says);
    expect(shown).toContain(offers);
    expect(shown).not.toContain('The forge answered');
  });
});

describe('without permission', () => {
  beforeAll(() => bellows.link('alan', 'linus'));

  it('merging says which permission is missing', async () => {
    const { index } = open('Not yours');
    const { text } = await type('alan', `pr merge ${repo}#${index}`);
    expect(text).toContain(`You can’t merge acme/engine#${index}: that needs write access to main`);
    expect(text).not.toContain('reviews, checks and conflicts');
  });

  it('requesting reviews says who may choose reviewers', async () => {
    const { index } = open('Not theirs');
    const { text } = await type('alan', `pr review ${repo}#${index} ada`);
    expect(text).toContain(`You cannot request reviews on acme/engine#${index}`);
    expect(text).not.toContain('user_id');
  });
});
