import { describe, expect, it } from 'vitest';
import { ada, clientOf, general, grace, refusal, section, slackFor } from './support.js';

describe('posting', () => {
  it('gives each message of a channel its own ts', async () => {
    const slack = await slackFor({ clock: () => 1_700_000_000_000 });
    const client = clientOf(slack);
    const posts = await Promise.all(['a', 'b', 'c'].map((text) => client.chat.postMessage({ channel: general, text })));
    expect(new Set(posts.map(({ ts }) => ts)).size).toBe(3);
  });

  it.each([
    ['C0NOWHERE1', 'channel_not_found'],
    ['C0CLOSED01', 'channel_not_found'],
    ['C0OUTSIDE1', 'not_in_channel'],
    ['C0OLD00001', 'is_archived'],
  ])('refuses %s with %s', async (channel, error) => {
    const slack = await slackFor({
      seed: {
        channels: [
          { id: 'C0CLOSED01', name: 'closed', kind: 'private', bot: false },
          { id: 'C0OUTSIDE1', name: 'outside', bot: false },
          { id: 'C0OLD00001', name: 'old', archived: true },
        ],
      },
    });
    expect(await refusal(clientOf(slack).chat.postMessage({ channel, text: 'hello' }))).toMatchObject({ error });
  });

  it('refuses an empty message', async () => {
    const slack = await slackFor();
    expect(await refusal(clientOf(slack).chat.postMessage({ channel: general, text: '' }))).toMatchObject({
      error: 'no_text',
    });
  });

  it('reaches a person by their id', async () => {
    const slack = await slackFor();
    await clientOf(slack).chat.postMessage({ channel: ada, text: 'psst' });
    expect(slack.as('ada').sees(slack.as('ada').dm)).toMatchObject([{ text: 'psst' }]);
  });

  it('records blocks without a fallback text', async () => {
    const slack = await slackFor();
    await clientOf(slack).chat.postMessage({ channel: general, blocks: [section('hello')], text: '' });
    expect(slack.failures.of('no_fallback')).toHaveLength(1);
  });

  it('truncates a text after 40000 characters', async () => {
    const slack = await slackFor();
    await clientOf(slack).chat.postMessage({ channel: general, text: 'x'.repeat(40_001) });
    expect(slack.state.messages(general)[0]?.text).toHaveLength(40_000);
  });

  it('shows an ephemeral message to one person, who must be in the channel', async () => {
    const slack = await slackFor({
      seed: { channels: [{ id: general, name: 'general', members: ['ada'] }] },
    });
    const client = clientOf(slack);
    await client.chat.postEphemeral({ channel: general, user: ada, text: 'only you' });
    expect(slack.as('ada').sees(general)).toMatchObject([{ text: 'only you', onlyFor: ada }]);
    expect(slack.as('grace').sees(general)).toEqual([]);
    const other = client.chat.postEphemeral({ channel: general, user: grace, text: 'you' });
    expect(await refusal(other)).toMatchObject({ error: 'user_not_in_channel' });
  });

  it('links to a message', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    const { ts = '' } = await client.chat.postMessage({ channel: general, text: 'hello' });
    const { permalink } = await client.chat.getPermalink({ channel: general, message_ts: ts });
    expect(permalink).toContain(`/archives/${general}/p${ts.replace('.', '')}`);
  });
});

describe('changing messages', () => {
  it('changes and deletes only what the bot wrote', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    const posted = await slack.as('ada').post(general, 'mine');
    const own = { channel: general, ts: posted.ts };
    expect(await refusal(client.chat.update({ ...own, text: 'x' }))).toMatchObject({ error: 'cant_update_message' });
    expect(await refusal(client.chat.delete(own))).toMatchObject({ error: 'cant_delete_message' });
  });

  it('refuses a text beyond 4000 characters on update', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    const { ts = '' } = await client.chat.postMessage({ channel: general, text: 'hello' });
    const call = client.chat.update({ channel: general, ts, text: 'x'.repeat(4001) });
    expect(await refusal(call)).toMatchObject({ error: 'msg_too_long' });
  });

  it('does not let rich text become anything else', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    const rich = {
      type: 'rich_text' as const,
      elements: [{ type: 'rich_text_section' as const, elements: [{ type: 'text' as const, text: 'a' }] }],
    };
    const { ts = '' } = await client.chat.postMessage({ channel: general, text: 'a', blocks: [rich] });
    const call = client.chat.update({ channel: general, ts, text: 'b', blocks: [section('b')] });
    expect(await refusal(call)).toMatchObject({ error: 'block_mismatch' });
  });

  it('keeps blocks that an update does not mention', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    const { ts = '' } = await client.chat.postMessage({ channel: general, text: 'a', blocks: [section('a')] });
    await client.chat.update({ channel: general, ts, text: 'b' });
    expect(slack.state.messages(general)).toMatchObject([{ text: 'b', blocks: [{ type: 'section' }] }]);
  });

  it('does not find missing messages', async () => {
    const slack = await slackFor();
    const call = clientOf(slack).chat.update({ channel: general, ts: '1.000001', text: 'x' });
    expect(await refusal(call)).toMatchObject({ error: 'message_not_found' });
  });
});
