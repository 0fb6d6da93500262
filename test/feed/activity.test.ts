import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { activityEvent, kindOfOp, readPush, replay, splitContent } from '../../src/feed/sources/feed.js';
import { Activity, opTypes } from '../../src/forge/schemas.js';
import { activity } from './support.js';

const at = '2026-11-10T09:00:00Z';
const one = (fields: Record<string, unknown>, who: string | null = 'ada') =>
  activityEvent('repo-12', activity(1, at, fields, who));
const kindsOf = (...rows: readonly ReturnType<typeof activity>[]) => replay('repo-12', rows).map(({ kind }) => kind);

describe('reading feed rows', () => {
  it.each(opTypes)('%s becomes an event of its kind', (op_type) => {
    const event = one({ op_type, content: op_type.includes('repo') ? '{}' : '4|Title', ref_name: 'refs/heads/main' });
    expect(event?.kind).toBe(kindOfOp[op_type]);
    expect(event?.item.url).toMatch(/^https:\/\/git\.example\.org\/acme\/engine/);
  });

  it('splits a title at the first bar only', () => {
    expect(splitContent('4|a | b')).toEqual({ number: 4, text: 'a | b' });
    expect(splitContent('1|')).toEqual({ number: 1, text: '' });
    expect(splitContent('no number')).toEqual({ number: undefined, text: 'no number' });
  });

  it.each([
    ['create_issue', '["12","a \\u003cb\\u003e | c"]', '12|a <b> | c'],
    ['close_issue', '["12",""]', '12|'],
    ['pull_review_dismissed', '["7","grace","not | now"]', '7|grace|not | now'],
    ['comment_pull', '["7",""]', '7|'],
  ])('%s reads the same in both forms that one server may hold', (op_type, list, bars) => {
    const [inList, withBars] = [one({ op_type, content: list }), one({ op_type, content: bars })];
    expect(inList).toEqual(withBars);
    expect(inList?.item.number).toBe(Number.parseInt(bars, 10));
  });

  it('leaves a text alone that only looks like a list', () => {
    const release = one({ op_type: 'publish_release', content: '["12","x"]', ref_name: 'v1' });
    expect(release).toMatchObject({ tag: 'v1', item: { title: '["12","x"]' } });
    expect(one({ op_type: 'create_issue', content: '[draft]' })?.item.number).toBeUndefined();
  });

  it('reads pushes leniently', () => {
    expect(readPush('{}', 'main', '')).toEqual({ branch: 'main', commits: [], total: 0 });
    expect(readPush('not json', 'main', '')).toEqual({ branch: 'main', commits: [], total: 0 });
    const tag = readPush(
      '{"Commits":null,"HeadCommit":{"Sha1":"a","Message":"m\\n\\nbody"},"CompareURL":"x/y/compare/a...b","Len":3}',
      'v1',
      'https://g',
    );
    expect(tag).toEqual({
      branch: 'v1',
      commits: [{ sha: 'a', message: 'm', author: '' }],
      total: 3,
      compareUrl: 'https://g/x/y/compare/a...b',
    });
  });

  it('tolerates an unknown activity', () => {
    expect(one({ op_type: 'action-28', content: 'whatever' })).toMatchObject({ kind: 'repos:other', op: 'action-28' });
  });

  it('names nobody for deleted users and the forge itself', () => {
    expect(one({}, null)?.actor).toBeNull();
  });

  it('leaves out rows whose repository no longer exists', () => {
    expect(one({ repo: null })).toBeUndefined();
  });

  it('gives one action the same key in every feed', () => {
    const [inRepoFeed, inUserFeed] = [activity(1, at), activity(99, at, { content: '1|Issue 1' })];
    expect(activityEvent('repo-12', inRepoFeed)?.action).toBe(activityEvent('user-3', inUserFeed)?.action);
    expect(activityEvent('repo-12', inRepoFeed)?.id).not.toBe(activityEvent('user-3', inUserFeed)?.id);
  });

  it('keeps the whole comment’s text and links it', () => {
    const comment = {
      id: 9,
      body: 'the whole of it',
      html_url: 'https://git.example.org/acme/engine/issues/4#issuecomment-9',
    };
    expect(one({ op_type: 'comment_issue', content: '4|the wh…', comment, comment_id: 9 })).toMatchObject({
      text: 'the whole of it',
      item: { number: 4, url: comment.html_url, thread: 'r12-n4' },
    });
  });
});

describe('joining rows', () => {
  const push = {
    op_type: 'commit_repo',
    ref_name: 'refs/heads/feat',
    content: '{"Commits":[{"Sha1":"a","Message":"m (#4)"}],"Len":1}',
  };

  it('makes one event of the two rows of a new branch', () => {
    const [event] = replay('repo-12', [activity(1, at, { ...push, content: '' }), activity(2, at, push)]);
    expect(event).toMatchObject({ kind: 'commits:pushed', created: true, also: ['branches:created'] });
    expect(kindsOf(activity(1, at, { ...push, content: '' }), activity(2, at, push))).toHaveLength(1);
  });

  it('makes one event of a merge and the push it caused', () => {
    const merge = { op_type: 'merge_pull_request', content: '4|Feature' };
    const [event, ...others] = replay('repo-12', [
      activity(53, at, { ...push, ref_name: 'refs/heads/main' }),
      activity(57, at, merge),
    ]);
    expect(event).toMatchObject({ kind: 'pulls:merged', push: { branch: 'main' }, also: ['commits:pushed'] });
    expect(others).toEqual([]);
  });

  it('leaves the push of someone else alone', () => {
    expect(
      kindsOf(activity(53, at, push, 'grace'), activity(57, at, { op_type: 'merge_pull_request', content: '4|F' })),
    ).toEqual(['commits:pushed', 'pulls:merged']);
  });

  it('makes one event of the comments of one review', () => {
    const comment = (id: number) => activity(id, at, { op_type: 'comment_pull', content: '4|hm', comment_id: id });
    expect(replay('repo-12', [comment(1), comment(2), comment(3)])).toMatchObject([
      { kind: 'reviews:commented', comments: 3 },
    ]);
    const approved = activity(4, at, { op_type: 'approve_pull_request', content: '4|ok' });
    expect(replay('repo-12', [comment(1), comment(2), approved])).toMatchObject([
      { kind: 'reviews:approved', comments: 2 },
    ]);
  });

  it('leaves a single comment a comment', () => {
    expect(kindsOf(activity(1, at, { op_type: 'comment_pull', content: '4|hm' }))).toEqual(['comments:pull']);
  });

  it('turns a real server’s recorded feed into one event each, in order', () => {
    const exchanges: { note: string; answer: unknown[] }[] = JSON.parse(
      readFileSync('test/recordings/gitea-1.28-dev.json', 'utf8'),
    );
    const rows = (exchanges.find(({ note }) => note === 'repoFeed')?.answer ?? []).map((row) => Activity.parse(row));
    expect(kindsOf(...rows)).toEqual([
      'repos:created',
      'issues:opened',
      'issues:opened',
      'issues:opened',
      'comments:issue',
      'issues:closed',
      'commits:pushed',
      'pulls:opened',
      'commits:pushed',
      'reviews:approved',
      'pulls:merged',
    ]);
  });
});
