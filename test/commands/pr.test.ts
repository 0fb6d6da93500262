import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { type Shown, talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click, form, after } = talkTo(() => bellows);
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
  const { index } = world.openPull({ as, repo, title, head: branch });
  const push = () => world.push({ as, repo, branch, commits: [{ message: 'More', files: ['src/more.go'] }] });
  return { index, push };
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
  it('shows branches, reviews, checks and what can be decided', async () => {
    const { index } = open('To be seen');
    bellows.forge.world.review({ as: 'margaret', repo, index, verdict: 'approve' });
    const shown = words(await type('ada', `pr show #${index}`));
    for (const part of ['To be seen', 'approved by margaret', '"Approve"', '"Merge"', '`main` ←'])
      expect(shown).toContain(part);
  });

  it('offers nobody to approve their own', async () => {
    const { index } = open('My own', 'ada');
    const shown = words(await type('ada', `pr show #${index}`));
    expect(shown).not.toContain('"Approve"');
    expect((await type('ada', `pr approve #${index}`)).text).toContain('Nobody can review their own');
  });
});

describe('pr approve and request-changes', () => {
  it('approves the commit that was shown', async () => {
    const { index } = open('Fine');
    const card = await type('ada', `pr show #${index}`);
    const answer = await click('ada', card, 'Approve');
    expect(answer.text).toContain(`Approved acme/engine#${index} Fine at`);
    expect(last(reviews)).toMatchObject({
      who: 'ada',
      body: { event: 'APPROVED', commit_id: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
  });

  it('refuses when the head moved after it was shown, and shows the new one', async () => {
    const { index, push } = open('Moving');
    const card = await type('ada', `pr show #${index}`);
    push();
    const refused = await click('ada', card, 'Approve');
    expect(refused.text).toContain('moved on');
    expect(bellows.forge.requests.of(reviews)).toEqual([]);
    const fresh = await click('ada', refused, 'Show it now');
    expect((await click('ada', fresh, 'Approve')).text).toContain('Approved');
  });

  it('asks in a form what has to change', async () => {
    const { index } = open('Not yet');
    const card = await type('ada', `pr show #${index}`);
    const ada = bellows.slack.as('ada');
    await ada.click(card, 'Request changes');
    await form('ada');
    await ada.fill({ body: 'A test, please.' });
    const answer = await after('ada', () => ada.submit());
    expect(answer.text).toContain('Asked for changes on');
    expect(last(reviews)?.body).toMatchObject({ event: 'REQUEST_CHANGES', body: 'A test, please.' });
  });
});

describe('pr merge', () => {
  it('merges with the style asked for, bound to the head', async () => {
    const { index } = open('Squash me');
    const answer = await type('ada', `pr merge #${index} --style squash --delete-branch`);
    expect(answer.text).toContain(`Merged acme/engine#${index} Squash me into`);
    expect(last(merges)?.body).toMatchObject({
      Do: 'squash',
      delete_branch_after_merge: true,
      head_commit_id: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect((await type('ada', `pr merge #${index}`)).text).toContain('merged already');
  });

  it('refuses from a form whose head has moved', async () => {
    const { index, push } = open('Too late');
    const card = await type('ada', `pr show #${index}`);
    const ada = bellows.slack.as('ada');
    await ada.click(card, 'Merge');
    await form('ada');
    push();
    const answer = await after('ada', () => ada.submit());
    expect(answer.text).toContain('moved on');
    expect(bellows.forge.requests.of(merges)).toEqual([]);
  });

  it('tells conflicts and drafts apart', async () => {
    const { index } = open('In conflict');
    bellows.forge.world.setConflicts({ repo, index, conflicts: true });
    expect((await type('ada', `pr merge #${index}`)).text).toMatch(/conflict|cannot be merged/i);
    expect((await type('ada', 'pr merge #5')).text).toContain('is a draft');
  });
});

describe('pr review', () => {
  const ask = (index: number, who: string): Promise<Shown> => type('grace', `pr review acme/engine#${index} ${who}`);

  it('asks people and teams at once', async () => {
    const { index } = open('For all');
    expect((await ask(index, 'ada, margaret --teams core')).text).toContain('Asked ada, margaret, team core to review');
    expect(last(asks)?.body).toEqual({ reviewers: ['ada', 'margaret'], team_reviewers: ['core'] });
  });

  it('tells exactly who was asked, who was asked already and who is unknown', async () => {
    const { index } = open('For some');
    await ask(index, 'margaret');
    const answer = await ask(index, 'ada, nobody, margaret');
    expect(answer.text).toContain('Asked ada to review');
    const shown = words(answer);
    expect(shown).toContain('Asked already: margaret.');
    expect(shown).toContain("Not asked: nobody (user doesn't exist: nobody)");
  });

  it('says when everybody was asked already', async () => {
    const { index } = open('For one');
    await ask(index, 'ada');
    expect(words(await ask(index, 'ada'))).toContain('Asked already: ada.');
  });

  it('says when nobody could be asked', async () => {
    const { index } = open('For nobody');
    expect((await ask(index, 'nobody, grace')).text).toMatch(/Nobody was asked:\n• nobody: .*\n• grace: /);
  });

  it('maps a Slack person to their login', async () => {
    const { index } = open('For a friend');
    expect((await ask(index, '@ada')).text).toContain('Asked ada');
    expect((await ask(index, '@alan')).text).toContain('No forge account is linked for @alan');
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
    expect(answer.text).toContain('Retargeted from `main` to `printer`');
    expect((await click('ada', answer, 'Undo')).text).toContain('goes to main again');
    expect((await type('ada', `pr retarget #${index} nowhere`)).text).toContain('has no branch nowhere');
  });

  it('closes and reopens', async () => {
    const { index } = open('On hold');
    const closed = await type('ada', `pr close #${index}`);
    expect(last(edits)?.body).toEqual({ state: 'closed' });
    expect((await click('ada', closed, 'Reopen')).text).toContain('Reopened');
  });

  it('says that merged ones and issues cannot be closed so', async () => {
    expect((await type('ada', 'pr close #3')).text).toContain('is merged');
    expect((await type('ada', 'pr close #4')).text).toContain('is an issue, not a pull request');
  });
});
