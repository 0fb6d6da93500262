import { describe, expect, it } from 'vitest';
import { ada, clientOf, general, refusal, slackFor } from './support.js';

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

  it('hides the email address from those who may not read it', async () => {
    const slack = await slackFor({ scopes: ['users:read'] });
    const { user } = await clientOf(slack).users.info({ user: ada });
    expect(user?.profile?.email).toBeUndefined();
  });

  it('refuses unknown methods', async () => {
    const slack = await slackFor();
    expect(await refusal(clientOf(slack).apiCall('dialog.open'))).toMatchObject({ error: 'unknown_method' });
    expect(await refusal(clientOf(slack).apiCall('constructor'))).toMatchObject({ error: 'unknown_method' });
  });

  it.each([
    ['auth.test', 'xoxb-sandbox', 'in the body', { ok: true }],
    ['auth.test', 'xoxb-sandbox', 'in the query', { error: 'not_authed' }],
    ['apps.connections.open', 'xapp-sandbox', 'in the body', { error: 'not_authed' }],
  ])('reads the token of %s (%s) where it belongs: %s', async (method, token, where, answer) => {
    const slack = await slackFor();
    const query = where === 'in the query' ? `?token=${token}` : '';
    const body = new URLSearchParams(query === '' ? { token } : {});
    const response = await fetch(`${slack.apiUrl}${method}${query}`, { method: 'POST', body });
    expect(await response.json()).toMatchObject(answer);
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
