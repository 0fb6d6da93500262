import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';

/** A command as Slack would send it; each test spoils one thing. */
const command = (bellows: Bellows, change: Record<string, string> = {}) => ({
  token: 'unused',
  team_id: bellows.slack.teamId,
  channel_id: 'C0ENGINE01',
  channel_name: 'engine',
  user_id: 'U0ADA00001',
  user_name: 'ada',
  command: '/forge',
  text: 'issue close acme/engine#2',
  response_url: 'http://127.0.0.1:9/unused',
  trigger_id: `1.${Math.random()}`,
  ...change,
});

describe('what is refused at the door', () => {
  let bellows: Bellows;
  beforeAll(async () => {
    bellows = await startBellows({
      mode: 'http',
      parts: ['bot'],
      slack: { seed: { team: { enterpriseId: 'E0ACME' } } },
    });
  });
  afterAll(() => bellows.close());
  const queued = async () => {
    const { connect, ready, close } = await import('../../src/store/index.js');
    const redis = connect(bellows.redisUrl);
    await ready(redis);
    const [wait] = (await redis.keys('{bellows:*:act}:act:wait')).concat('none');
    const count = await redis.llen(wait ?? 'none');
    await close(redis);
    return count;
  };
  let before = 0;
  beforeEach(async () => {
    before = await queued();
  });

  it('a wrong signature', async () => {
    const reply = await bellows.slack.forge('slash_commands', command(bellows), { signingSecret: 'not the secret' });
    expect(reply).toMatchObject({ status: 401 });
    expect(await queued()).toBe(before);
  });

  it('no signature', async () => {
    const reply = await bellows.slack.forge('slash_commands', command(bellows), { unsigned: true });
    expect(reply).toMatchObject({ status: 401 });
    expect(await queued()).toBe(before);
  });

  it('a timestamp older than five minutes', async () => {
    const timestamp = Math.floor(Date.now() / 1000) - 6 * 60;
    const reply = await bellows.slack.forge('slash_commands', command(bellows), { timestamp });
    expect(reply).toMatchObject({ status: 401 });
    expect(await queued()).toBe(before);
  });

  it('a person of another workspace', async () => {
    await bellows.slack.forge('slash_commands', command(bellows, { team_id: 'T0STRANGER' }));
    expect(await queued()).toBe(before);
    expect(bellows.logged.join('')).toMatch(/foreign (team|workspace)/);
  });

  it('a person of another workspace of the same Grid, with a sentence', async () => {
    const neighbor = command(bellows, { team_id: 'T0NEIGHBOR', enterprise_id: 'E0ACME' });
    const reply = await bellows.slack.forge('slash_commands', neighbor);
    expect(JSON.stringify(reply)).toContain('Bellows serves only the workspace ');
    expect(await queued()).toBe(before);
  });

  it.each([
    ['of another Grid', { enterprise_id: 'E0OTHER' }],
    ['of no Grid', {}],
  ])('a person of another workspace %s, in silence', async (_, more) => {
    const reply = await bellows.slack.forge('slash_commands', command(bellows, { team_id: 'T0STRANGER', ...more }));
    expect(JSON.stringify(reply)).not.toContain('Bellows serves');
    expect(await queued()).toBe(before);
  });

  it('a click from another workspace of the same Grid', async () => {
    const already = bellows.logged.length;
    await bellows.slack.forge('interactive', {
      type: 'block_actions',
      team: { id: 'T0NEIGHBOR' },
      enterprise: { id: 'E0ACME' },
      user: { id: 'U0ADA00001', team_id: 'T0NEIGHBOR' },
      trigger_id: '1.2',
      actions: [{ action_id: 'run', block_id: 'b', action_ts: '1', value: '{"c":"inbox","a":{}}', type: 'button' }],
    });
    expect(await queued()).toBe(before);
    expect(bellows.logged.slice(already).join('')).toMatch(/foreign (team|workspace)/);
  });

  const view = { id: 'V1', type: 'modal', callback_id: 'form', private_metadata: '', state: { values: {} } };
  const press = { action_id: 'run', block_id: 'b', action_ts: '1', value: '{"c":"inbox","a":{}}', type: 'button' };
  it.each([
    ['a click', { type: 'block_actions', actions: [press], trigger_id: '1.2' }],
    ['a form', { type: 'view_submission', view }],
    ['a shortcut', { type: 'shortcut', callback_id: 'comment_on_item', trigger_id: '1.2' }],
    ['a menu', { type: 'block_suggestion', action_id: 'repo', block_id: 'repo', value: '', view }],
  ])('%s of a person of another workspace in a channel of ours', async (_what, payload) => {
    const already = bellows.logged.length;
    const from = { team: { id: bellows.slack.teamId }, user: { id: 'U0ADA00001', team_id: 'T0STRANGER' } };
    await bellows.slack.forge('interactive', { ...from, ...payload });
    expect(bellows.logged.slice(already).join('')).toContain('foreign team');
    expect(await queued()).toBe(before);
  });

  describe('someone of another workspace of the same Grid, with a sentence after', () => {
    const from = { team: { id: 'T0NEIGHBOR' }, enterprise: { id: 'E0ACME' }, user: { id: 'U0ADA00001' } };
    const sentence = 'Bellows serves only the workspace ';
    const told = () => bellows.slack.calls.all.filter((call) => JSON.stringify(call).includes(sentence)).length;

    it('a shortcut', async () => {
      const already = told();
      const message = { ts: '1794000000.000100', text: 'Hello' };
      const payload = { ...from, callback_id: 'comment_on_item', trigger_id: '1.2', channel: { id: 'C0ENGINE01' } };
      await bellows.slack.forge('interactive', { type: 'message_action', ...payload, message });
      await expect.poll(told).toBe(already + 1);
    });

    it('a form', async () => {
      const view = { id: 'V1', type: 'modal', callback_id: 'form', private_metadata: '', state: { values: {} } };
      const reply = await bellows.slack.forge('interactive', { type: 'view_submission', ...from, view });
      expect(JSON.stringify(reply)).toContain(sentence);
    });

    it('a mention', async () => {
      const already = told();
      const event = { type: 'app_mention', user: 'U0ADA00001', user_team: 'T0NEIGHBOR', channel: 'C0ENGINE01' };
      await bellows.slack.forge('events_api', {
        type: 'event_callback',
        team_id: bellows.slack.teamId,
        enterprise_id: 'E0ACME',
        event_id: 'Ev0NEIGHBOR',
        event: { ...event, ts: '1794000000.000200', text: 'close #4' },
      });
      await expect.poll(told).toBe(already + 1);
      expect(await queued()).toBe(before);
    });
  });

  it.each(['become_admin', 'constructor', '__proto__'])('an unknown action: %s', async (action_id) => {
    const already = bellows.logged.length;
    await bellows.slack.forge('interactive', {
      type: 'block_actions',
      team: { id: bellows.slack.teamId },
      user: { id: 'U0ADA00001', team_id: bellows.slack.teamId },
      trigger_id: '1.2',
      actions: [{ action_id, block_id: 'b', action_ts: '1', value: '{}', type: 'button' }],
    });
    expect(await queued()).toBe(before);
    expect(bellows.logged.slice(already).join('')).toContain('refused an unknown action');
  });

  it('a button with a made-up value', async () => {
    await bellows.slack.forge('interactive', {
      type: 'block_actions',
      team: { id: bellows.slack.teamId },
      user: { id: 'U0ADA00001', team_id: bellows.slack.teamId },
      trigger_id: '1.2',
      actions: [{ action_id: 'run', block_id: 'b', action_ts: '1', value: '{"c":"no such","a":{}}', type: 'button' }],
    });
    expect(await queued()).toBe(before);
  });

  it.each([
    ['run', { c: 'signin', a: { token: 'sesame' } }],
    ['run', { c: 'signin', a: {} }],
    ['form', { c: 'signin', a: { login: 'mallory' } }],
    ['turn', { c: 'signin', a: { login: 'mallory', password: 'sesame' } }],
    ['form', { c: 'repo migrate', a: { token: 'sesame' } }],
    ['run', { c: 'hook create', a: { address: 'https://ci.example.org', secret: 'sesame' } }],
    ['run', { c: 'issue close', a: { isue: {} } }],
  ])('a forged button with a secret, a sign-in or an unknown argument: %s %j', async (action_id, value) => {
    const { slack } = bellows;
    await slack.forge('interactive', {
      type: 'block_actions',
      team: { id: slack.teamId },
      user: { id: 'U0ADA00001', team_id: slack.teamId },
      trigger_id: '1.2',
      actions: [{ action_id, block_id: 'b', action_ts: '1', value: JSON.stringify(value), type: 'button' }],
    });
    expect(await queued()).toBe(before);
    expect(JSON.stringify(slack.as('ada').openView() ?? {})).not.toMatch(/mallory|sesame/);
  });

  it('a form with made-up metadata', async () => {
    await bellows.slack.forge('interactive', {
      type: 'view_submission',
      team: { id: bellows.slack.teamId },
      user: { id: 'U0ADA00001', team_id: bellows.slack.teamId },
      view: {
        id: 'V1',
        callback_id: 'form',
        private_metadata: '{"command":"issue close","admin":true}',
        state: { values: {} },
      },
    });
    expect(await queued()).toBe(before);
    expect(bellows.logged.join('')).toContain('refused a form that was not drawn here');
  });

  it('a form drawn for someone else, or with other values than it was drawn with', async () => {
    const { slack } = bellows;
    await slack.as('ada').command('engine', '/forge', 'issue comment acme/engine#2');
    const drawn = slack.as('ada').openView()?.privateMetadata ?? '';
    expect(drawn).toContain('issue comment');
    const forms = [
      { user: 'U0GRACE001', meta: drawn },
      { user: 'U0ADA00001', meta: drawn.replace('issue comment', 'issue close') },
      { user: 'U0ADA00001', meta: drawn.replace(/,"mac":.*/, '}') },
    ];
    for (const { user, meta } of forms) {
      await slack.forge('interactive', {
        type: 'view_submission',
        team: { id: slack.teamId },
        user: { id: user, team_id: slack.teamId },
        view: {
          id: 'V2',
          callback_id: 'form',
          private_metadata: meta,
          state: { values: { issue: { issue: { type: 'plain_text_input', value: 'acme/engine#2' } } } },
        },
      });
    }
    expect(await queued()).toBe(before);
  });

  it('the same command delivered twice is one job', async () => {
    const twice = command(bellows);
    await bellows.slack.forge('slash_commands', twice);
    await bellows.slack.forge('slash_commands', twice);
    expect(await queued()).toBe(before + 1);
  });
});
