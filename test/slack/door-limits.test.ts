import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../src/chat/act-job.js';
import { createQueue } from '../../src/jobs/queues.js';
import { close, connect } from '../../src/store/index.js';
import { words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';

let bellows: Bellows;
let redis: ReturnType<typeof connect>;
let queue: ReturnType<typeof createQueue>;
beforeAll(async () => {
  bellows = await startBellows({
    slack: {
      seed: {
        users: [
          { id: 'U0ADA00001', name: 'ada' },
          { id: 'U0EVE00001', name: '](https://evil.example) @all <!channel>' },
        ],
      },
    },
  });
  redis = connect(bellows.redisUrl);
  queue = createQueue('act', { connection: redis, forgeId: 'main' });
  await bellows.link('ada');
});
afterAll(async () => {
  await queue.close();
  await close(redis);
  await bellows.close();
});
beforeEach(() => bellows.forge.requests.clear());

const ada = () => bellows.slack.as('ada');
const changes = () => [...bellows.forge.requests].filter(({ method }) => method !== 'GET');
const direct = () => bellows.slack.state.dm('ada').id;

/** Runs a command in a direct message and waits for its answer: everything before it has been processed by then. */
async function afterwards(): Promise<void> {
  const { ts } = await ada().post(direct(), 'help');
  const isAnswer = ({ user, ts: at }: { user: string; ts: string }) => user === bellows.slack.botUserId && at > ts;
  await bellows.slack.until(() => ada().sees(direct()).some(isAnswer));
}

describe('a direct message', () => {
  const deliver = (change: Record<string, unknown>) =>
    bellows.slack.happens.anything({
      type: 'message',
      channel: direct(),
      channel_type: 'im',
      user: 'U0ADA00001',
      text: 'issue close acme/engine#5',
      ts: '1794000000.000200',
      ...change,
    });

  it.each([
    ['that was edited', { edited: { user: 'U0ADA00001', ts: '1' } }],
    ['whose change is told', { subtype: 'message_changed', message: { ts: '1', text: 'issue close acme/engine#5' } }],
    ['of a bot', { bot_id: 'B0OTHER' }],
    ['of somebody of another workspace', { user_team: 'T0STRANGER' }],
    ['of nobody', { user: undefined }],
    ['of the bot itself', { user: 'U0BELLOWS1' }],
  ])('%s runs nothing', async (_, change) => {
    await deliver(change);
    await afterwards();
    await afterwards();
    // what is accepted is remembered for a day
    expect(await queue.getJob(jobIdOf('w', direct(), '1794000000.000200'))).toBeUndefined();
    expect(changes()).toEqual([]);
  });

  it('runs once however often it is delivered', async () => {
    await ada().post(direct(), 'issue comment acme/engine#5 Once');
    const delivery = bellows.slack.deliveries.all.findLast(({ type }) => type === 'events_api');
    if (delivery) await bellows.slack.redeliver(delivery);
    await expect.poll(() => changes().length).toBe(1);
    await afterwards();
    expect(changes()).toHaveLength(1);
  });

  it('of 40,000 characters is answered', async () => {
    const { ts } = await ada().post(direct(), `issue comment acme/engine#5 ${'a'.repeat(40_000)}`);
    const answer = await bellows.slack.until(() =>
      ada()
        .sees(direct())
        .find((each) => each.ts > ts && words(each).includes('too long')),
    );
    expect(answer.user).toBe(bellows.slack.botUserId);
    expect(changes()).toEqual([]);
  });
});

describe('a shortcut on a message', () => {
  const opened = (text: string) =>
    bellows.slack.until(() => (words(ada().openView()).includes(text) ? ada().openView() : undefined));

  it('of 40,000 characters quotes the beginning', async () => {
    const said = await ada().post('engine', `Start ${'b'.repeat(40_000)}`);
    await ada().messageShortcut('create_issue', said);
    expect(words(await opened('Start bbb')).length).toBeLessThan(20_000);
    await ada().close();
  });

  it('by someone with a hostile name makes no link and mentions nobody', async () => {
    const said = await bellows.slack.as('U0EVE00001').post('engine', 'Read this <!channel> @ada');
    await ada().messageShortcut('create_issue', said);
    const shown = words(await opened('Read this'));
    expect(shown).not.toContain('](https://evil.example)');
    expect(shown).not.toContain('@all');
    await ada().close();
  });

  it('by someone of another workspace opens nothing', async () => {
    const said = await ada().post('engine', 'For strangers');
    const before = bellows.slack.calls.of('views.open').length;
    await bellows.slack.forge('interactive', {
      type: 'message_action',
      callback_id: 'create_issue',
      team: { id: 'T0STRANGER' },
      user: { id: 'U0STRANGER', team_id: 'T0STRANGER' },
      channel: { id: 'C0ENGINE01' },
      trigger_id: '1.2.3',
      message: { ts: said.ts, text: 'For strangers', user: 'U0ADA00001' },
    });
    await afterwards();
    expect(bellows.slack.calls.of('views.open')).toHaveLength(before);
  });

  it('by someone without an account asks them to link before anything is opened on the forge', async () => {
    const eve = bellows.slack.as('U0EVE00001');
    const said = await ada().post('engine', 'Unlinked');
    await eve.messageShortcut('create_issue', said);
    await bellows.slack.until(() => words(eve.openView()).includes('Unlinked'));
    await eve.fill({ repository: 'acme/engine' });
    await eve.submit();
    await bellows.slack.until(() => eve.sees('engine').find((each) => each.onlyFor && words(each).includes('Link')));
    expect(changes()).toEqual([]);
  });
});
