import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FeedMark } from '../../src/feed/mark.js';
import { type Poll, pollSource } from '../../src/feed/sources/poll.js';
import type { Polled, Source } from '../../src/feed/sources/source.js';
import { createForge, type Forge } from '../../src/forge/index.js';

const repo = 'acme/engine';
const about = { owner: 'acme', name: 'engine' };
const routes = {
  repo: 'GET /repos/{owner}/{repo}/activities/feeds',
  user: 'GET /users/{username}/activities/feeds',
  runs: 'GET /repos/{owner}/{repo}/actions/runs',
  run: 'GET /repos/{owner}/{repo}/actions/runs/{run}',
  search: 'GET /repos/issues/search',
  inbox: 'GET /notifications',
  timeline: 'GET /repos/{owner}/{repo}/issues/{index}/timeline',
} as const;

let clock: number;
let forge: SandboxForge;
let client: Forge;
let unreadable: string[];
let turns: number;

beforeEach(async () => {
  clock = Date.parse('2026-11-10T09:00:00Z');
  unreadable = [];
  turns = 0;
  forge = await startForge({ clock: () => clock });
  client = createForge({ url: forge.url, retry: { attempts: 1 }, now: () => clock });
});
afterEach(async () => {
  await client.close();
  await forge.close();
});

const apiOf = (login: string) => client.as({ kind: 'token', token: forge.account(login).token() });

/** Polls as ada. */
const poll = (source: Source, mark: FeedMark | undefined, more: Partial<Poll> = {}, login = 'ada'): Promise<Polled> =>
  pollSource(apiOf(login), {
    source,
    about,
    mark,
    now: clock,
    forgeNow: clock,
    onUnreadable: (why) => void unreadable.push(why),
    ...more,
  });
const paced = {
  before: async () => {
    turns += 1;
  },
};
const queries = (route: keyof typeof routes) => forge.requests.of(routes[route]).map(({ query }) => query);
const kinds = ({ events }: Polled) => events.map(({ kind }) => kind);
const titles = ({ events }: Polled) => events.map(({ item }) => item.title);
const later = (ms = 60_000) => {
  clock += ms;
};
const idOf = (name: string) => forge.world.repo(name).id;

describe('a feed', () => {
  it('of an owner shows what anyone did in each repository, one of a person what they did', async () => {
    const { world } = forge;
    const owner = { kind: 'owner', id: world.repo(repo).owner.id } as const;
    const person = { kind: 'user', id: world.user('grace')?.id ?? 0 } as const;
    const of = { owner: { owner: 'acme' }, grace: { owner: 'grace' } };
    const first = await poll(owner, undefined, { about: of.owner });
    const before = await poll(person, undefined, { about: of.grace });
    expect([first.events, before.events]).toEqual([[], []]);
    later();
    world.openIssue({ as: 'grace', repo, title: 'Leak' });
    world.openIssue({ as: 'ada', repo: 'acme/website', title: 'Typo' });
    later();
    forge.requests.clear();
    const seen = await poll(owner, first.mark, { about: of.owner });
    expect(titles(seen).sort()).toEqual(['Leak', 'Typo']);
    expect(seen.rows?.map(({ repo: id }) => id)).toEqual(expect.arrayContaining([idOf(repo), idOf('acme/website')]));
    const pages = [
      { page: '1', limit: '10' },
      { page: '1', limit: '50' },
    ];
    expect(queries('user')).toEqual(pages);
    forge.requests.clear();
    expect(titles(await poll(person, before.mark, { about: of.grace }))).toEqual(['Leak']);
    expect(queries('user')).toEqual(pages.map((page) => ({ ...page, 'only-performed-by': 'true' })));
  });

  it('of a repository shows what happens there, by small pages, or in one go if a webhook announced news', async () => {
    const source = { kind: 'repo', id: idOf(repo) } as const;
    const first = await poll(source, undefined);
    later();
    forge.world.openIssue({ as: 'ada', repo: 'acme/website', title: 'Typo' });
    forge.world.openIssue({ as: 'ada', repo, title: 'Leak' });
    forge.requests.clear();
    const second = await poll(source, first.mark);
    expect(titles(second)).toEqual(['Leak']);
    expect(second.mark.time).toBe(clock);
    expect(queries('repo')).toEqual([
      { page: '1', limit: '10' },
      { page: '1', limit: '50' },
    ]);
    forge.requests.clear();
    expect(titles(await poll(source, first.mark, { woken: true }))).toEqual(['Leak']);
    expect(queries('repo')).toEqual([{ page: '1', limit: '50' }]);
  });

  it('that was empty does not flood anyone with rows of last year', async () => {
    forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'empty' });
    const source = { kind: 'repo', id: idOf('acme/empty') } as const;
    const empty = { about: { owner: 'acme', name: 'empty' } };
    forge.faults.add({ on: routes.repo, times: 2, trouble: { bend: () => [] } });
    const { mark } = await poll(source, undefined, empty);
    forge.faults.clear();
    later();
    const age = (row: object) => ({ ...row, created: '2025-11-10T09:00:00Z' });
    forge.world.openIssue({ as: 'ada', repo: 'acme/empty', title: 'Old' });
    const bend = (body: unknown) => (Array.isArray(body) ? body.map(age) : body);
    forge.faults.add({ on: routes.repo, times: 10, trouble: { bend } });
    expect((await poll(source, mark, empty)).events).toEqual([]);
  });

  it('takes its turn before each request', async () => {
    await poll({ kind: 'repo', id: idOf(repo) }, undefined, paced);
    expect(turns).toBe(forge.requests.all.filter(({ path }) => path.includes('activities')).length);
    expect(turns).toBeGreaterThan(0);
  });

  it('is not read further if its first page is known, and is remembered otherwise', async () => {
    const source = { kind: 'repo', id: idOf(repo) } as const;
    const { mark } = await poll(source, undefined);
    const remembered: FeedMark[] = [];
    const prints: string[] = [];
    const check = (idle: Polled | undefined) => ({
      known: (print: string) => {
        prints.push(print);
        return idle !== undefined;
      },
      idle,
      remember: (after: FeedMark) => void remembered.push(after),
    });
    later();
    for (let nth = 0; nth < 15; nth++) forge.world.openIssue({ as: 'ada', repo, title: `Leak ${nth}` });
    const fresh = await poll(source, mark, { pageCheck: check(undefined) });
    expect(fresh.events).toHaveLength(15);
    expect(remembered).toEqual([fresh.mark]);
    // only the first page says so
    expect(prints).toHaveLength(1);
    const idle = { events: [], mark, soon: false, capped: false };
    expect(await poll(source, mark, { pageCheck: check(idle) })).toBe(idle);
    expect(remembered).toHaveLength(1);
    expect(prints[1]).toBe(prints[0]);
  });
});

describe('the runs of a repository', () => {
  const source = () => ({ kind: 'runs', id: idOf(repo) }) as const;
  const here = { ...about, url: 'https://git.example.org/acme/engine', hidden: false, defaultBranch: 'main' };

  it('are read by page, and the unfinished ones by their state', async () => {
    const first = await poll(source(), undefined, { about: here });
    later();
    const run = forge.world.startRun({ as: 'ada', repo, branch: 'main' });
    forge.requests.clear();
    const second = await poll(source(), first.mark, { about: here });
    const active = queries('runs').filter((query) => 'status' in query);
    expect(active).toEqual([{ page: '1', limit: '50', status: 'queued,in_progress,waiting' }]);
    expect(queries('runs').some((query) => !('status' in query))).toBe(true);
    later();
    forge.world.finishRun({ run: run.id, conclusion: 'failure' });
    const third = await poll(source(), second.mark, { about: here });
    expect(third.events).toMatchObject([
      {
        kind: 'runs:failure',
        repo: { id: idOf(repo), fullName: repo, url: here.url, hidden: false },
        run: { id: run.id, main: true },
      },
    ]);
  });

  it('count as hidden, and none as of the default branch, until more is known', async () => {
    const first = await poll(source(), undefined);
    later();
    const run = forge.world.startRun({ as: 'ada', repo, branch: 'main' });
    const second = await poll(source(), first.mark);
    forge.world.finishRun({ run: run.id, conclusion: 'failure' });
    later();
    const { events } = await poll(source(), second.mark);
    expect(events).toMatchObject([{ kind: 'runs:failure', repo: { url: '', hidden: true } }]);
    expect(events[0] && 'run' in events[0] && events[0].run).not.toHaveProperty('main');
  });

  /** A run that was open and is on no page any longer, so that it is read by itself. */
  async function lost() {
    const first = await poll(source(), undefined);
    later();
    const run = forge.world.startRun({ as: 'ada', repo, branch: 'main' });
    const { mark } = await poll(source(), first.mark);
    forge.world.finishRun({ run: run.id, conclusion: 'failure' });
    later();
    const bend = (body: unknown) => {
      const list = Object(body);
      const rows: { id: number }[] = list.workflow_runs;
      return { ...list, workflow_runs: rows.filter(({ id }) => id !== run.id) };
    };
    forge.faults.add({ on: routes.runs, times: 100, trouble: { bend } });
    return { run: run.id, mark };
  }

  it('are read one by one if they left the list', async () => {
    const { run, mark } = await lost();
    const { events } = await poll(source(), mark);
    expect(events).toMatchObject([{ kind: 'runs:failure', run: { id: run } }]);
    expect(forge.requests.of(routes.run)).toHaveLength(1);
  });

  it('are no longer followed once they are deleted', async () => {
    const { mark } = await lost();
    forge.faults.add({ on: routes.run, trouble: { status: 404 } });
    const { events, mark: next } = await poll(source(), mark);
    expect(events).toEqual([]);
    forge.requests.clear();
    later();
    await poll(source(), next);
    expect(forge.requests.of(routes.run)).toEqual([]);
    expect(unreadable).toEqual([]);
  });

  it('are no longer followed if they cannot be understood, which is reported', async () => {
    const { mark } = await lost();
    forge.faults.add({ on: routes.run, trouble: { bend: () => ({ id: 'x' }) } });
    const { events, mark: next } = await poll(source(), mark);
    expect(events).toEqual([]);
    expect(unreadable).toHaveLength(1);
    forge.requests.clear();
    later();
    await poll(source(), next);
    expect(forge.requests.of(routes.run)).toEqual([]);
  });

  it('are followed on if the forge does not answer', async () => {
    const { run, mark } = await lost();
    const heal = forge.faults.add({ on: routes.run, trouble: { status: 502 }, times: 100 });
    await expect(poll(source(), mark)).rejects.toMatchObject({ status: 502 });
    heal();
    expect((await poll(source(), mark)).events).toMatchObject([{ run: { id: run } }]);
  });
});

describe('what search knows of an owner’s items', () => {
  const source = () => ({ kind: 'items', id: forge.world.repo(repo).owner.id }) as const;
  const of = { owner: 'acme', labels: ['bug'] };

  it('is what is open there, first with its labels and pull requests, then since the last time', async () => {
    const first = await poll(source(), undefined, { about: of });
    const asked = queries('search');
    for (const query of asked) expect(query).toMatchObject({ owner: 'acme', state: 'open', page: '1' });
    expect(asked.filter((query) => query['labels'] === 'bug')).toHaveLength(1);
    expect(asked.filter((query) => query['type'] === 'pulls')).toHaveLength(1);
    expect(asked.filter((query) => 'since' in query)).toEqual([]);
    later();
    forge.world.openIssue({ as: 'ada', repo, title: 'Leak', labels: ['bug'] });
    forge.requests.clear();
    expect(kinds(await poll(source(), first.mark, { about: of }))).toEqual(['issues:labeled']);
    expect(queries('search')).toHaveLength(1);
    expect(queries('search')[0]).toHaveProperty('since');
    for (const name of ['labels', 'type']) expect(queries('search')[0]).not.toHaveProperty(name);
  });

  describe('with the review requests', () => {
    /** The forge's clock decides, however far off ours is. */
    const wanted = {
      about: { owner: 'acme', requests: true },
      get now() {
        return clock + 3_600_000;
      },
    };
    let pulls: number[];

    /** Two pull requests, each with a review requested since the first poll. */
    async function requested(): Promise<FeedMark> {
      const { world } = forge;
      pulls = ['gauge', 'dial'].map((branch) => {
        world.push({ as: 'grace', repo, branch, commits: [`Add a ${branch}`] });
        return world.openPull({ as: 'grace', repo, title: `A ${branch}`, head: branch }).index;
      });
      later();
      const { mark } = await poll(source(), undefined, wanted);
      expect(queries('search')).toEqual([expect.not.objectContaining({ labels: expect.anything() })]);
      later();
      for (const index of pulls) world.requestReview({ as: 'grace', repo, index, from: ['ada'] });
      later();
      forge.requests.clear();
      turns = 0;
      return mark;
    }

    it('are read for each pull request that changed, each in its turn', async () => {
      const polled = await poll(source(), await requested(), { ...wanted, ...paced });
      expect(kinds(polled)).toEqual(['reviews:requested', 'reviews:requested']);
      expect(polled.events[0]).toMatchObject({ source: `items-${source().id}`, asked: { people: ['ada'] } });
      expect(queries('timeline').every((query) => 'since' in query)).toBe(true);
      expect(turns).toBe(queries('search').length + pulls.length);
      const again = await poll(source(), polled.mark, wanted);
      expect(again.events).toEqual([]);
    });

    it('are not read if nobody wants them', async () => {
      expect((await poll(source(), await requested(), { about: { owner: 'acme' } })).events).toEqual([]);
      expect(queries('timeline')).toEqual([]);
    });

    it('are read only in repositories where someone wants them', async () => {
      const asked: string[] = [];
      const wantsRequests = async ({ full_name }: { full_name: string }) => {
        asked.push(full_name);
        return false;
      };
      expect((await poll(source(), await requested(), { ...wanted, wantsRequests })).events).toEqual([]);
      expect(asked).toEqual([repo, repo]);
      expect(queries('timeline')).toEqual([]);
    });

    it.each([404, 403, 500])('of one pull request do not stop the others: %i', async (status) => {
      const mark = await requested();
      forge.faults.add({ on: routes.timeline, trouble: { status } });
      const polled = await poll(source(), mark, wanted);
      expect(kinds(polled)).toEqual(['reviews:requested']);
      expect(unreadable).toHaveLength(1);
    });

    it('are read around an entry that cannot be understood', async () => {
      const mark = await requested();
      const bend = (body: unknown) => (Array.isArray(body) ? [{ id: 'x' }, ...body] : body);
      forge.faults.add({ on: routes.timeline, trouble: { bend } });
      expect(kinds(await poll(source(), mark, wanted))).toEqual(['reviews:requested', 'reviews:requested']);
      expect(unreadable).toHaveLength(1);
    });

    it.each([502, 429])('are read next time if the forge is in trouble: %i', async (status) => {
      const mark = await requested();
      forge.faults.add({ on: routes.timeline, trouble: { status } });
      await expect(poll(source(), mark, wanted)).rejects.toMatchObject({ status });
      expect(unreadable).toEqual([]);
    });
  });
});

describe('an inbox', () => {
  const source = { kind: 'inbox', team: 'T1', user: 'U1' } as const;
  const of = { owner: '-' };
  const assign = (title: string) => forge.world.openIssue({ as: 'ada', repo, title, assignees: ['grace'] });

  it('is what is unread at first, later also what was read since', async () => {
    assign('Old');
    later();
    const first = await poll(source, undefined, { about: of }, 'grace');
    expect(queries('inbox')[0]?.['status-types']).toBe('unread');
    expect(queries('inbox')[0]).not.toHaveProperty('since');
    later();
    assign('New');
    forge.requests.clear();
    const second = await poll(source, first.mark, { about: of }, 'grace');
    expect(titles(second)).toEqual(['New']);
    expect(kinds(second)).toEqual(['inbox:assigned']);
    expect(queries('inbox')[0]?.['status-types']).toBe('unread,read');
    expect(queries('inbox')[0]).toHaveProperty('since');
    for (const query of queries('search')) expect(query).toMatchObject({ state: 'open' });
    const reasons = ['review_requested', 'assigned', 'mentioned'];
    expect(reasons.map((reason) => queries('search').filter((query) => query[reason] === 'true').length)).toEqual([
      1, 1, 1,
    ]);
  });

  it('is read up to a limit of pages', async () => {
    const first = await poll(source, undefined, { about: of }, 'grace');
    later();
    for (let nth = 0; nth < 60; nth++) assign(`New ${nth}`);
    expect((await poll(source, first.mark, { about: of, cap: 1 }, 'grace')).capped).toBe(true);
    expect((await poll(source, first.mark, { about: of }, 'grace')).capped).toBe(false);
  });

  it('is searched for on a server that lists no notifications', async () => {
    const first = await poll(source, undefined, { about: of, listed: false }, 'grace');
    later();
    assign('New');
    expect(titles(await poll(source, first.mark, { about: of, listed: false }, 'grace'))).toEqual(['New']);
    expect(forge.requests.of(routes.inbox)).toEqual([]);
  });
});
