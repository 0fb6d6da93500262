import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';

describe('on a forge that has the document’s 42 operations and nothing else', () => {
  let bellows: Bellows;
  const says = (text: string, words: string) => (message: { text: string }) =>
    message.text.includes(text) && message.text.includes(words);
  beforeAll(async () => {
    bellows = await startBellows({ forge: { flavor: 'document' } });
  });
  afterAll(() => bellows.close());

  it('signs in with login and secret, verified by a documented read', async () => {
    const { slack, forge } = bellows;
    const ada = slack.as('ada');
    await ada.command('general', '/forge', 'signin other');
    await ada.fill({ login: 'ada', token: forge.users['ada']?.token() ?? '' });
    await ada.submit();
    await slack.until(() => ada.sees('general').find(says('linked as', 'cannot request approval')));
  });

  it('says that a password is kept if no token can be created for it', async () => {
    const { slack, forge } = bellows;
    const alan = slack.as('alan');
    await alan.command('general', '/forge', 'signin other');
    await alan.fill({ login: 'linus', password: forge.account('linus').password ?? '' });
    await alan.submit();
    const answer = await slack.until(() => alan.sees('general').find(says('linked as', 'linus')));
    expect(JSON.stringify(answer.blocks)).toContain('your password is stored encrypted');
  });

  it('refuses a wrong secret with what to do', async () => {
    const { slack } = bellows;
    const grace = slack.as('grace');
    await grace.command('general', '/forge', 'signin other');
    await grace.fill({ login: 'grace', token: 'wrong' });
    await grace.submit();
    await slack.until(() => grace.sees('general').find(says('The forge rejected this', 'try again')));
  });

  it.each([
    ['issue close acme/engine#2', 'PATCH /repos/{owner}/{repo}/issues/{index}', 'Closed'],
    ['issue reopen acme/engine#2', 'PATCH /repos/{owner}/{repo}/issues/{index}', 'Reopened'],
    ['issue search --state open carry', 'GET /repos/issues/search', ''],
    ['issue comment acme/engine#2 hello', 'POST /repos/{owner}/{repo}/issues/{index}/comments', ''],
    ['issue log-time acme/engine#2 30m', 'POST /repos/{owner}/{repo}/issues/{index}/times', ''],
    ['pr close acme/engine#8', 'PATCH /repos/{owner}/{repo}/pulls/{index}', ''],
    ['run list acme/engine', 'GET /repos/{owner}/{repo}/actions/runs', ''],
    ['inbox clear', 'PUT /notifications', ''],
  ])('runs %s', async (line, route, words) => {
    const { slack, forge } = bellows;
    const ada = slack.as('ada');
    const before = forge.requests.of(route).length;
    const seen = ada.sees('engine').length;
    await ada.command('engine', '/forge', line);
    const answer = await slack.until(() =>
      ada
        .sees('engine')
        .slice(seen)
        .find(({ text }) => !text.startsWith('Working on')),
    );
    expect(answer.text).toContain(words);
    expect(forge.requests.of(route).length, answer.text).toBeGreaterThan(before);
    expect(slack.failures.all).toEqual([]);
  });

  it('says what needs more, and breaks nothing', async () => {
    const { slack } = bellows;
    const ada = slack.as('ada');
    const seen = ada.sees('engine').length;
    await ada.command('engine', '/forge', 'issue create acme/engine A title');
    const answer = await slack.until(() =>
      ada
        .sees('engine')
        .slice(seen)
        .find(({ text }) => !text.startsWith('Working on')),
    );
    expect(answer.text).toMatch(/(does not support it|does not support issue create)/);
  });
});
