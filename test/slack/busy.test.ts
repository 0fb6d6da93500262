import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decideIn, force, repo } from '../commands/deciding.js';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001, U0GRACE001]
  maintainer:
    groups: [S0MAINT001]
approvals:
  commands:
    run force-cancel:
      approve: maintainer
`;
const userGroups = [{ id: 'S0MAINT001', handle: 'maintainers', users: ['U0ALAN0001'] }];

let bellows: Bellows;
const { click, type } = talkTo(() => bellows);
const { ask, stuck } = decideIn(() => bellows);
const asked = (title: string) => ask(`run force-cancel ${repo}#${stuck(title)}`);
const sent = () => bellows.forge.requests.of(force);
beforeAll(async () => {
  const channels = ['general', 'engine', 'quiet'].map((name) => ({ id: `C0${name.toUpperCase()}1`, name }));
  bellows = await startBellows({ policy, slack: { seed: { userGroups, channels } } });
  await bellows.link('ada');
  await bellows.link('grace');
  await bellows.link('alan', 'margaret');
});
afterAll(() => bellows.close());
afterEach(() => bellows.slack.faults.clear());

const limited = { kind: 'ratelimited', retryAfter: 30 } as const;
const down = { kind: 'status', status: 503 } as const;

describe('while Slack', () => {
  it.each([
    ['is busy', limited, 'Slack is busy, so nothing was done. Try again in 30 s.'],
    ['is unavailable', down, 'Slack is not responding, so nothing was done. Try again in a moment.'],
  ])('%s, an approval by a group member gets an explanation, and can be given later', async (what, fault, refusal) => {
    const card = await asked(`While it ${what}`);
    const before = sent().length;
    bellows.slack.faults.next('usergroups.users.list', fault, 9);
    expect((await click('alan', card, 'Approve')).text).toBe(refusal);
    expect(sent()).toHaveLength(before);
    bellows.slack.faults.clear();
    await bellows.slack.as('alan').click(card, 'Approve');
    await bellows.slack.until(() => sent().length > before);
  });

  it('is busy, people named by id do not wait for groups', async () => {
    const card = await asked('Named by id');
    const before = sent().length;
    bellows.slack.faults.next('usergroups.users.list', limited, 9);
    await bellows.slack.as('grace').click(card, 'Approve');
    await bellows.slack.until(() => sent().length > before);
  });

  it.each(['subscribe acme/engine', 'remind reviews daily 9:30 --repository acme/engine'])(
    'is busy, %s says when to try again',
    async (line) => {
      bellows.slack.faults.next('conversations.info', limited, 9);
      const { text } = await type('ada', line, 'quiet');
      expect(text).toBe('Slack is busy, so nothing was done. Try again in 30 s.');
    },
  );

  it('cannot open a direct message, the person learns when to try again', async () => {
    bellows.slack.faults.next('conversations.open', limited, 9);
    const { text } = await type('grace', 'remind reviews daily 9:30 --me');
    expect(text).toBe('Slack is busy. Try again in 30 s.');
  });
});
