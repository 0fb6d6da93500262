import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { everythingIn } from '../support/redis.js';

describe.each(['socket', 'http'] as const)('a command in %s mode', (mode) => {
  let bellows: Bellows;
  beforeAll(async () => {
    bellows = await startBellows({ mode, logLevel: 'debug' });
  });
  afterAll(() => bellows.close());

  it('asks for an account, resumes after linking, changes the forge and says so', async () => {
    const { slack, forge } = bellows;
    const ada = slack.as('ada');
    await ada.command('engine', '/forge', 'issue close acme/engine#2');
    const ask = await slack.until(() =>
      ada.sees('engine').find((message) => message.text.includes('Link your forge account')),
    );
    await ada.click(ask, 'form');
    await ada.fill({ token: forge.users['ada']?.token() ?? '' });
    await ada.submit();
    const answer = await slack.until(() => ada.sees('engine').find((message) => message.text.includes('Closed')));
    expect(answer.text).toContain('#2');
    const sent = [...forge.requests]
      .filter(({ method }) => method === 'PATCH')
      .map(({ path, who, body }) => ({ path, who, body }));
    expect(sent).toEqual([{ path: '/repos/acme/engine/issues/2', who: 'ada', body: { state: 'closed' } }]);
    expect(slack.failures.all).toEqual([]);
  });

  it('keeps what was typed into the sign-in form out of the log and of Redis', async () => {
    const token = bellows.forge.users['ada']?.token() ?? 'absent';
    expect(bellows.logged.join('')).not.toContain(token);
    expect(JSON.stringify(await everythingIn(bellows.redisUrl))).not.toContain(token);
  });
});
