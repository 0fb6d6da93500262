import { afterEach, describe, expect, it } from 'vitest';
import { answering, closePlayed, forgeAt, issue, json, play, type Seen, text, token } from './support/server.js';

afterEach(closePlayed);

const numbers = async (items: AsyncIterable<{ number: number }>) => {
  const found: number[] = [];
  for await (const { number } of items) found.push(number);
  return found;
};

const upTo = (count: number) => Array.from({ length: count }, (_, place) => place + 1);

function asked(request: Seen): { page: number; limit: number } {
  const { searchParams } = new URL(request.path, 'http://forge');
  return { page: Number(searchParams.get('page') ?? 1), limit: Number(searchParams.get('limit') ?? 30) };
}

/** Issues 1 to `count`, with the server's own page size. */
function serving(count: number, { most = 50, headers = () => ({}) as Record<string, string> } = {}) {
  return answering((request, response) => {
    const { page, limit } = asked(request);
    const size = Math.min(limit, most);
    const cut = upTo(count).slice((page - 1) * size, page * size);
    json(response, 200, cut.map(issue), headers());
  });
}

describe('one page of a list', () => {
  it('comes with the server’s total', async () => {
    const server = await play(serving(70, { headers: () => ({ 'x-total-count': '70' }) }));
    const page = await forgeAt(server.url)
      .as(token)
      .issues.search({ query: { limit: 20, page: 2 } });
    expect(page).toMatchObject({ total: 70, hasMore: true });
    expect(page.items).toHaveLength(20);
  });

  it('says whether there is more by the Link header', async () => {
    const link =
      '<http://inside:3000/api/v1/x?limit=2&page=4>; rel="next",<http://inside:3000/api/v1/x?page=9>; rel="last"';
    const server = await play(serving(2, { headers: () => ({ link }) }));
    const page = await forgeAt(server.url).as(token).issues.search();
    expect(page).toMatchObject({ total: undefined, hasMore: true });
  });

  it.each([
    ['bare', (items: unknown) => items, undefined],
    ['in a wrapper', (items: unknown) => ({ workflow_runs: items, total_count: 1 }), 1],
  ])('is read %s', async (_, wrap, total) => {
    const server = await play(
      answering((_request, response) => json(response, 200, wrap([{ id: 5, status: 'queued' }]))),
    );
    const page = await forgeAt(server.url).as(token).runs.list({ owner: 'ada', repo: 'engine' });
    expect(page).toMatchObject({ items: [{ id: 5, status: 'queued' }], total });
  });

  it.each(['null', '', '{"workflow_runs":null,"total_count":0}'])('is empty when the server sends %j', async (body) => {
    const server = await play(answering((_, response) => text(response, 200, body, 'application/json')));
    const page = await forgeAt(server.url).as(token).runs.list({ owner: 'ada', repo: 'engine' });
    expect(page).toMatchObject({ items: [], hasMore: false });
  });

  it('never requests more than the server returns at once', async () => {
    const server = await play((request, response) => {
      if (request.path.endsWith('/settings/api')) json(response, 200, { max_response_items: 10 });
      else serving(100, { most: 10 })(request, response);
    });
    const api = forgeAt(server.url).as(token);
    await api.issues.search({ query: { limit: 50 } });
    await api.issues.search({ query: { limit: 40 } });
    expect(server.seen.map((request) => asked(request).limit)).toEqual([10, 10]);
    expect(server.asked.filter(({ path }) => path.endsWith('/settings/api'))).toHaveLength(1);
  });

  it('names the row and the field that do not match', async () => {
    const server = await play(answering((_, response) => json(response, 200, [issue(1), { ...issue(2), title: 7 }])));
    await expect(forgeAt(server.url).as(token).issues.search()).rejects.toMatchObject({
      kind: 'unavailable',
      hint: expect.stringContaining('list.1.title'),
    });
  });
});

describe('all pages of a list', () => {
  it('end at a short page', async () => {
    const server = await play(serving(120));
    expect(await numbers(forgeAt(server.url).as(token).issues.search.each())).toEqual(upTo(120));
    expect(server.seen.map(asked)).toEqual([1, 2, 3].map((page) => ({ page, limit: 50 })));
  });

  it('end at the total', async () => {
    const server = await play(serving(100, { headers: () => ({ 'x-total-count': '100' }) }));
    expect(await numbers(forgeAt(server.url).as(token).issues.search.each())).toEqual(upTo(100));
    expect(server.seen).toHaveLength(2);
  });

  it('continue past a short page if the Link header names a next one', async () => {
    const server = await play(
      answering((request, response) => {
        const { page } = asked(request);
        json(
          response,
          200,
          page < 3 ? [issue(page)] : [],
          page === 1 ? { link: '<http://forge/?page=2>; rel="next"' } : {},
        );
      }),
    );
    expect(await numbers(forgeAt(server.url).as(token).issues.search.each())).toEqual([1, 2]);
  });

  it('respect the server’s maximum', async () => {
    const server = await play((request, response) => {
      if (request.path.endsWith('/settings/api')) json(response, 200, { max_response_items: 20 });
      else serving(45, { most: 20 })(request, response);
    });
    expect(await numbers(forgeAt(server.url).as(token).issues.search.each())).toEqual(upTo(45));
    expect(server.seen.map(asked)).toEqual([1, 2, 3].map((page) => ({ page, limit: 20 })));
  });

  it('are complete if the server does not state its maximum', async () => {
    const server = await play((request, response) => {
      if (request.path.endsWith('/settings/api')) text(response, 404, '404 page not found\n');
      else serving(45, { most: 20 })(request, response);
    });
    expect(await numbers(forgeAt(server.url).as(token).issues.search.each())).toEqual(upTo(45));
  });

  it('end when the server repeats a page', async () => {
    const server = await play(answering((_, response) => json(response, 200, upTo(50).map(issue))));
    expect(await numbers(forgeAt(server.url).as(token).issues.search.each())).toEqual(upTo(50));
    expect(server.seen).toHaveLength(2);
  });

  it('end when the server loops over pages', async () => {
    const server = await play(
      answering((request, response) =>
        json(
          response,
          200,
          upTo(50).map((number) => issue(number + (asked(request).page % 2) * 50)),
        ),
      ),
    );
    expect(await numbers(forgeAt(server.url).as(token).issues.search.each())).toHaveLength(100);
  });

  it('end at the requested number of items or pages', async () => {
    const server = await play(serving(1000));
    const { each } = forgeAt(server.url).as(token).issues.search;
    expect(await numbers(each({}, { max: 60 }))).toEqual(upTo(60));
    expect(await numbers(each({}, { maxPages: 1 }))).toEqual(upTo(50));
    expect(server.seen).toHaveLength(3);
  });

  it('are one page if the operation has no pages', async () => {
    const people = upTo(60).map((id) => ({ id, login: `user${id}`, full_name: '', avatar_url: '', html_url: '' }));
    const server = await play(answering((_, response) => json(response, 200, people)));
    const logins: string[] = [];
    const api = forgeAt(server.url).as(token);
    for await (const { login } of api.repos.listAssignees.each({ owner: 'ada', repo: 'engine' })) logins.push(login);
    expect(logins).toHaveLength(60);
    expect(server.seen).toHaveLength(1);
  });
});
