import { describe, expect, it } from 'vitest';
import { clientOf, engine, general, refusal, slackFor } from './support.js';

describe('faults on demand', () => {
  it('fails the next calls of one method and then recovers', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    slack.faults.next('chat.postMessage', { kind: 'status', status: 500 }, 2);
    const post = () => client.chat.postMessage({ channel: general, text: 'a' });
    await expect(post()).rejects.toMatchObject({ statusCode: 500 });
    await expect(post()).rejects.toMatchObject({ statusCode: 500 });
    expect((await post()).ok).toBe(true);
    expect(slack.state.messages(general)).toHaveLength(1);
  });

  it('never answers', async () => {
    const slack = await slackFor();
    slack.faults.next('chat.postMessage', { kind: 'silence' });
    const client = clientOf(slack, slack.botToken, { timeout: 50 });
    await expect(client.chat.postMessage({ channel: general, text: 'a' })).rejects.toThrow();
    expect(slack.state.messages(general)).toEqual([]);
  });

  it.each([['drop' as const], ['status' as const], ['silence' as const]])(
    'accepts the post and loses the answer (%s)',
    async (how) => {
      const slack = await slackFor();
      slack.faults.next('chat.postMessage', { kind: 'lost', how });
      const client = clientOf(slack, slack.botToken, { timeout: 200 });
      await expect(client.chat.postMessage({ channel: general, text: 'a' })).rejects.toThrow();
      expect(slack.state.messages(general)).toMatchObject([{ text: 'a' }]);
    },
  );

  it('drops the connection before anything happened', async () => {
    const slack = await slackFor();
    slack.faults.next('*', { kind: 'drop' });
    await expect(clientOf(slack).chat.postMessage({ channel: general, text: 'a' })).rejects.toThrow();
    expect(slack.state.messages(general)).toEqual([]);
  });

  it('answers with a chosen error, for the chosen calls', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    const here = (args: { channel?: unknown }) => args.channel === engine;
    slack.faults.next('chat.postMessage', { kind: 'error', error: 'fatal_error' }, 1, here);
    expect((await client.chat.postMessage({ channel: general, text: 'a' })).ok).toBe(true);
    expect(await refusal(client.chat.postMessage({ channel: engine, text: 'a' }))).toMatchObject({
      error: 'fatal_error',
    });
  });

  it('says when to retry', async () => {
    const slack = await slackFor();
    slack.faults.next('chat.update', { kind: 'ratelimited', retryAfter: 7 });
    const call = clientOf(slack).chat.update({ channel: general, ts: '1.1', text: 'a' });
    await expect(call).rejects.toMatchObject({ retryAfter: 7 });
  });
});

describe('rate limits', () => {
  it('lets a channel take about one post a second after a short burst', async () => {
    let now = 1_700_000_000_000;
    const slack = await slackFor({ limits: true, clock: () => now });
    const client = clientOf(slack);
    const post = (channel: string) => client.chat.postMessage({ channel, text: 'a' });
    for (let i = 0; i < 3; i += 1) await post(general);
    await expect(post(general)).rejects.toMatchObject({ retryAfter: 1 });
    expect((await post(engine)).ok).toBe(true);
    now += 1000;
    expect((await post(general)).ok).toBe(true);
  });

  it('counts direct messages as one place, by person or by conversation', async () => {
    const slack = await slackFor({ limits: true, clock: () => 1_700_000_000_000 });
    const post = (channel: string) => clientOf(slack).chat.postMessage({ channel, text: 'a' });
    const { dm, id } = slack.as('ada');
    for (const channel of [id, dm, id]) await post(channel);
    await expect(post(dm)).rejects.toMatchObject({ retryAfter: 1 });
  });

  it('keeps each method to its tier', async () => {
    let now = 1_700_000_000_000;
    const slack = await slackFor({ limits: true, clock: () => now });
    const client = clientOf(slack);
    for (let i = 0; i < 20; i += 1) await client.users.list({});
    await expect(client.users.list({})).rejects.toMatchObject({ retryAfter: 60 });
    now += 60_000;
    expect((await client.users.list({})).ok).toBe(true);
  });

  it('is off unless asked for', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    for (let i = 0; i < 30; i += 1) await client.users.list({});
    expect(slack.calls.of('users.list')).toHaveLength(30);
  });
});
