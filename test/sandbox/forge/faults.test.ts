import { expect, it } from 'vitest';
import { ask, forges, rows } from './ask.js';

const start = forges();
const feed = 'GET /repos/{owner}/{repo}/activities/feeds';
const asked = 'GET /repos/acme/engine/activities/feeds?limit=2';

it('answers with a chosen status, as often as requested', async () => {
  const forge = await start();
  forge.faults.add({ on: feed, times: 2, trouble: { status: 502 } });
  const statuses = [await ask(forge, 'ada', asked), await ask(forge, 'ada', asked), await ask(forge, 'ada', asked)];
  expect(statuses.map(({ status }) => status)).toEqual([502, 502, 200]);
});

it('answers with a proxy’s page', async () => {
  const forge = await start();
  forge.faults.add({ on: /^GET \/user$/, trouble: { html: 503 } });
  expect(await ask(forge, 'ada', 'GET /user')).toMatchObject({
    status: 503,
    answer: { __raw: expect.stringContaining('<html>') },
  });
});

it('truncates a body', async () => {
  const forge = await start();
  forge.faults.add({ on: feed, trouble: { cut: 0.5 } });
  await expect(ask(forge, 'ada', asked)).rejects.toThrow();
});

it('hangs up before the work, or after it', async () => {
  const forge = await start();
  const comments = 'POST /repos/{owner}/{repo}/issues/{index}/comments';
  const count = () => forge.world.issue('acme/engine', 4)?.comments.filter((each) => each.body === 'x').length;
  const comment = () => ask(forge, 'ada', 'POST /repos/acme/engine/issues/4/comments', { body: 'x' });
  forge.faults.add({ on: comments, trouble: { drop: 'before' } });
  await expect(comment()).rejects.toThrow();
  expect(count()).toBe(0);
  forge.faults.add({ on: comments, trouble: { drop: 'after' } });
  await expect(comment()).rejects.toThrow();
  expect(count()).toBe(1);
  expect(forge.requests.of(comments).map(({ status }) => status)).toEqual([0, 0]);
});

it('repeats a page forever', async () => {
  const forge = await start();
  const stop = forge.faults.add({ on: feed, times: Number.POSITIVE_INFINITY, trouble: { repeatPage: 1 } });
  const one = rows(await ask(forge, 'ada', asked));
  expect(rows(await ask(forge, 'ada', `${asked}&page=2`))).toEqual(one);
  stop();
  expect(rows(await ask(forge, 'ada', `${asked}&page=2`))).not.toEqual(one);
});

it('keeps a request waiting', async () => {
  const forge = await start();
  forge.faults.add({ trouble: { delay: 30 } });
  const before = performance.now();
  expect((await ask(forge, 'ada', 'GET /user')).status).toBe(200);
  expect(performance.now() - before).toBeGreaterThanOrEqual(29);
});

it('sends any text', async () => {
  const forge = await start();
  forge.faults.add({ on: 'GET /user', trouble: { text: '{"id":9223372036854775807}' } });
  expect((await ask(forge, 'ada', 'GET /user')).status).toBe(200);
});

it('remembers who requested what', async () => {
  const forge = await start();
  await ask(forge, 'grace', 'POST /repos/acme/engine/issues/4/comments', { body: 'seen' });
  expect(forge.requests.all.at(-1)).toMatchObject({
    who: 'grace',
    method: 'POST',
    path: '/repos/acme/engine/issues/4/comments',
    body: { body: 'seen' },
    status: 201,
  });
});
