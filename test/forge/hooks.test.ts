import { afterEach, describe, expect, it } from 'vitest';
import type { CallResult, OperationName } from '../../src/forge/index.js';
import { answering, closePlayed, forgeAt, json, play, text, token, user } from './support/server.js';

afterEach(closePlayed);

const comment = { owner: 'ada', repo: 'engine', index: 12, body: { body: 'hello' } };

describe('the caller', () => {
  it('is asked before the request is sent, and gets the result', async () => {
    const order: string[] = [];
    const results: CallResult[] = [];
    const server = await play(
      answering((_, response) => {
        order.push('sent');
        json(response, 201, { id: 1, body: 'hello', html_url: '' });
      }),
    );
    const api = forgeAt(server.url).as(token, {
      before: async (name, entry) => void order.push(`${name} ${entry.effect}`),
      after: (name, result) => {
        order.push(`${name} done`);
        results.push(result);
      },
    });
    await api.issues.comment(comment);
    expect(order).toEqual(['issues.comment once', 'sent', 'issues.comment done']);
    expect(results).toMatchObject([{ status: 201, kind: undefined, ms: expect.any(Number) }]);
  });

  it('may stop it', async () => {
    const server = await play(answering((_, response) => json(response, 200, user)));
    const before = () => {
      throw new Error('not now');
    };
    await expect(forgeAt(server.url).as(token, { before }).users.me()).rejects.toThrow('not now');
    expect(server.seen).toEqual([]);
  });

  it('gets the kind of a failure', async () => {
    const results: [OperationName, CallResult][] = [];
    const server = await play(answering((_, response) => text(response, 403, '')));
    const api = forgeAt(server.url).as(token, { after: (name, result) => void results.push([name, result]) });
    await expect(api.users.me()).rejects.toMatchObject({ kind: 'forbidden' });
    expect(results).toMatchObject([['users.me', { status: 403, kind: 'forbidden' }]]);
  });

  it('is not asked about what is refused here', async () => {
    const asked: string[] = [];
    const server = await play(answering((_, response) => json(response, 200, user)));
    const api = forgeAt(server.url).as(token, { before: (name) => void asked.push(name) });
    await expect(api.issues.comment({ ...comment, body: { body: '' } })).rejects.toMatchObject({
      kind: 'invalid',
      neverSent: true,
    });
    expect(asked).toEqual([]);
  });
});
