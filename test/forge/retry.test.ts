import { afterEach, describe, expect, it } from 'vitest';
import { answering, closePlayed, forgeAt, issue, json, play, text, token } from './support/server.js';

afterEach(closePlayed);

const at = { owner: 'ada', repo: 'engine', index: 12 };
const comment = { id: 1, body: 'hello', html_url: '', user: null };

describe('a retry', () => {
  it.each([502, 503, 504])('helps a read over a %i', async (status) => {
    let failing = 2;
    const server = await play(
      answering((_, response) => {
        failing -= 1;
        if (failing >= 0) text(response, status, 'down');
        else json(response, 200, issue(12));
      }),
    );
    expect((await forgeAt(server.url).as(token).issues.get(at)).number).toBe(12);
    expect(server.seen).toHaveLength(3);
  });

  it('helps an idempotent write over a broken connection', async () => {
    let broken = false;
    const server = await play(
      answering((_, response) => {
        if (broken) json(response, 201, issue(12));
        else response.destroy();
        broken = true;
      }),
    );
    await forgeAt(server.url)
      .as(token)
      .issues.edit({ ...at, body: { state: 'closed' } });
    expect(server.seen.map(({ body }) => body)).toEqual(['{"state":"closed"}', '{"state":"closed"}']);
  });

  it.each(['destroy', 'status'] as const)('never happens for what must be sent once (%s)', async (how) => {
    const server = await play(
      answering((_, response) => {
        if (how === 'destroy') response.destroy();
        else text(response, 503, 'down');
      }),
    );
    const call = forgeAt(server.url)
      .as(token)
      .issues.comment({ ...at, body: { body: 'hello' } });
    await expect(call).rejects.toMatchObject({ kind: 'unavailable' });
    expect(server.seen).toHaveLength(1);
  });

  it.each([500, 404, 409, 429])('does not happen after a %i', async (status) => {
    const server = await play(answering((_, response) => json(response, status, { message: '' })));
    await expect(forgeAt(server.url).as(token).issues.get(at)).rejects.toMatchObject({ status });
    expect(server.seen).toHaveLength(1);
  });

  it('ends after three attempts', async () => {
    const server = await play(answering((_, response) => text(response, 503, 'down')));
    await expect(forgeAt(server.url).as(token).issues.get(at)).rejects.toMatchObject({
      kind: 'unavailable',
      status: 503,
    });
    expect(server.seen).toHaveLength(3);
  });

  it('waits as long as the server asks, unless that is too long', async () => {
    const server = await play(
      answering((_, response) => response.writeHead(503, { 'retry-after': '120' }).end('maintenance')),
    );
    await expect(forgeAt(server.url).as(token).issues.get(at)).rejects.toMatchObject({ retryAfter: 120 });
    expect(server.seen).toHaveLength(1);
  });

  it('randomizes its pauses', async () => {
    const drawn: number[] = [];
    const server = await play(answering((_, response) => text(response, 503, 'down')));
    const random = () => {
      drawn.push(0.5);
      return 0.5;
    };
    await expect(forgeAt(server.url, { random }).as(token).issues.get(at)).rejects.toThrow();
    expect(drawn).toHaveLength(2);
  });
});

describe('the circuit', () => {
  it('opens after repeated failures, lets one probe through, and closes when that is answered', async () => {
    let down = true;
    let clock = 1_000_000;
    const server = await play(
      answering((_, response) => {
        if (down) text(response, 503, 'down');
        else json(response, 201, comment);
      }),
    );
    const lines: string[] = [];
    const log = { debug: () => undefined, warn: (_: object, words: string) => void lines.push(words) };
    const forge = forgeAt(server.url, { now: () => clock, breaker: { threshold: 3, coolMs: 10_000 }, log });
    const say = () => forge.as(token).issues.comment({ ...at, body: { body: 'hello' } });

    for (let failed = 0; failed < 3; failed += 1) await expect(say()).rejects.toMatchObject({ status: 503 });
    await expect(say()).rejects.toMatchObject({
      kind: 'unavailable',
      status: undefined,
      neverSent: true,
      retryAfter: 10,
    });
    expect(server.seen).toHaveLength(3);

    clock += 10_000;
    await expect(say()).rejects.toMatchObject({ status: 503 });
    await expect(say()).rejects.toMatchObject({ neverSent: true });
    expect(server.seen).toHaveLength(4);

    clock += 10_000;
    down = false;
    const outcomes = await Promise.allSettled([say(), say(), say()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(say()).resolves.toMatchObject({ id: 1 });
    expect(lines).toEqual(['forge circuit opened', 'forge circuit closed']);
  });

  it('ignores mistakes of callers', async () => {
    const server = await play(answering((_, response) => json(response, 500, { message: '' })));
    const forge = forgeAt(server.url, { breaker: { threshold: 1 } });
    await expect(forge.as(token).issues.get(at)).rejects.toMatchObject({ status: 500 });
    await expect(forge.as(token).issues.get(at)).rejects.toMatchObject({ status: 500 });
  });
});
