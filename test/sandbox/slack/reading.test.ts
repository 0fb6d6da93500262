import { describe, expect, it } from 'vitest';
import { ada, clientOf, engine, grace, refusal, slackFor } from './support.js';

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

  it('reads newest first, from a time on, page by page', async () => {
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

  it('says which channels are shared with another organization', async () => {
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
