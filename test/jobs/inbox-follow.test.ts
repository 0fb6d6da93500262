import { describe, expect, it } from 'vitest';
import { followNotification } from '../../src/feed/own-card.js';
import { threadMark } from '../../src/feed/sources/inbox.js';
import { sourceKey } from '../../src/feed/sources/source.js';
import { NotificationThread } from '../../src/forge/schemas.js';
import { useFeed } from './feed-services.js';

const grace = { user: 'U0GRACE001', login: 'grace' };
const repo = 'acme/engine';

describe('a direct message', () => {
  const services = useFeed({ people: { grace: grace.user, ada: 'U0ADA00001' } });
  const link = () =>
    services.store.accounts.put(
      { team: services.slack.teamId, user: grace.user },
      { login: grace.login, forgeUserId: 3, verified: true, credential: { kind: 'token', token: 'x' } },
    );
  const all = () =>
    [...services.slack.state.channels.values()]
      .filter(({ kind }) => kind === 'im')
      .flatMap(({ id }) => services.slack.state.messages(id));
  const texts = () => all().map(({ text }) => text);
  const card = () => JSON.stringify(all()[0]?.blocks);
  const asGrace = (path: string, method = 'GET') =>
    fetch(`${services.forge.url}/api/v1/notifications${path}`, {
      method,
      headers: { authorization: `token ${services.forge.account('grace').token()}` },
    });
  const mark = async (to: string) => {
    const [thread] = (await (await asGrace('?all=true')).json()) as { id: number }[];
    await asGrace(`/threads/${thread?.id}?to-status=${to}`, 'PATCH');
    return NotificationThread.parse(await (await asGrace(`/threads/${thread?.id}`)).json());
  };
  async function assigned(): Promise<number> {
    await link();
    await services.round();
    services.pass(2_000);
    const { index } = services.forge.world.openIssue({ as: 'ada', repo, title: 'Valve', assignees: ['grace'] });
    await services.round();
    expect(card()).toContain('Mark as done');
    expect(card()).toContain('"Close issue"');
    return index;
  }

  it('loses its buttons when its thread is read on the forge', async () => {
    await assigned();
    services.pass(2_000);
    await mark('read');
    await services.round();
    expect(all()).toHaveLength(1);
    expect(card()).not.toContain('"button"');
  });

  it.each([
    ['in Slack: no news', 1],
    ['on the forge: news, for those who want all activity', 2],
  ])('after its thread was marked as unread %s', async (where, messages) => {
    await services.store.settings.put(
      { team: services.slack.teamId, user: grace.user },
      { kinds: { activity: true }, quiet: null },
    );
    await assigned();
    services.pass(700_000);
    await mark('read');
    await services.round();
    services.pass(700_000);
    const marked = await mark('unread');
    const inbox = sourceKey({ kind: 'inbox', team: services.slack.teamId, user: grace.user });
    if (where.startsWith('in Slack')) await services.store.marks.recordOwn(inbox, [threadMark(marked)]);
    await services.round();
    expect(all()).toHaveLength(messages);
  });

  it('follows its thread as often as it is marked in Slack', async () => {
    await assigned();
    const [{ channel } = { channel: '' }] = all();
    const thread = await mark('read');
    for (const unread of [false, true, false, true]) {
      services.pass(2_000);
      const place = { team: services.slack.teamId, channel };
      await followNotification(services.store, place, { ...thread, unread }, services.store.now());
      await services.deliver();
      expect(card().includes('"button"')).toBe(unread);
    }
  });

  it('does not follow a poll that began before its thread was marked in Slack', async () => {
    await assigned();
    const [{ channel } = { channel: '' }] = all();
    services.pass(2_000);
    const place = { team: services.slack.teamId, channel };
    const undone = { ...(await mark('read')), unread: true };
    await followNotification(services.store, place, undone, services.store.now() + 1);
    await services.poll();
    await services.deliver();
    expect(card()).toContain('"button"');
  });

  it('shows that its item was closed, without buttons', async () => {
    const index = await assigned();
    services.pass(2_000);
    services.forge.world.close({ as: 'ada', repo, index });
    await services.round();
    await services.deliver();
    expect(card()).toContain('Closed');
    expect(card()).not.toContain('"button"');
    expect(texts()).toHaveLength(1);
  });

  it('says who wrote what, once, and not what was requested before', async () => {
    const index = await assigned();
    services.pass(120_000);
    services.forge.world.comment({ as: 'ada', repo, index, body: 'The *gasket* is new.' });
    await services.round();
    await services.round();
    expect(texts()).toEqual([`ada assigned you to #${index} Valve`, `ada commented on #${index} Valve`]);
    expect(JSON.stringify(all()[1]?.blocks)).toContain('gasket');
    services.pass(120_000);
    services.forge.world.comment({ as: 'ada', repo, index, body: 'Over to you, @grace' });
    await services.round();
    expect(texts().at(-1)).toBe(`ada mentioned you in #${index} Valve`);
    expect(texts()).toHaveLength(3);
  });

  it('shows its person’s own actions elsewhere, of which the forge does not notify them', async () => {
    await services.subscribe('C0ENGINE01', repo, 'issues');
    const index = await assigned();
    services.pass(2_000);
    services.forge.world.close({ as: 'grace', repo, index });
    await services.round();
    await services.deliver();
    expect(texts()).toEqual([`ada assigned you to #${index} Valve`]);
    expect(card()).not.toContain('"button"');
    services.pass(2_000);
    services.forge.world.reopen({ as: 'grace', repo, index });
    await services.round();
    await services.deliver();
    expect(texts()).toEqual([`ada assigned you to #${index} Valve`]);
    expect(card()).toContain('"button"');
  });

  it('posts both of two comments in one second, polled in between or not', async () => {
    const index = await assigned();
    const comment = (body: string) => services.forge.world.comment({ as: 'ada', repo, index, body });
    services.pass(120_000);
    comment('First of two');
    await services.round();
    comment('Second of two');
    await services.round();
    services.pass(5_000);
    comment('Third');
    comment('Fourth');
    await services.round();
    await services.round();
    const posted = JSON.stringify(all().map(({ blocks }) => blocks));
    for (const words of ['First of two', 'Second of two', 'Third', 'Fourth']) expect(posted).toContain(words);
    expect(all()).toHaveLength(5);
  });

  it('says who reviewed one’s own pull request, and what they wrote', async () => {
    await link();
    const commits = [{ message: 'Belt', files: ['belt.txt'] }];
    services.forge.world.push({ as: 'grace', repo, branch: 'belt', commits });
    const { index } = services.forge.world.openPull({ as: 'grace', repo, title: 'Belt', head: 'belt' });
    await services.round();
    services.pass(120_000);
    services.forge.world.review({ as: 'ada', repo, index, verdict: 'approve', body: 'Runs smoothly.' });
    await services.round();
    expect(texts()).toEqual([`ada approved #${index} Belt`]);
    expect(card()).toContain('Runs smoothly.');
    expect(card()).toContain('Mark as done');
  });

  it('does not come for items one only takes part in, until that is chosen', async () => {
    await link();
    const { index } = services.forge.world.openIssue({ as: 'ada', repo, title: 'Theirs' });
    services.forge.world.comment({ as: 'grace', repo, index, body: 'Me too.' });
    await services.round();
    services.pass(120_000);
    services.forge.world.comment({ as: 'ada', repo, index, body: 'Noted.' });
    await services.round();
    expect(texts()).toEqual([]);
    const person = { team: services.slack.teamId, user: grace.user };
    await services.store.settings.put(person, { kinds: { activity: true }, quiet: null });
    services.pass(120_000);
    services.forge.world.comment({ as: 'ada', repo, index, body: 'Once more.' });
    await services.round();
    expect(texts()).toEqual([`ada commented on #${index} Theirs`]);
  });

  it('comes when a run of one’s own push fails, and nobody else’s', async () => {
    await link();
    await services.subscribe('C0ENGINE01', repo, 'runs');
    await services.round();
    services.pass(2_000);
    for (const as of ['grace', 'ada']) {
      const run = services.forge.world.startRun({ as, repo, title: `Pushed by ${as}` });
      services.forge.world.finishRun({ run: run.id, conclusion: 'failure' });
    }
    await services.round();
    expect(texts()).toEqual([expect.stringMatching(/ failed on main: Pushed by grace, run \d+$/)]);
  });

  it('about one’s own failed run is sent later if Slack does not say now whether it can be', async () => {
    await link();
    await services.subscribe('C0ENGINE01', repo, 'runs');
    await services.round();
    services.pass(2_000);
    services.slack.faults.next('conversations.open', { kind: 'error', error: 'invalid_auth' });
    const run = services.forge.world.startRun({ as: 'grace', repo, title: 'Pushed by grace' });
    services.forge.world.finishRun({ run: run.id, conclusion: 'failure' });
    await services.round();
    await services.round();
    expect(texts()).toEqual([expect.stringContaining('Pushed by grace')]);
    expect(services.shown('C0ENGINE01').filter((text) => text.includes('Pushed by grace'))).toHaveLength(1);
  });

  it('that Slack no longer opens stops nobody else’s messages', async () => {
    await link();
    await services.subscribe('C0ENGINE01', repo, 'runs issues');
    const { index } = services.forge.world.openIssue({ as: 'ada', repo, title: 'Valve' });
    await services.round();
    services.pass(2_000);
    // and the event that says so was missed
    Object.assign(services.slack.state.user('grace'), { deleted: true });
    const run = services.forge.world.startRun({ as: 'grace', repo, title: 'Pushed by grace' });
    services.forge.world.finishRun({ run: run.id, conclusion: 'failure' });
    services.forge.world.close({ as: 'grace', repo, index });
    await services.round();
    const shown = services.shown('C0ENGINE01').join('\n');
    expect(shown).toContain('Pushed by grace');
    expect(shown).toContain('Valve');
    expect(texts()).toEqual([]);
  });
});
