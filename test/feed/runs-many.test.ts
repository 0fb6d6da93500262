import { describe, expect, it } from 'vitest';
import type { FeedMark } from '../../src/feed/mark.js';
import { pollRuns } from '../../src/feed/sources/runs.js';
import type { WorkflowRun } from '../../src/forge/schemas.js';
import { engine } from './samples/events.js';
import { answer, minute, pageOf, run } from './support.js';

const many = (count: number, fields: Record<string, unknown>) =>
  Array.from({ length: count }, (_, at) => run(1 + at, fields));
const queued = { status: 'queued', conclusion: undefined, completed_at: null };
/** The probe of the newest runs ends here. */
const later = Array.from({ length: 20 }, (_, at) => run(1_000 + at));
const failed = { conclusion: 'failure', completed_at: minute(500) };

describe('a repository with hundreds of unfinished runs', () => {
  const poll = (
    runs: readonly WorkflowRun[],
    mark: FeedMark | undefined,
    isListed = ({ status }: WorkflowRun) => status !== 'completed',
  ) =>
    answer(pollRuns('runs-12', engine, mark, { now: 0 }), (request) => {
      const newest = [...runs, ...later].sort((a, b) => b.id - a.id);
      if (request.want === 'one')
        return pageOf(
          newest.filter(({ id }) => id === request.run),
          { page: 1, limit: 1 },
        );
      return pageOf(request.want === 'active' ? newest.filter(isListed) : newest, request);
    });
  const asked = ({ requests }: ReturnType<typeof poll>) =>
    requests.flatMap((request) => (request.want === 'one' ? request.run : []));
  const openIn = ({ mark }: ReturnType<typeof poll>) => Object.keys(mark.memory?.open ?? {}).length;

  it('is read page by page, not run by run', () => {
    const runs = many(300, queued);
    const first = poll(runs, undefined);
    const second = poll(runs, first.mark);
    expect(openIn(first)).toBe(300);
    expect(second.requests.filter(({ want }) => want === 'active')).toHaveLength(6);
    expect(asked(second)).toEqual([]);
    expect(openIn(second)).toBe(300);
  });

  it('reports each of them when all end at once, a number per poll', () => {
    const first = poll(many(300, queued), undefined);
    const ended = many(300, failed);
    const reported = new Set<string>();
    let mark = first.mark;
    for (let polls = 0; polls < 6; polls++) {
      const polled = poll(ended, mark);
      expect(asked(polled)).toHaveLength(50);
      for (const { id } of polled.events) reported.add(id);
      mark = polled.mark;
    }
    expect(reported.size).toBe(300);
    expect(mark.memory?.open).toEqual({});
  });

  it('asks in turn for those that no list shows, and forgets none meanwhile', () => {
    const unlisted = () => false;
    const before = poll(many(120, queued), undefined).mark;
    const stuck = { '60': 1 };
    let mark: FeedMark = { ...before, memory: { ...before.memory, stuck } };
    const turns: number[] = [];
    for (let polls = 0; polls < 3; polls++) {
      const polled = poll(many(120, queued), mark, unlisted);
      turns.push(...asked(polled));
      expect(openIn(polled)).toBe(120);
      expect(polled.mark.memory?.stuck).toEqual(stuck);
      mark = polled.mark;
    }
    expect(new Set(turns).size).toBe(120);
  });

  it('stops at the first page that holds finished runs: that server does not filter', () => {
    const first = poll(many(300, queued), undefined, () => true);
    expect(first.requests.filter(({ want }) => want === 'active')).toHaveLength(1);
  });
});
