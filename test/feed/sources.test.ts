import { describe, expect, it } from 'vitest';
import type { FeedMark } from '../../src/feed/mark.js';
import { pollInbox, pollSearches } from '../../src/feed/sources/inbox.js';
import { pollItems } from '../../src/feed/sources/items.js';
import { pollRuns } from '../../src/feed/sources/runs.js';
import { readSource, sourceKey } from '../../src/feed/sources/source.js';
import type { Issue, NotificationThread, WorkflowRun } from '../../src/forge/schemas.js';
import { engine } from './samples/events.js';
import { answer, issue, labels, minute, pageOf, run, thread } from './support.js';

describe('source names', () => {
  it('read back as they were written', () => {
    const all = [
      { kind: 'repo', id: 12 } as const,
      { kind: 'items', id: 3 } as const,
      { kind: 'inbox', team: 'T1', user: 'U2' } as const,
    ];
    expect(all.map((source) => readSource(sourceKey(source)))).toEqual(all);
    expect(readSource('nonsense')).toBeUndefined();
  });
});

describe('polling runs', () => {
  const poll = (runs: readonly WorkflowRun[], mark: FeedMark | undefined) =>
    answer(pollRuns('runs-12', engine, mark, { now: 0 }), (request) => {
      const newest = [...runs].sort((a, b) => b.id - a.id);
      if (request.want === 'one')
        return pageOf(
          newest.filter(({ id }) => id === request.run),
          { page: 1, limit: 1 },
        );
      return pageOf(
        request.want === 'active' ? newest.filter(({ status }) => status !== 'completed') : newest,
        request,
      );
    });
  const open = { status: 'in_progress', conclusion: undefined, completed_at: null };
  const failed = { conclusion: 'failure' };
  const transitionsOf = (polled: { events: readonly { kind: string }[] }) =>
    polled.events.map((event) => [
      event.kind,
      'run' in event && typeof event.run === 'object' && event.run && 'transition' in event.run
        ? event.run.transition
        : undefined,
    ]);

  it('learns each branch’s color at the first poll and reports nothing', () => {
    expect(poll([run(1), run(2, failed)], undefined).events).toEqual([]);
  });

  it('reports the first red, stays silent while red, and reports the fix', () => {
    const first = poll([run(1)], undefined).mark;
    const red = poll([run(1), run(2, failed)], first);
    expect(transitionsOf(red)).toMatchObject([['runs:failure', { to: 'red', green: 'abc', lastGreen: { number: 1 } }]]);
    const still = poll([run(1), run(2, failed), run(3, failed)], red.mark);
    expect(transitionsOf(still)).toEqual([['runs:failure', undefined]]);
    const green = poll([run(1), run(2, failed), run(3, failed), run(4)], still.mark);
    expect(transitionsOf(green)).toEqual([['runs:success', { to: 'green', since: 2, brokenAt: minute(2, 30) }]]);
    expect(green.events[0]?.item.thread).toBe('run-2');
  });

  it('goes by the order of commits: a rerun of an old run, or one that took longer, changes nothing', () => {
    const first = poll([run(1), run(2), run(3)], undefined).mark;
    const rerun = run(1, { ...failed, run_attempt: 2, completed_at: minute(20) });
    const slow = run(2, { run_attempt: 2, completed_at: minute(21) });
    const again = poll([rerun, slow, run(3)], first);
    expect(transitionsOf(again)).toEqual([
      ['runs:failure', undefined],
      ['runs:success', undefined],
    ]);
    expect(again.events.map(({ item }) => item.thread)).toEqual(['run-1', 'run-2']);
    const red = poll([rerun, slow, run(3), run(4, { ...failed, completed_at: minute(22) })], again.mark);
    expect(transitionsOf(red)).toMatchObject([['runs:failure', { to: 'red', lastGreen: { number: 3 } }]]);
    const old = poll([run(1, { run_attempt: 3, completed_at: minute(30) }), run(4, failed)], red.mark);
    expect(transitionsOf(old)).toEqual([['runs:success', undefined]]);
  });

  it('keeps branches and workflows apart', () => {
    const first = poll([run(1)], undefined).mark;
    const other = poll(
      [run(1), run(2, { ...failed, head_branch: 'dev' }), run(3, { ...failed, path: 'lint.yml@refs/heads/main' })],
      first,
    );
    expect(transitionsOf(other)).toEqual([
      ['runs:failure', { to: 'red' }],
      ['runs:failure', { to: 'red' }],
    ]);
  });

  it('ignores canceled and skipped runs for the color', () => {
    const first = poll([run(1, failed)], undefined).mark;
    const cancelled = poll([run(1, failed), run(2, { conclusion: 'cancelled' })], first);
    expect(transitionsOf(cancelled)).toEqual([['runs:cancelled', undefined]]);
    expect(transitionsOf(poll([run(1, failed), run(2, { conclusion: 'cancelled' }), run(3)], cancelled.mark))).toEqual([
      ['runs:success', { to: 'green', since: 1, brokenAt: minute(1, 30) }],
    ]);
  });

  it('follows an open run until it ends, wherever it is in the list', () => {
    const first = poll([run(1), run(2, open)], undefined).mark;
    const others = Array.from({ length: 60 }, (_, at) => run(10 + at));
    const busy = poll([run(1), run(2, open), ...others], first);
    const ended = poll([run(1), run(2, { ...failed, completed_at: minute(200) }), ...others], busy.mark);
    expect(ended.events.map(({ id }) => id)).toEqual(['runs-12:2.1']);
    expect(poll([run(1), run(2, { ...failed, completed_at: minute(200) }), ...others], ended.mark).events).toEqual([]);
  });

  it('reports another attempt of the same run', () => {
    const first = poll([run(1, failed)], undefined).mark;
    const again = poll([run(1, { run_attempt: 2, completed_at: minute(9) })], first);
    expect(transitionsOf(again)).toEqual([['runs:success', { to: 'green', since: 1, brokenAt: minute(1, 30) }]]);
  });
});

describe('polling an inbox', () => {
  const poll = (
    threads: readonly NotificationThread[],
    mark: FeedMark | undefined,
    found: Readonly<Record<string, readonly Issue[]>> = {},
  ) =>
    answer<
      Parameters<Parameters<typeof answer>[1]>[0] & { want: string; page: number; limit: number },
      NotificationThread | Issue
    >(pollInbox('inbox-T1-U1', mark, { now: Date.parse(minute(6)) }), (request) =>
      pageOf<NotificationThread | Issue>(request.want === 'threads' ? threads : (found[request.want] ?? []), request),
    );
  const first = poll([thread(1, minute(0))], undefined).mark;

  it('reports a thread again when its time has changed, and only then', () => {
    expect(poll([thread(1, minute(0))], first).events).toEqual([]);
    expect(poll([thread(1, minute(5)), thread(2, minute(4))], first).events.map(({ id }) => id)).toEqual([
      `inbox-T1-U1:2@${Date.parse(minute(4))}.~open`,
      `inbox-T1-U1:1@${Date.parse(minute(5))}.~open`,
    ]);
  });

  it('gives the reason if a search knows it', () => {
    const asked = poll([thread(3, minute(5))], first, { review_requested: [issue(3, minute(5))] });
    expect(asked.events.map(({ kind }) => kind)).toEqual(['inbox:review_requested']);
    expect(poll([thread(3, minute(5))], first).events.map(({ kind }) => kind)).toEqual(['inbox:activity']);
  });

  it('reports nothing about a thread whose access was revoked', () => {
    expect(poll([thread(4, minute(5), { repository: null, subject: null })], first).events).toEqual([]);
  });

  it('searches instead if the server lists no notifications', () => {
    const search = (mine: readonly Issue[], mark: FeedMark | undefined) =>
      answer(pollSearches('inbox-T1-U1', mark), (request) =>
        pageOf<NotificationThread | Issue>(request.want === 'assigned' ? mine : [], request),
      );
    const learned = search([issue(1, minute(0))], undefined);
    expect(learned.events).toEqual([]);
    const asked = search([issue(1, minute(3)), issue(2, minute(2))], learned.mark);
    expect(asked.events.map(({ kind, item }) => [kind, item.number])).toEqual([['inbox:assigned', 2]]);
    expect(search([issue(2, minute(9))], asked.mark).events).toEqual([]);
  });
});

describe('polling items', () => {
  const poll = (items: readonly Issue[], mark: FeedMark | undefined, wanted: readonly string[] = ['bug']) =>
    answer(pollItems('items-3', wanted, mark), (request) =>
      pageOf(
        items.filter(
          (each) =>
            (!request.since || (each.updated_at?.toISOString() ?? '') >= request.since) &&
            (!request.labels || each.labels.some(({ name }) => request.labels?.includes(name))) &&
            (request.type !== 'pulls' || each.pull_request !== undefined),
        ),
        request,
      ),
    );
  const first = poll([issue(1, minute(0), labels('bug')), issue(2, minute(0))], undefined);
  const kindsOf = (polled: { events: readonly { kind: string; item: { number?: number } }[] }) =>
    polled.events.map(({ kind, item }) => [kind, item.number]);

  it('learns which items already have the label', () => {
    expect(first.events).toEqual([]);
    expect(kindsOf(poll([issue(1, minute(5), labels('bug')), issue(2, minute(0))], first.mark))).toEqual([]);
  });

  it('reports an item that gets a wanted label, once', () => {
    const labeled = poll([issue(1, minute(0), labels('bug')), issue(2, minute(5), labels('bug'))], first.mark);
    expect(kindsOf(labeled)).toEqual([['issues:labeled', 2]]);
    expect(kindsOf(poll([issue(2, minute(7), labels('bug'))], labeled.mark))).toEqual([]);
  });

  it('reports a label that was added in the second in which its item was seen without it', () => {
    const seen = poll([issue(3, minute(5))], first.mark);
    expect(seen.events).toEqual([]);
    const labeled = poll([issue(3, minute(5), labels('bug'))], seen.mark);
    expect(kindsOf(labeled)).toEqual([['issues:labeled', 3]]);
    expect(kindsOf(poll([issue(3, minute(5), labels('bug'))], labeled.mark))).toEqual([]);
  });

  it('learns a newly wanted label without reporting its items', () => {
    const wider = poll([issue(3, minute(1), labels('crash'))], first.mark, ['bug', 'crash']);
    expect(wider.events).toEqual([]);
    expect(
      kindsOf(
        poll([issue(3, minute(9), labels('crash')), issue(4, minute(9), labels('crash'))], wider.mark, [
          'bug',
          'crash',
        ]),
      ),
    ).toEqual([['issues:labeled', 4]]);
  });

  it('reports a draft that became ready', () => {
    const draft = (draftNow: boolean, at: number) =>
      issue(5, minute(at), { pull_request: { draft: draftNow, merged: false } });
    const seen = poll([draft(true, 1)], first.mark);
    expect(seen.events).toEqual([]);
    const ready = poll([draft(false, 2)], seen.mark);
    expect(kindsOf(ready)).toEqual([['pulls:ready', 5]]);
    expect(kindsOf(poll([draft(false, 3)], ready.mark))).toEqual([]);
  });
});
