import { describe, expect, it } from 'vitest';
import { ada, clientOf, engine, general, grace, refusal, section, slackFor } from './support.js';

describe('tokens and scopes', () => {
  it('tells a bot who it is', async () => {
    const slack = await slackFor();
    const me = await clientOf(slack).auth.test();
    expect(me).toMatchObject({ ok: true, team_id: slack.teamId, user_id: slack.botUserId });
  });

  it.each([
    ['', 'not_authed'],
    ['xoxb-unknown', 'invalid_auth'],
    ['xapp-sandbox', 'not_allowed_token_type'],
  ])('refuses the token "%s" with %s', async (token, error) => {
    const slack = await slackFor();
    const call = clientOf(slack, token).chat.postMessage({ channel: general, text: 'hello' });
    expect(await refusal(call)).toMatchObject({ error });
  });

  it('refuses a revoked token', async () => {
    const slack = await slackFor();
    slack.revokeToken();
    expect(await refusal(clientOf(slack).auth.test())).toMatchObject({ error: 'token_revoked' });
  });

  it('names the scope that is missing and those that are there', async () => {
    const slack = await slackFor({ scopes: ['commands'] });
    const answer = await refusal(clientOf(slack).chat.postMessage({ channel: general, text: 'hello' }));
    expect(answer).toMatchObject({ error: 'missing_scope', needed: 'chat:write', provided: 'commands' });
  });

  it('keeps the e-mail address from those who may not read it', async () => {
    const slack = await slackFor({ scopes: ['users:read'] });
    const { user } = await clientOf(slack).users.info({ user: ada });
    expect(user?.profile?.email).toBeUndefined();
  });

  it('does not know other methods', async () => {
    const slack = await slackFor();
    expect(await refusal(clientOf(slack).apiCall('dialog.open'))).toMatchObject({ error: 'unknown_method' });
  });

  it('records each call without its token', async () => {
    const slack = await slackFor();
    await clientOf(slack).apiCall('chat.postMessage', { token: slack.botToken, channel: general, text: 'hello' });
    expect(slack.calls.of('chat.postMessage')).toMatchObject([{ token: 'bot', args: { text: 'hello' } }]);
    expect(JSON.stringify(slack.calls.all)).not.toContain(slack.botToken);
  });

  it('installs once per code', async () => {
    const slack = await slackFor();
    const code = slack.grantCode();
    const args = { client_id: 'sandbox-client', client_secret: 'sandbox-client-secret', code };
    const installed = await clientOf(slack, '').oauth.v2.access(args);
    expect((await clientOf(slack, installed.access_token).auth.test()).ok).toBe(true);
    expect(await refusal(clientOf(slack, '').oauth.v2.access(args))).toMatchObject({ error: 'code_already_used' });
  });
});

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

  it('refuses a message that says nothing', async () => {
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

  it('notes blocks without a fallback text', async () => {
    const slack = await slackFor();
    await clientOf(slack).chat.postMessage({ channel: general, blocks: [section('hello')], text: '' });
    expect(slack.failures.of('no_fallback')).toHaveLength(1);
  });

  it('cuts a text after 40000 characters', async () => {
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
    const theirs = await slack.as('ada').post(general, 'mine');
    const own = { channel: general, ts: theirs.ts };
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

  it('does not find what is not there', async () => {
    const slack = await slackFor();
    const call = clientOf(slack).chat.update({ channel: general, ts: '1.000001', text: 'x' });
    expect(await refusal(call)).toMatchObject({ error: 'message_not_found' });
  });
});

describe('reading back', () => {
  it('returns metadata from history and from threads when asked', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    const metadata = { event_type: 'outbox', event_payload: { id: '42' } };
    const { ts = '' } = await client.chat.postMessage({ channel: engine, text: 'parent', metadata });
    await client.chat.postMessage({ channel: engine, text: 'reply', thread_ts: ts, metadata });
    const history = await client.conversations.history({ channel: engine, include_all_metadata: true });
    expect(history.messages).toMatchObject([{ text: 'parent', reply_count: 1, metadata }]);
    const replies = await client.conversations.replies({ channel: engine, ts, include_all_metadata: true });
    expect(replies.messages).toMatchObject([{ text: 'parent' }, { text: 'reply', metadata }]);
  });

  it('reads newest first, from a moment on, page by page', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    const first = await client.chat.postMessage({ channel: engine, text: '1' });
    for (const text of ['2', '3', '4']) await client.chat.postMessage({ channel: engine, text });
    const page = await client.conversations.history({ channel: engine, oldest: first.ts ?? '', limit: 2 });
    expect(page).toMatchObject({ has_more: true, messages: [{ text: '4' }, { text: '3' }] });
    const cursor = page.response_metadata?.next_cursor ?? '';
    const next = await client.conversations.history({ channel: engine, oldest: first.ts ?? '', limit: 2, cursor });
    expect(next).toMatchObject({ has_more: false, messages: [{ text: '2' }] });
  });

  it('needs the optional history scopes', async () => {
    const slack = await slackFor({ historyScopes: false });
    const call = clientOf(slack).conversations.history({ channel: engine });
    expect(await refusal(call)).toMatchObject({ error: 'missing_scope', needed: 'channels:history' });
  });

  it.each([
    [{ event_type: 'x' }, 'invalid_metadata_format'],
    [{ event_type: 'x', event_payload: { big: 'x'.repeat(20_000) } }, 'metadata_too_large'],
  ])('refuses metadata that is incomplete or too large', async (metadata, error) => {
    const slack = await slackFor();
    const call = clientOf(slack).apiCall('chat.postMessage', { channel: engine, text: 'a', metadata });
    expect(await refusal(call)).toMatchObject({ error });
  });

  it('says which channels are shared with another organisation', async () => {
    const slack = await slackFor({
      seed: { channels: [{ id: 'C0SHARED01', name: 'partners', sharedWith: ['T0PARTNER1'] }] },
    });
    const { channel } = await clientOf(slack).conversations.info({ channel: 'C0SHARED01' });
    expect(channel).toMatchObject({ is_ext_shared: true, is_private: false, is_member: true });
  });

  it('finds people and groups', async () => {
    const slack = await slackFor({
      seed: { userGroups: [{ id: 'S0OPERATE1', handle: 'operators', users: [ada] }] },
    });
    const client = clientOf(slack);
    expect((await client.users.lookupByEmail({ email: 'Grace@example.test' })).user?.id).toBe(grace);
    expect(await refusal(client.users.lookupByEmail({ email: 'x@example.test' }))).toMatchObject({
      error: 'users_not_found',
    });
    expect((await client.usergroups.users.list({ usergroup: 'S0OPERATE1' })).users).toEqual([ada]);
  });
});
