import { describe, expect, it } from 'vitest';
import { engine, general, grace, slackFor, socketApp } from './support.js';

describe('what a person types', () => {
  it.each([
    ['issue assign @grace', `issue assign <@${grace}|grace>`],
    ['link #general', `link <#${general}|general>`],
    ['peek #private', 'peek <#C0PRIVATE1|>'],
    ['issue show ada/engine#12', 'issue show ada/engine#12'],
    ['see https://forge.test/a/b?x=1&y=2', 'see <https://forge.test/a/b?x=1&amp;y=2>'],
    ['a < b & c', 'a &lt; b &amp; c'],
    ['ask @nobody', 'ask @nobody'],
  ])('%s arrives as %s', async (typed, arrived) => {
    const slack = await slackFor();
    let text = '';
    await socketApp(slack, (app) => {
      app.command('/forge', async ({ ack, command }) => {
        text = command.text;
        await ack();
      });
    });
    await slack.as('ada').command(engine, '/forge', typed);
    expect(text).toBe(arrived);
  });

  it('is refused when the app has no such command', async () => {
    const slack = await slackFor({ commands: ['/forge'] });
    expect(await slack.as('ada').command(engine, '/gitea')).toMatchObject({ ok: false, error: 'invalid_command' });
  });

  it('works only where the person is', async () => {
    const slack = await slackFor({
      seed: { channels: [{ id: 'C0PRIVATE1', name: 'private', kind: 'private', members: ['ada'] }] },
    });
    await expect(slack.as('grace').command('private', '/forge')).rejects.toThrow('grace is not in private');
  });
});

describe('waiting', () => {
  it('ends when the condition holds, and fails if it never does', async () => {
    const slack = await slackFor();
    const waiting = slack.until(() => slack.state.messages(general)[0]);
    await slack.as('ada').post(general, 'here');
    expect(await waiting).toMatchObject({ text: 'here' });
    await expect(slack.until(() => false, 20)).rejects.toThrow('Nothing satisfied the condition within 20 ms');
  });
});
