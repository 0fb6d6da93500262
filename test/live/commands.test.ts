import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { talkTo, words } from '../commands/talk.js';
import { fresh, freshIssue, freshRepo } from '../contract/forge/things.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { tokenOf } from './support/accounts.js';
import { type LiveForge, nameOf, startLive } from './support/server.js';

const live = await startLive();

describe.skipIf(!live)(`the everyday commands on ${nameOf(live)}`, () => {
  let bellows: Bellows;
  let at: { owner: string; repo: string };
  const server = (): LiveForge => {
    if (!live) throw new Error('there is no server');
    return live;
  };
  const { type } = talkTo(() => bellows);
  const full = () => `${at.owner}/${at.repo}`;
  const issueNow = (index: number) => server().people.alice.api.issues.get({ ...at, index });

  beforeAll(async () => {
    const { alice, root } = server().people;
    at = await freshRepo(server());
    bellows = await startBellows({ real: { url: server().url, token: await tokenOf(root) } });
    await bellows.link('ada', alice.login, await tokenOf(alice));
  });
  afterAll(async () => {
    await bellows?.close();
    await live?.close();
  });

  it('opens, shows, comments, closes and reopens an issue', async () => {
    const said = await type('ada', `issue create ${full()} A leaking pipe`);
    const index = Number(/#(\d+)/.exec(words(said))?.[1]);
    expect(await issueNow(index)).toMatchObject({ title: 'A leaking pipe', state: 'open' });
    expect(words(await type('ada', `issue show ${full()}#${index}`))).toContain('A leaking pipe');
    await type('ada', `issue comment ${full()}#${index} It drips.`);
    const comments = await server().people.alice.api.issues.listComments({ ...at, index });
    expect(comments.items.map(({ body }) => body)).toEqual(['It drips.']);
    expect(words(await type('ada', `issue close ${full()}#${index}`))).toContain('Closed');
    expect(await issueNow(index)).toMatchObject({ state: 'closed' });
    expect(words(await type('ada', `issue reopen ${full()}#${index}`))).toContain('Reopened');
    expect(await issueNow(index)).toMatchObject({ state: 'open' });
  });

  it('assigns, dates and logs time', async () => {
    const { index } = await freshIssue(server(), at);
    const { bob } = server().people;
    await type('ada', `issue assign ${full()}#${index} ${bob.login}`);
    await type('ada', `issue due ${full()}#${index} 2030-12-24`);
    expect(words(await type('ada', `issue log-time ${full()}#${index} 1h30m`))).toContain('1h30m');
    const issue = await issueNow(index);
    expect(issue.assignees.map(({ login }) => login)).toEqual([bob.login]);
    expect(issue.due_date?.toISOString()).toContain('2030-12-24');
  });

  it('says what blocks closing', async () => {
    const [blocked, blocker] = [await freshIssue(server(), at), await freshIssue(server(), at)];
    await type('ada', `issue block ${full()}#${blocker.index} ${full()}#${blocked.index}`);
    const refused = words(await type('ada', `issue close ${full()}#${blocked.index}`));
    expect(refused).toContain(`#${blocker.index}`);
    await type('ada', `issue unblock ${full()}#${blocker.index} ${full()}#${blocked.index}`);
    expect(words(await type('ada', `issue close ${full()}#${blocked.index}`))).toContain('Closed');
  });

  it('requests a review, says who already was requested, and merges what was seen', async () => {
    const index = await server().ground.openPull(at, 'alice', fresh('Pull'));
    const { bob } = server().people;
    expect(words(await type('ada', `pr review ${full()}#${index} ${bob.login}`))).toContain(bob.login);
    expect(words(await type('ada', `pr review ${full()}#${index} ${bob.login}`))).toMatch(/already/i);
    expect(words(await type('ada', `pr review ${full()}#${index} no-such-person-here`))).toMatch(/no-such-person-here/);
    expect(words(await type('ada', `pr show ${full()}#${index}`))).toContain(`#${index}`);
    await type('ada', `pr merge ${full()}#${index}`);
    expect((await server().people.alice.api.pulls.get({ ...at, index })).merged).toBe(true);
  });

  it('closes and reopens a pull request', async () => {
    const index = await server().ground.openPull(at, 'alice', fresh('Pull'));
    await type('ada', `pr close ${full()}#${index}`);
    expect(await issueNow(index)).toMatchObject({ state: 'closed' });
    await type('ada', `pr reopen ${full()}#${index}`);
    expect(await issueNow(index)).toMatchObject({ state: 'open' });
  });

  it('lists runs, the inbox and open items', async () => {
    if (await server().has('runs.list')) {
      const run = await server().ground.queueRun(at, fresh('label'));
      expect(words(await type('ada', `run list ${full()}`))).toContain(String(run));
    }
    await type('ada', 'inbox');
    await type('ada', 'todo');
    await type('ada', 'inbox clear');
    expect((await server().people.alice.api.notifications.list()).items.filter(({ unread }) => unread)).toEqual([]);
  });

  it('never broke a rule of Slack', () => {
    expect(bellows.slack.failures.all).toEqual([]);
  });
});
