import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeedMark } from '../../src/feed/mark.js';
import { pollFeed } from '../../src/feed/sources/feed.js';
import type { Activity } from '../../src/forge/schemas.js';
import { activity, answer, minute, pageOf } from './support.js';

/** Seconds descend; within one second the order is up to the server. */
const ordered = (rows: readonly Activity[], whim: 1 | -1 = 1) =>
  [...rows].sort((a, b) => b.created.getTime() - a.created.getTime() || whim * (a.id - b.id));

const now = Date.parse(minute(0));

const poll = (rows: readonly Activity[], mark: FeedMark | undefined, whim: 1 | -1 = 1) =>
  answer(pollFeed('repo-12', mark, { now }), (request) => pageOf(ordered(rows, whim), request));

const ids = (polled: { events: readonly { id: string }[] }) => polled.events.map(({ id }) => Number(id.split(':')[1]));

describe('polling a feed', () => {
  const first = [activity(1, minute(0)), activity(2, minute(1))];
  const primed = poll(first, undefined).mark;

  it('learns at the first poll and reports nothing', () => {
    expect(poll(first, undefined).events).toEqual([]);
  });

  it('reads one small page while nothing is new', () => {
    expect(poll(first, primed).requests).toEqual([{ page: 1, limit: 10 }]);
    expect(poll(first, primed).mark).toEqual(primed);
  });

  it('reports what is new, oldest first', () => {
    const polled = poll([...first, activity(5, minute(3)), activity(4, minute(2)), activity(3, minute(3))], primed);
    expect(ids(polled)).toEqual([4, 3, 5]);
    expect(poll([...first, activity(5, minute(3))], polled.mark).events).toEqual([]);
  });

  it('finds a row that became visible late, with a lower id and an older time', () => {
    const { mark } = poll([...first, activity(9, minute(3))], primed);
    expect(ids(poll([...first, activity(8, minute(2)), activity(9, minute(3))], mark))).toEqual([8]);
  });

  it('finds a new row of a second that fills the whole probe page', () => {
    const burst = Array.from({ length: 12 }, (_, at) => activity(10 + at, minute(5)));
    const { mark } = poll([...first, ...burst.slice(0, 11)], primed);
    expect(ids(poll([...first, ...burst], mark))).toEqual([21]);
  });

  it('reports everything of a long outage, page by page', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => activity(10 + at, minute(2 + at)));
    const polled = poll([...first, ...many], primed);
    expect(polled.events).toHaveLength(1_000);
    expect(polled.capped).toBe(false);
  });

  it('says when there were more pages than it reads', () => {
    const many = Array.from({ length: 200 }, (_, at) => activity(10 + at, minute(2)));
    const polled = answer(pollFeed('repo-12', primed, { now, cap: 2 }), (request) =>
      pageOf(ordered([...first, ...many]), request),
    );
    expect(polled.capped).toBe(true);
  });

  it('starts over when rows disappear while it reads', () => {
    const many = Array.from({ length: 120 }, (_, at) => activity(10 + at, minute(2, at)));
    let asked = 0;
    const polled = answer(pollFeed('repo-12', primed, { now }), (request) => {
      asked += 1;
      const left = asked > 2 ? many.slice(0, -3) : many;
      return pageOf(ordered([...first, ...left]), request);
    });
    expect(new Set(ids(polled)).size).toBe(120);
  });

  it('waits one poll for the other half of an action, and keeps the order', () => {
    const push = activity(3, minute(2), {
      op_type: 'commit_repo',
      content: '{"Commits":[],"Len":1}',
      ref_name: 'refs/heads/main',
    });
    const after = activity(4, minute(2));
    const waiting = poll([...first, push, after], primed);
    expect(waiting.events).toEqual([]);
    expect(waiting.soon).toBe(true);
    const merge = activity(5, minute(2), { op_type: 'merge_pull_request', content: '4|Feature' });
    const released = poll([...first, push, after, merge], waiting.mark);
    expect(released.events.map(({ kind }) => kind)).toEqual(['issues:opened', 'pulls:merged']);
    // and once more after the last news
    expect(released.soon).toBe(true);
    const last = poll([...first, push, after, merge], released.mark);
    expect({ events: last.events, soon: last.soon }).toEqual({ events: [], soon: false });
  });

  it('reports a lone half at the second poll', () => {
    const push = activity(3, minute(2), {
      op_type: 'commit_repo',
      content: '{"Commits":[],"Len":1}',
      ref_name: 'refs/heads/main',
    });
    const waiting = poll([...first, push], primed);
    expect(poll([...first, push], waiting.mark).events.map(({ kind }) => kind)).toEqual(['commits:pushed']);
  });

  it('reports each row once whatever the order, the ties and the bursts', () => {
    const bursts = fc.array(fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.boolean()), { maxLength: 25 }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(bursts, fc.boolean(), (all, whim) => {
        const rows = [...first];
        let mark: FeedMark | undefined = primed;
        let clock = 120;
        let id = 100;
        const seen: number[] = [];
        for (const burst of all) {
          clock += 5;
          for (const [seconds, late] of burst) {
            clock += seconds;
            id += 1;
            rows.push(activity(id, minute(0, late ? clock - 60 : clock)));
          }
          const polled = poll(rows, mark, whim ? 1 : -1);
          mark = polled.mark;
          seen.push(...ids(polled));
        }
        expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: id - 100 }, (_, at) => 101 + at));
      }),
      { numRuns: 60 },
    );
  });

  it('reads the window once more after the last news, then only probes', () => {
    const rows = [...first, activity(5, minute(3))];
    const before = poll(rows, primed);
    const again = poll(rows, before.mark);
    expect(again.requests.map(({ limit }) => limit)).toEqual([50]);
    expect(poll(rows, again.mark).requests).toEqual([{ page: 1, limit: 10 }]);
  });

  /** Within a second the rows are shuffled at each request, as from a database without a tie-break. */
  const shuffledPoll = (rows: readonly Activity[], mark: FeedMark | undefined, dice: () => number) =>
    answer(pollFeed('repo-12', mark, { now }), (request) => {
      const lots = new Map(rows.map(({ id }) => [id, dice()]));
      const mixed = [...rows].sort(
        (a, b) => b.created.getTime() - a.created.getTime() || (lots.get(a.id) ?? 0) - (lots.get(b.id) ?? 0),
      );
      return pageOf(mixed, request);
    });

  it.each([
    ['three hundred in fifteen seconds', 300, 20],
    ['a long backlog', 1_000, 20],
    ['more in one second than a page holds', 150, 150],
  ])('loses none even if rows of a second change order: %s', (_name, count, perSecond) => {
    let state = 7;
    const dice = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state;
    };
    const many = Array.from({ length: count }, (_, at) => activity(10 + at, minute(2, Math.floor(at / perSecond))));
    const seen = new Set<number>();
    let mark: FeedMark | undefined = primed;
    for (let polls = 0; polls < 4; polls++) {
      const polled = shuffledPoll([...first, ...many], mark, dice);
      for (const id of ids(polled)) {
        expect(seen.has(id)).toBe(false);
        seen.add(id);
      }
      mark = polled.mark;
    }
    expect(seen.size).toBe(count);
  });

  it('says how many it left out', () => {
    const many = Array.from({ length: 200 }, (_, at) => activity(10 + at, minute(2)));
    const polled = answer(pollFeed('repo-12', primed, { now, cap: 2 }), (request) =>
      pageOf(ordered([...first, ...many]), request),
    );
    expect({ events: polled.events.length, left: polled.leftOut }).toEqual({ events: 100, left: 100 });
  });

  it('floods nobody when an empty feed shows rows of last year', () => {
    const { mark } = poll([], undefined);
    const old = Array.from({ length: 30 }, (_, at) => activity(10 + at, '2025-11-10T09:00:00Z'));
    expect(poll([...old, activity(99, minute(1))], mark).events.map(({ id }) => id)).toEqual(['repo-12:99']);
  });

  it('recognizes by id what comes after the forge’s clock was set back', () => {
    const busy = Array.from({ length: 120 }, (_, at) => activity(10 + at, minute(at / 2)));
    let { mark } = poll([...first, ...busy], primed);
    mark = poll([...first, ...busy], mark).mark;
    const back = [activity(500, minute(0, 30)), activity(501, minute(0, 31))];
    const polled = poll([...first, ...busy, ...back], mark);
    expect(ids(polled)).toEqual([500, 501]);
    expect(poll([...first, ...busy, ...back], polled.mark).events).toEqual([]);
  });
});
