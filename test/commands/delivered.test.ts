import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
beforeAll(async () => {
  // the feed would notice a dead token first
  bellows = await startBellows({ tempo: { feed: { tickMs: 60_000 } } });
  await bellows.link('ada');
});
afterAll(() => bellows.close());

it('an answer is delivered even if Slack is down for a moment', async () => {
  const { slack, forge } = bellows;
  for (const way of ['response_url', 'chat.postEphemeral', 'chat.postMessage'])
    slack.faults.next(way, { kind: 'status', status: 500 });
  const answer = await type('ada', 'issue comment acme/engine#2 Said once');
  expect(answer.text).toContain('Commented on acme/engine#2');
  const sent = [...forge.requests].filter(({ body }) => JSON.stringify(body ?? '').includes('Said once'));
  expect(sent).toHaveLength(1);
  slack.faults.clear();
});

it('someone else’s dead token is not blamed on the person who runs the command', async () => {
  const { slack, forge } = bellows;
  await bellows.link('alan', 'linus');
  await type('ada', 'subscribe acme/website');
  forge.world.revokeTokens({ login: 'linus' });
  const answer = await type('ada', 'subscribe owner acme/website @alan');
  expect(answer.text).toContain('it is not yours');
  expect((await type('ada', 'whoami')).text).toContain('ada');
  const ada = slack.as('ada');
  expect(ada.sees(ada.dm).filter(({ text }) => text.includes('Your forge token for'))).toEqual([]);
});
