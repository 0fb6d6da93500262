import { type SandboxSlack, startSlack } from '@bellows/sandbox/slack';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { createAnswers } from '../../src/slack/answer.js';
import { createClient } from '../../src/slack/client.js';
import { createSlackFacts } from '../../src/slack/facts.js';
import { say } from '../../src/view/message.js';
import { md } from '../../src/view/text.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const minute = 60_000;
let slack: SandboxSlack;
beforeAll(async () => {
  slack = await startSlack();
});
afterAll(() => slack.close());

it.each([
  [29, 'the channel where it was asked'],
  [31, 'a direct message'],
])('an answer that is %i minutes late comes as %s', async (late, _where) => {
  const client = createClient({
    botToken: slack.botToken,
    apiUrl: slack.apiUrl,
    mode: { kind: 'socket', appToken: '' },
  });
  const { answer } = createAnswers({
    client,
    services: {
      slack: createSlackFacts({ client, team: slack.teamId, store: at.store }),
      log: createLog({ level: 'silent' }),
      now: () => new Date(at.now()),
    },
    home: { answer: async () => {} },
    apiUrl: slack.apiUrl,
  });
  const ada = slack.as('ada');
  const person = { team: slack.teamId, user: 'U0ADA00001' };
  const to = { person, channel: 'C0ENGINE01', answer: {}, acceptedAt: at.now() - late * minute };
  const words = `Done ${late} minutes ago`;
  await answer(to, say(md`${words}`));
  const seen = (where: string) => ada.sees(where).some(({ text }) => text.includes(words));
  expect({ channel: seen('engine'), direct: seen(ada.dm) }).toEqual({ channel: late < 30, direct: late > 30 });
});
