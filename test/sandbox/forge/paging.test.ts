import { expect, it } from 'vitest';
import { ask, forges, rows } from './ask.js';

const start = forges();

async function crowded(count: number) {
  const forge = await start({ rootUrl: 'http://forge.example/' });
  forge.world.createUser({ login: 'prolific' });
  forge.world.createRepo({ as: 'prolific', owner: 'prolific', name: 'notes' });
  for (let number = 1; number <= count; number += 1) {
    forge.world.openIssue({ as: 'prolific', repo: 'prolific/notes', title: `Note ${number}` });
  }
  return forge;
}

it('returns 30 by default, never more than 50, and does not say so', async () => {
  const forge = await crowded(60);
  const size = async (query: string) =>
    rows(await ask(forge, 'linus', `GET /users/prolific/activities/feeds?${query}`)).length;
  expect([await size(''), await size('limit=50'), await size('limit=500'), await size('page=0&limit=3')]).toEqual([
    30, 50, 50, 3,
  ]);
});

it('links pages by the address it believes it has', async () => {
  const forge = await crowded(5);
  const page = await ask(forge, 'linus', 'GET /repos/issues/search?owner=prolific&limit=2&page=2');
  expect(page.headers['x-total-count']).toBe('5');
  const at = (number: number, rel: string) =>
    `<http://forge.example/api/v1/repos/issues/search?limit=2&owner=prolific&page=${number}>; rel="${rel}"`;
  expect(page.headers['link']).toBe([at(3, 'next'), at(3, 'last'), at(1, 'first'), at(1, 'prev')].join(','));
});

it('computes the links of the issue search from the limit as sent', async () => {
  const forge = await crowded(60);
  const page = await ask(forge, 'linus', 'GET /repos/issues/search?owner=prolific&limit=100');
  expect(rows(page)).toHaveLength(50);
  expect(page.headers['link']).toBeUndefined();
});

it('counts feeds without linking them, and runners only in the body', async () => {
  const forge = await crowded(3);
  const feed = await ask(forge, 'linus', 'GET /users/prolific/activities/feeds?limit=1');
  expect(feed.headers).toMatchObject({ 'x-total-count': expect.any(String) });
  expect(feed.headers['link']).toBeUndefined();
  const runners = await ask(forge, 'ada', 'GET /admin/actions/runners?limit=1');
  expect(runners).toMatchObject({ answer: { total_count: 3 } });
  expect(runners.headers['x-total-count']).toBeUndefined();
});

it('says for commits whether there are more', async () => {
  const forge = await start();
  const page = await ask(
    forge,
    'ada',
    'GET /repos/acme/engine/commits?limit=2&stat=false&files=false&verification=false',
  );
  expect(page.headers).toMatchObject({
    'x-hasmore': 'true',
    'x-page': '1',
    'x-perpage': '2',
    'x-total': page.headers['x-total-count'],
  });
  expect(rows(page)[0]).toMatchObject({ stats: null, files: null });
});

it('finds commits by branch, path, time and exclusion', async () => {
  const forge = await start();
  const messages = async (query: string) =>
    rows(await ask(forge, 'ada', `GET /repos/acme/engine/commits?${query}`)).map(
      (each) => (each['commit'] as { message: string }).message,
    );
  expect(await messages('sha=queue-limit&not=main')).toEqual(['Drop the least important job\n']);
  expect(await messages('sha=printer&path=src/paper.go')).toEqual(['Feed paper\n']);
  expect(await messages('until=2001-01-01T00:00:00Z')).toEqual([]);
  expect((await ask(forge, 'ada', 'GET /repos/acme/engine/commits?sha=nothing')).status).toBe(404);
  expect((await ask(forge, 'ada', 'GET /repos/acme/engine/commits?since=yesterday')).status).toBe(422);
});

it('reports its page sizes', async () => {
  const forge = await start({ pageMax: 10 });
  expect((await ask(forge, 'ada', 'GET /settings/api')).answer).toMatchObject({
    max_response_items: 10,
    default_paging_num: 10,
  });
});
