import type { KnownBlock } from '@slack/types';
import { describe, expect, it } from 'vitest';
import {
  addRemark,
  digestId,
  hash,
  loginsOf,
  moveToRepo,
  type Plan,
  slim,
  withRemark,
} from '../../../src/jobs/deliver/plan.js';
import { bodyOf, formOf, isEvent, isSeveral, isWhole, nextForm, waitAfter } from '../../../src/jobs/deliver.js';
import { say } from '../../../src/view/message.js';
import { md } from '../../../src/view/text.js';
import { engine, events, pullNow } from '../../feed/samples/events.js';

const message = say(md`Steam escapes`);
const plan = (more: Partial<Plan> = {}): Plan => ({
  kind: 'post',
  entries: ['e1'],
  message,
  events: [{ address: 'https://git.example.org/1', event: 'e1' }],
  posted: async () => undefined,
  ...more,
});

describe('the form of a message that Slack refuses', () => {
  const shapes = (given: Plan) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((failures) => {
      const form = formOf(given, failures);
      if (!form) return 'none';
      if (form.message === given.message) return 'full';
      return form.message.text.startsWith('New activity') ? 'link' : 'plain';
    });

  it('is full three times, plain twice, its link once', () => {
    expect(shapes(plan())).toEqual(['full', 'full', 'full', 'plain', 'plain', 'link', 'none', 'none']);
  });

  it('of one without an address is never a link', () => {
    expect(shapes(plan({ events: [] }))).toEqual(['full', 'full', 'full', 'plain', 'plain', 'none', 'none', 'none']);
  });

  it('of a redrawn card is only full: it already exists', () => {
    expect(shapes(plan({ kind: 'update' })).slice(0, 4)).toEqual(['full', 'full', 'full', 'none']);
  });

  it('of a digest of several is never a link to one of them', () => {
    const several = plan({ kind: 'digest', entries: ['e1', 'e2'] });
    expect(shapes(several)).toEqual(['full', 'full', 'full', 'plain', 'plain', 'none', 'none', 'none']);
    expect(shapes(plan({ kind: 'digest' }))[5]).toBe('link');
  });

  it('is text without blocks, with the links that were in them', () => {
    const blocks: KnownBlock[] = [
      { type: 'section', text: { type: 'mrkdwn', text: 'first line' } },
      { type: 'divider' },
      { type: 'section', fields: [{ type: 'mrkdwn', text: 'x' }] },
      { type: 'section', text: { type: 'mrkdwn', text: 'second line' } },
    ];
    const given = { text: 'two things', blocks };
    expect(formOf(plan({ message: given }), 3)?.message).toEqual({ text: 'first line\nsecond line', blocks: [] });
    const bare = { text: 'one thing', blocks: [] };
    expect(formOf(plan({ message: bare }), 3)?.message).toEqual(bare);
    expect(formOf(plan({ kind: 'digest', entries: ['e1', 'e2'], message: given }), 3)?.message).toEqual({
      text: 'two things\nfirst line\nsecond line',
      blocks: [],
    });
    const link = formOf(plan(), 5)?.message;
    expect(link?.text).toContain('https://git.example.org/1');
    expect(link?.blocks).toEqual([]);
  });

  it('is the next one at once if Slack clearly refused it', () => {
    expect([0, 1, 2, 3, 4, 5, 6].map(nextForm)).toEqual([3, 3, 3, 5, 5, 6, 6]);
  });

  it('waits twice as long each time, a minute at most', () => {
    expect([0, 1, 2, 3, 4, 30].map((failures) => waitAfter(failures, 1_000))).toEqual([
      1_000, 1_000, 2_000, 4_000, 8_000, 60_000,
    ]);
    expect(waitAfter(60, 0.0001)).toBeLessThan(10);
  });

  it('is split only if several went together', () => {
    expect(isSeveral(plan({ kind: 'digest', entries: ['e1', 'e2'] }))).toBe(true);
    expect(isSeveral(plan({ kind: 'digest', entries: ['e1'] }))).toBe(false);
    expect(isSeveral(plan({ entries: ['e1', 'e2'] }))).toBe(false);
  });
});

describe('a queued entry', () => {
  const entry = (body: unknown) => ({ id: 'e1', at: 0, body });

  it('is one of the four kinds, or cannot be posted', () => {
    for (const type of ['event', 'update', 'message', 'reminder'] as const)
      expect(bodyOf(entry({ type, more: 1 }))).toEqual({ type, more: 1 });
    expect(() => bodyOf(entry({ type: 'command' }))).toThrow();
  });

  it('joins a digest only as an event', () => {
    const of = (type: string) => bodyOf(entry({ type }));
    expect(['event', 'update', 'message', 'reminder'].map((type) => isWhole(of(type)))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(['event', 'update', 'message', 'reminder'].map((type) => isEvent(of(type)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('has one id as a digest, from its entries in order', () => {
    expect(digestId(['a', 'b'])).toBe(digestId(['a', 'b']));
    expect(digestId(['a', 'b'])).not.toBe(digestId(['b', 'a']));
    expect(digestId(['a'])).toMatch(/^digest:.{22}$/);
  });
});

describe('a message that may be a repeat', () => {
  const card = { item: 'i1', ts: '1.0', hash: 'old', about: { style: 'card' } };

  it('says so in a separate line, and keeps its text', () => {
    const said = withRemark(message);
    expect(said.text).toBe(message.text);
    expect(said.blocks).toHaveLength(message.blocks.length + 1);
    expect(JSON.stringify(said.blocks.at(-1))).toContain('may be a repeat');
  });

  it('is remembered by its card, which says so for as long as it exists', async () => {
    const given = addRemark(plan({ posted: async () => card }));
    expect(given.message).toEqual(withRemark(message));
    expect(await given.posted('1.0')).toEqual({
      ...card,
      hash: hash(withRemark(message)),
      about: { style: 'card', repeat: true },
    });
  });

  it.each([
    ['a reply under another card', card, '2.0'],
    ['a card without anything to draw', { ...card, about: undefined }, '1.0'],
    ['a card of null', { ...card, about: null }, '1.0'],
    ['a card of a word', { ...card, about: 'x' }, '1.0'],
    ['no card', undefined, '1.0'],
  ])('changes nothing about %s', async (_what, mark, ts) => {
    expect(await addRemark(plan({ posted: async () => mark })).posted(ts)).toEqual(mark);
  });
});

describe('what a card stores', () => {
  it('is clipped where it is long', () => {
    const long = 'x'.repeat(500);
    expect(slim({ ...events['comments:issue'], text: long })).toMatchObject({ text: long.slice(0, 400) });
    expect(slim({ ...events['inbox:replied'], words: long })).toMatchObject({ words: long.slice(0, 400) });
    const commits = Array.from({ length: 9 }, (_, at) => ({ sha: `${at}`, message: 'm', author: 'a' }));
    const pushed = slim({ ...events['commits:pushed'], push: { ...events['commits:pushed'].push, commits } });
    expect(pushed).toMatchObject({ push: { commits: commits.slice(0, 5), total: 7 } });
    expect(slim(events['issues:opened'])).toEqual(events['issues:opened']);
    expect(slim({ ...events['pulls:opened'] })).toEqual(events['pulls:opened']);
  });

  it('follows its repository to another name', () => {
    const repo = { ...engine, fullName: 'acme/motor', url: 'https://git.example.org/acme/motor' };
    const event = events['issues:opened'];
    expect(moveToRepo(event, repo)).toEqual({
      ...event,
      repo,
      item: { ...event.item, url: 'https://git.example.org/acme/motor/issues/7' },
    });
    expect(moveToRepo(event, engine)).toBe(event);
    const elsewhere = { ...event, item: { ...event.item, url: 'https://git.example.org/acme/engine2/issues/7' } };
    expect(moveToRepo(elsewhere, repo).item.url).toBe(elsewhere.item.url);
  });

  it('names everyone it may mention', () => {
    const standing = { item: { ...pullNow, assignees: ['bob'] }, approvedBy: ['dee'], rejectedBy: ['eve'] };
    expect(loginsOf(standing)).toEqual(['bob', 'grace', 'ada', 'dee', 'eve']);
    expect(loginsOf({ item: { ...pullNow, assignees: [], author: null } })).toEqual(['grace']);
    expect(loginsOf({})).toEqual([]);
  });
});
