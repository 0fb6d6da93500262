import { describe, expect, it } from 'vitest';
import { covers } from '../../src/feed/covers.js';
import type { Event } from '../../src/feed/event.js';
import { parseFilter } from '../../src/feed/filter.js';
import { decide, type Follower, type Known, preview, route } from '../../src/feed/route.js';
import { events, issueNow, itemOf, pullNow, push } from './samples/events.js';

const judge = (words: string, event: Event, known: Known = { item: itemOf(event) }) =>
  decide(parseFilter(words), event, known);
const keeps = (words: string, event: Event, known?: Known) => judge(words, event, known).keep;
const clause = (words: string, event: Event, known?: Known) => judge(words, event, known).clause;
const bot: Event = { ...events['issues:opened'], actor: { id: 9, login: 'renovate-bot', bot: true } };

describe('deciding', () => {
  it('keeps the default features and drops the others, naming them', () => {
    expect(keeps('', events['issues:opened'])).toBe(true);
    expect(clause('', events['issues:opened'])).toBe('issues');
    expect(keeps('', events['reviews:approved'])).toBe(false);
    expect(clause('', events['reviews:approved'])).toBe('the subscription does not include reviews');
  });

  it('keeps only the named sub-features', () => {
    expect(keeps('pulls:opened,merged', events['pulls:merged'])).toBe(true);
    expect(keeps('pulls:opened,merged', events['pulls:closed'])).toBe(false);
    expect(clause('pulls:opened,merged', events['pulls:closed'])).toBe('pulls:opened,merged');
  });

  it('runs can be narrowed to workflows, by file or by name', () => {
    expect(keeps('runs:all workflow:ci.yml', events['runs:failure'])).toBe(true);
    expect(keeps('workflows:{name:"CI" branch:"main"}', events['runs:failure'])).toBe(true);
    expect(clause('runs:all workflow:deploy', events['runs:failure'])).toBe('workflow:deploy');
    expect(keeps('runs issues workflow:deploy', events['issues:opened'])).toBe(true);
  });

  it('review requests can be narrowed to teams, their members and people', () => {
    const request = events['reviews:requested'];
    const personal = { ...request, asked: { people: ['linus'], teams: [] } };
    for (const words of ['', ' reviewer:Acme/Core', ' reviewer:grace,linus', ' reviewer:acme/*'])
      expect(keeps(`reviews:requested${words}`, request)).toBe(true);
    expect(clause('reviews:requested reviewer:acme/web,grace', request)).toBe('reviewer:acme/web,grace');
    expect(keeps('reviews:approved reviewer:acme/core', request)).toBe(false);
    const members = new Map([
      ['acme/core', ['Linus']],
      ['acme/web', undefined],
    ]);
    expect(keeps('reviews reviewer:acme/core', personal, { members })).toBe(true);
    expect(clause('reviews reviewer:acme/web', personal, { members })).toBe(
      'reviewer:acme/web (the members of acme/web could not be read)',
    );
    // a team's request is not one of its members
    expect(keeps('reviews reviewer:linus', { ...request, asked: { people: [], teams: ['acme/core'] } })).toBe(false);
    expect(keeps('reviews reviewer:acme/web', events['reviews:approved'])).toBe(true);
  });

  it('a repository excluded from a pattern is dropped with the reason, and is not covered', () => {
    const opened = events['issues:opened'];
    const at = (fullName: string): Event => ({ ...opened, repo: { ...opened.repo, fullName } });
    expect(judge('issues -acme/noisy', at('Acme/Noisy'))).toMatchObject({ keep: false, clause: '-acme/noisy' });
    expect(keeps('issues -acme/lib-*', at('acme/lib-one'))).toBe(false);
    expect(keeps('issues -acme/noisy', at('acme/engine'))).toBe(true);
    const sub = { target: { kind: 'owner', pattern: '*' }, filter: parseFilter('issues -acme/noisy') } as const;
    expect(covers(sub, 'acme/engine')).toBe(true);
    expect(covers(sub, 'acme/noisy')).toBe(false);
  });

  it('a merge is kept for people who only follow commits', () => {
    expect(keeps('commits:main', events['pulls:merged'])).toBe(true);
    expect(keeps('commits:other', events['pulls:merged'])).toBe(false);
  });

  it('commits mean the default branch unless others are named', () => {
    const pushed = (branch: string): Event => ({ ...events['commits:pushed'], push: { ...push, branch } });
    const known = { defaultBranch: 'main' };
    expect(keeps('', pushed('main'), known)).toBe(true);
    expect(keeps('', pushed('feat/x'), known)).toBe(false);
    expect(keeps('commits:*', pushed('feat/x'), known)).toBe(true);
    expect(keeps('commits:feat/*', pushed('feat/x'), known)).toBe(true);
    expect(keeps('commits branch:feat/*', pushed('feat/x'), known)).toBe(true);
    expect(keeps('commits branch:feat/*', pushed('main'), known)).toBe(false);
  });

  it('bots are left out unless wanted', () => {
    expect(clause('', bot)).toBe('bots:off');
    expect(keeps('bots:on', bot)).toBe(true);
  });

  it('filters labels by all words and any of a list', () => {
    const item = { ...issueNow, labels: ['bug', 'kind/ui'] };
    expect(keeps('+label:bug', events['issues:opened'], { item })).toBe(true);
    expect(keeps('+label:kind/*', events['issues:opened'], { item })).toBe(true);
    expect(keeps('+label:crash,bug', events['issues:opened'], { item })).toBe(true);
    expect(clause('+label:bug +label:crash', events['issues:opened'], { item })).toBe('+label:crash');
    expect(clause('-label:bug', events['issues:opened'], { item })).toBe('-label:bug');
    expect(keeps('commits +label:bug', events['commits:pushed'])).toBe(true);
  });

  it('says so when labels could not be read', () => {
    expect(clause('+label:bug', events['issues:opened'], {})).toBe('+label:bug (its labels could not be read)');
  });

  it('posts an added label only if labels are filtered', () => {
    expect(keeps('issues +label:bug', events['issues:labeled'])).toBe(true);
    expect(keeps('issues', events['issues:labeled'])).toBe(false);
  });

  it('checks who did it and whose it is', () => {
    expect(clause('-author:grace', events['issues:closed'])).toBe('-author:grace');
    expect(clause('-author:ad*', events['issues:closed'])).toBe('-author:ad*');
    expect(keeps('+author:ada', events['issues:closed'])).toBe(true);
    expect(clause('+author:linus', events['issues:closed'])).toBe('+author:linus');
  });

  it('filters pull requests by their base', () => {
    expect(keeps('base:main', events['pulls:opened'])).toBe(true);
    expect(clause('base:release/*', events['pulls:opened'])).toBe('base:release/*');
    expect(clause('base:!main', events['pulls:opened'])).toBe('base:!main');
    expect(keeps('base:release/*', events['issues:opened'])).toBe(true);
  });

  it('shows drafts as a line, in full or not at all', () => {
    const known = { item: { ...pullNow, draft: true } };
    expect(judge('', events['pulls:opened'], known)).toMatchObject({ keep: true, style: 'line' });
    expect(judge('drafts:show', events['pulls:opened'], known)).toMatchObject({ keep: true, style: 'card' });
    expect(clause('drafts:hide', events['pulls:opened'], known)).toBe('drafts:hide');
    expect(keeps('pulls:opened drafts:hide', events['pulls:ready'])).toBe(true);
  });

  it('runs: changes of color, failures or all', () => {
    const again: Event = { ...events['runs:failure'], run: { ...events['runs:cancelled'].run } };
    expect(keeps('runs', events['runs:failure'])).toBe(true);
    expect(keeps('runs', again)).toBe(false);
    expect(keeps('runs:failure', again)).toBe(true);
    expect(keeps('runs:failure', events['runs:skipped'])).toBe(false);
    expect(keeps('runs:all', events['runs:skipped'])).toBe(true);
    expect(clause('runs branch:dev', events['runs:failure'])).toBe('branch:dev');
  });

  it('leaves out comments if threads carry only state', () => {
    expect(clause('comments thread:state', events['comments:issue'])).toBe('thread:state');
    expect(keeps('issues thread:state', events['issues:closed'])).toBe(true);
  });

  it('drops the subscriber’s own actions on request', () => {
    expect(clause('self:off', events['issues:opened'], { subscriber: 'Ada' })).toBe('self:off');
    expect(keeps('', events['issues:opened'], { subscriber: 'ada' })).toBe(true);
  });
});

describe('routing', () => {
  const follower = (channel: string, words: string, more: Partial<Follower> = {}): Follower => ({
    id: `T1/${channel} r12`,
    team: 'T1',
    channel,
    filter: parseFilter(words),
    ...more,
  });
  const routed = (event: Event, ...followers: readonly Follower[]) =>
    route(event, followers, { item: itemOf(event) }).map(({ follower: { channel }, decision, delivery }) => [
      channel,
      delivery !== undefined,
      decision.clause,
    ]);

  it('gives each channel the reason why it gets the event or not', () => {
    expect(routed(events['issues:opened'], follower('C1', ''), follower('C2', 'pulls'))).toEqual([
      ['C1', true, 'issues'],
      ['C2', false, 'the subscription does not include issues'],
    ]);
  });

  it('posts once to a channel with two matching subscriptions', () => {
    expect(routed(events['issues:opened'], follower('C1', ''), follower('C1', '', { pattern: '*' }))).toEqual([
      ['C1', true, 'issues'],
      ['C1', false, 'already posted by another subscription of this channel'],
    ]);
  });

  it('matches the patterns of those who follow an owner', () => {
    expect(
      routed(events['issues:opened'], follower('C1', '', { pattern: 'eng*' }), follower('C2', '', { pattern: 'web*' })),
    ).toEqual([['C1', true, 'issues']]);
  });

  it('posts nothing for a paused subscription and says why', () => {
    expect(routed(events['issues:opened'], follower('C1', '', { paused: 'the channel is archived' }))).toEqual([
      ['C1', false, 'the subscription is paused: the channel is archived'],
    ]);
  });

  it('an opened item and one that starts to match are one delivery', () => {
    const id = (event: Event) =>
      route(event, [follower('C1', 'issues +label:bug')], { item: issueNow })[0]?.delivery?.id;
    expect(id(events['issues:opened'])).toBe(id(events['issues:labeled']));
    expect(id(events['issues:opened'])).not.toBe(id(events['issues:closed']));
  });

  it('previews what a filter would have posted', () => {
    const all = [events['issues:opened'], events['reviews:approved'], bot];
    expect(preview(all, parseFilter(''), () => ({}))).toMatchObject({
      kept: [events['issues:opened']],
      dropped: 2,
      bots: 1,
    });
  });
});
