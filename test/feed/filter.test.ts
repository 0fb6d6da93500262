import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { mergedFilter, narrowedFilter } from '../../src/features/subscriptions/fields.js';
import {
  defaultFeatures,
  Filter,
  features,
  mergeFilter,
  needs,
  parseFilter,
  settings,
  showFilter,
  subsOf,
} from '../../src/feed/filter.js';

const complaint = (words: string): string => {
  try {
    parseFilter(words);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  return '';
};

describe('the subscription language', () => {
  it('means the default features when nothing is typed', () => {
    expect(parseFilter('')).toEqual({});
    expect(defaultFeatures).toEqual(['issues', 'pulls', 'commits', 'releases']);
  });

  it('reads features, sub-features and their lists', () => {
    expect(parseFilter('issues pulls:opened,merged').features).toEqual({ issues: [], pulls: ['opened', 'merged'] });
    expect(parseFilter('issues,pulls,reviews:approved,comments').features).toEqual({
      issues: [],
      pulls: [],
      reviews: ['approved'],
      comments: [],
    });
    expect(parseFilter('commits:main,release/*').features).toEqual({ commits: ['main', 'release/*'] });
    expect(Object.keys(parseFilter('all').features ?? {})).toEqual([...features]);
  });

  it('reads workflows as runs, with a mode', () => {
    expect(parseFilter('workflows')).toEqual({ features: { runs: [] } });
    expect(parseFilter('runs:failure')).toEqual({ features: { runs: [] }, runs: 'failure' });
    expect(parseFilter('runs:transitions')).toEqual({ features: { runs: [] } });
  });

  it('reads which parts of runs are followed besides their results, and shows them again', () => {
    for (const [words, filter] of [
      ['runs:waiting', { features: { runs: ['waiting'] } }],
      ['runs:stuck,waiting', { features: { runs: ['waiting', 'stuck'] } }],
      ['runs runs:waiting', { features: { runs: ['results', 'waiting'] } }],
      ['runs:waiting runs', { features: { runs: ['results', 'waiting'] } }],
      ['runs:failure,stuck', { features: { runs: ['results', 'stuck'] }, runs: 'failure' }],
    ] satisfies [string, Filter][]) {
      expect(parseFilter(words), words).toEqual(filter);
      expect(parseFilter(showFilter(filter)), words).toEqual(filter);
    }
    expect(complaint('runs:wating')).toContain('runs:waiting or runs:stuck');
    expect(needs(parseFilter('runs:stuck'))).toMatchObject({ runs: true, stuck: true });
    expect(needs(parseFilter('runs'))).toMatchObject({ runs: true, stuck: false });
  });

  it('adds to the followed parts of runs', () => {
    expect(mergeFilter({ features: { runs: [] } }, parseFilter('runs:waiting')).features).toEqual({
      runs: ['results', 'waiting'],
    });
    expect(mergeFilter(parseFilter('runs:waiting'), parseFilter('runs:stuck')).features).toEqual({
      runs: ['waiting', 'stuck'],
    });
    expect(mergeFilter(parseFilter('runs:waiting'), parseFilter('runs')).features).toEqual({
      runs: ['results', 'waiting'],
    });
    expect(mergedFilter(parseFilter('runs:failure'), ['runs:waiting'])).toEqual(parseFilter('runs:failure,waiting'));
    expect(narrowedFilter(parseFilter('runs:failure,waiting'), ['runs:waiting'])).toEqual(parseFilter('runs:failure'));
  });

  it('reads labels as any of a list and all of the words', () => {
    expect(parseFilter('+label:bug,crash +label:"needs review" -label:wip')).toEqual({
      labels: [['bug', 'crash'], ['needs review']],
      notLabels: ['wip'],
    });
    expect(parseFilter('+label:“two words”').labels).toEqual([['two words']]);
  });

  it.each(['+author:acme/core', '-author:ada,acme/core', '+author:@acme/core'])('refuses the team in %s', (word) => {
    expect(() => parseFilter(word)).toThrow(`\`${word}\` names a team, and authors are people. Write their logins`);
  });

  it('reads authors, branches and settings', () => {
    expect(
      parseFilter(
        '-author:*-bot +author:@ada base:main,!main/old branch:release/* bots:on drafts:hide thread:off style:line self:off',
      ),
    ).toEqual({
      notAuthors: ['*-bot'],
      authors: ['ada'],
      base: ['main', '!main/old'],
      branch: ['release/*'],
      bots: 'on',
      drafts: 'hide',
      thread: 'off',
      style: 'line',
      self: 'off',
    });
  });

  it('stores no setting that equals the default', () => {
    expect(parseFilter('bots:off drafts:line thread:all style:card self')).toEqual({});
  });

  it('suggests what was meant', () => {
    expect(complaint('isues')).toContain('Did you mean issues?');
    expect(complaint('nosuch')).not.toContain('Did you mean');
    expect(complaint('pulls:mergd')).toContain('Did you mean pulls:merged?');
    expect(complaint('style:fancy')).toContain('Use style:card or style:line');
    expect(complaint('+label:')).toContain('+label:bug');
    expect(complaint('+lable:x')).toContain('+label:');
    expect(complaint('issues:opened,labeled')).toContain('Use +label:bug');
    expect(complaint('pulls:labeled')).toContain('Use +label:bug');
    expect(complaint('pulls:x')).not.toContain('labeled');
    expect(complaint('queue:merged')).toContain('queue has no “merged”. It has no parts: write it alone.');
  });

  it('subscribing again adds features and replaces settings', () => {
    expect(mergeFilter({}, parseFilter('reviews')).features).toEqual({
      issues: [],
      pulls: [],
      commits: [],
      releases: [],
      reviews: [],
    });
    expect(mergeFilter(parseFilter('issues style:line'), parseFilter('bots:on'))).toEqual({
      features: { issues: [] },
      style: 'line',
      bots: 'on',
    });
  });

  it('says what has to be polled for it', () => {
    expect(needs(parseFilter(''))).toEqual({ runs: false, stuck: false, labels: [], drafts: true, requests: false });
    expect(needs(parseFilter('runs issues +label:bug'))).toEqual({
      runs: true,
      stuck: false,
      labels: ['bug'],
      drafts: false,
      requests: false,
    });
    expect(needs(parseFilter('reviews:approved')).requests).toBe(false);
    for (const words of ['reviews', 'reviews:requested', 'reviews:approved,requested reviewer:acme/core'])
      expect(needs(parseFilter(words)).requests).toBe(true);
  });

  it('knows reviewers by login and by team', () => {
    const filter = parseFilter('reviews:requested reviewer:acme/core,@grace reviewer:acme/lib-*');
    expect(filter.reviewers).toEqual(['acme/core', 'grace', 'acme/lib-*']);
    expect(showFilter(filter)).toBe('reviews:requested reviewer:acme/core,grace,acme/lib-*');
    expect(() => parseFilter('reviewer:')).toThrow('reviewer: needs a value, such as reviewer:acme/core.');
  });

  it('reads back what it shows', () => {
    const word = fc
      .stringMatching(/^[a-z0-9*][a-z0-9/*. -]{0,20}[a-z0-9*]$/)
      .filter((text) => !features.some((name) => text.startsWith(name)) && !/^(workflows|all|self)/.test(text));
    const words = fc.uniqueArray(word, { minLength: 1, maxLength: 4 });
    const logins = words.filter((all) => all.every((each) => !each.includes('/')));
    const featureMap = fc
      .uniqueArray(fc.constantFrom(...features.filter((name) => name !== 'commits' && name !== 'runs')), {
        minLength: 1,
      })
      .chain((names) =>
        fc.tuple(
          ...names.map((name) =>
            fc
              .subarray([...subsOf(name)], { maxLength: Math.min(3, subsOf(name).length) })
              .map((subs) => [name, subs] as const),
          ),
        ),
      )
      .map((entries) => Object.fromEntries(entries));
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const filters = fc
      .record({
        features: maybe(featureMap),
        labels: maybe(fc.array(words, { minLength: 1, maxLength: 3 })),
        notLabels: maybe(words),
        authors: maybe(logins),
        notAuthors: maybe(logins),
        base: maybe(words),
        branch: maybe(words),
        bots: maybe(fc.constantFrom(...settings.bots.slice(1))),
        drafts: maybe(fc.constantFrom(...settings.drafts.slice(1))),
        thread: maybe(fc.constantFrom(...settings.thread.slice(1))),
        style: maybe(fc.constantFrom(...settings.style.slice(1))),
        self: maybe(fc.constantFrom(...settings.self.slice(1))),
      })
      .map((fields) => Filter.parse(JSON.parse(JSON.stringify(fields))));
    fc.assert(
      fc.property(filters, (filter) => {
        expect(parseFilter(showFilter(filter))).toEqual(filter);
      }),
    );
  });

  it('refuses any text politely, and never crashes', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => void complaint(text)));
  });
});
