import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';

describe.each(['socket', 'http'] as const)('a command in %s mode', (mode) => {
  let bellows: Bellows;
  beforeAll(async () => {
    bellows = await startBellows({ mode });
  });
  afterAll(() => bellows.close());

  it('asks for an account, resumes after linking, changes the forge and says so', async () => {
    const { slack, forge } = bellows;
    const ada = slack.as('ada');
    await ada.command('engine', '/forge', 'issue close acme/engine#1');
    const ask = await slack.until(() =>
      ada.sees('engine').find((message) => message.text.includes('Link your forge account')),
    );
    await ada.click(ask, 'form');
    await ada.fill({ token: forge.users['ada']?.token() ?? '' });
    await ada.submit();
    const answer = await slack.until(() => ada.sees('engine').find((message) => message.text.includes('Closed')));
    expect(answer.text).toContain('#1');
    expect(
      forge.requests.some(({ method, path }) => method === 'PATCH' && path.endsWith('/repos/acme/engine/issues/1')),
    ).toBe(true);
    expect(slack.failures.all).toEqual([]);
  });
});
