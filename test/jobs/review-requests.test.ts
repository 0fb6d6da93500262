import { describe, expect, it } from 'vitest';
import { openRequests } from '../../src/forge/review-requests.js';
import type { PullReview } from '../../src/forge/schemas.js';
import { words } from '../commands/talk.js';
import { onServers, servers } from '../support/servers.js';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const core = '<!subteam^S0CORE0001>';
const repo = 'acme/engine';

for (const flavor of servers)
  describe(`a requested review on ${flavor}`, () => {
    const services = useFeed({
      flavor,
      people: { ada: 'U0ADA00001', grace: 'U0GRACE001' },
      policy: 'teams:\n  acme/core: S0CORE0001\n',
      slack: { allowMention: ({ kind }) => kind !== 'broadcast' },
    });
    const { round } = services;
    const messages = () => services.slack.state.messages(engine);
    const cards = () => messages().filter(({ threadTs }) => threadTs === undefined);
    const replies = () => messages().filter(({ threadTs }) => threadTs !== undefined);
    function open(title: string): number {
      const { world } = services.forge;
      world.push({ as: 'grace', repo, branch: title, commits: [{ message: title, files: [`${title}.go`] }] });
      return world.openPull({ as: 'grace', repo, title, head: title, body: 'It slips.' }).index;
    }
    const ask = (index: number, who: { from?: string[]; teams?: string[] }) => {
      services.pass(2_000);
      services.forge.world.requestReview({ as: 'grace', repo, index, ...who });
    };
    async function follow(filter: string, target = 'acme/*'): Promise<number> {
      const index = open('belt');
      services.pass(120_000);
      await services.subscribe(engine, target, filter);
      await round();
      return index;
    }

    it('is one card with size, checks and who asked whom, and mentions the group once', async () => {
      const index = await follow('reviews:requested reviewer:acme/core');
      const found = [...services.forge.world.state.repos.values()].find(({ name }) => name === 'engine');
      const sha = found?.issues.get(index)?.pull?.headSha ?? '';
      services.forge.world.commitStatus({ as: 'grace', repo, sha, context: 'lint', state: 'success' });
      ask(index, { teams: ['core'] });
      for (let times = 0; times < 3; times += 1) await round();
      expect(messages()).toHaveLength(1);
      const card = words(cards()[0]);
      expect(card).toContain(`*grace* requested a review from *acme/core* on`);
      expect(card).toMatch(/\+\d+ −\d+ · 1 file/);
      expect(card).toContain('✅ 1 check');
      expect(card).toContain('It slips.');
      expect(card.split(core)).toHaveLength(2);
    });

    it('reaches a team through its members, and nobody else', async () => {
      const index = await follow('reviews:requested reviewer:acme/review');
      ask(index, { from: ['ada'] });
      await round();
      ask(index, { teams: ['core'] });
      await round();
      expect(messages()).toEqual([]);
      ask(index, { from: ['margaret'] });
      await round();
      expect(messages().map((each) => words(each))).toEqual([
        expect.stringContaining('requested a review from *margaret* (acme/review) on'),
      ]);
    });

    it('is one message for all that were asked at once, and leaves the card when it is withdrawn or done', async () => {
      const index = await follow('reviews:requested');
      ask(index, { from: ['ada', 'margaret'], teams: ['core'] });
      await round();
      expect(messages()).toHaveLength(1);
      expect(words(cards()[0])).toContain('requested a review from *acme/core*, *ada*, *margaret* on');
      expect(words(cards()[0])).toContain('waiting on');
      services.forge.world.withdrawRequest({ as: 'grace', repo, index, from: ['margaret'] });
      services.pass(30_000);
      services.forge.world.withdrawRequest({ as: 'grace', repo, index, teams: ['core'] });
      await round();
      expect(words(cards()[0])).toContain('waiting on <@U0ADA00001>');
      services.pass(30_000);
      services.forge.world.review({ as: 'ada', repo, index, verdict: 'approve' });
      await round();
      expect(words(cards()[0])).toContain('approved by <@U0ADA00001>');
      expect(words(cards()[0])).not.toContain('waiting on');
      expect(messages()).toHaveLength(1);
      // requested once more, it is news again
      services.pass(30_000);
      ask(index, { teams: ['core'] });
      await round();
      expect(replies().map((each) => words(each))).toEqual([expect.stringContaining(core)]);
    });

    it('costs few requests from the webhook to the card', async () => {
      const index = await follow('reviews:requested reviewer:acme/core,ada');
      const asked: number[] = [];
      for (const who of [{ teams: ['core'] }, { from: ['ada'] }]) {
        services.pass(60_000);
        ask(index, who);
        services.forge.requests.clear();
        const { id, owner } = await services.service.repos.get({ owner: 'acme', repo: 'engine' });
        await services.jobs.wakeRepository(id, { ownerId: owner?.id, hasItem: true, isRequest: true });
        // the others are due by time
        for (const due of await services.store.sources.claimDue(100, 60_000))
          if (due.woken) await services.jobs.steps.poll(due);
        await services.deliver();
        // the test itself asked for the repository
        asked.push(services.forge.requests.all.length - 1);
      }
      expect(messages()).toHaveLength(2);
      process.stdout.write(`figure review.requests_per_request ${Math.max(...asked)}\n`);
      expect(Math.max(...asked)).toBeLessThanOrEqual(6);
    });

    it('stays out of channels that may not see its repository', async () => {
      const { world } = services.forge;
      world.push({ as: 'grace', repo: 'acme/vault', branch: 'keys', commits: ['keys'] });
      const { index } = world.openPull({ as: 'grace', repo: 'acme/vault', title: 'Secret keys', head: 'keys' });
      const other = await follow('reviews:requested');
      services.pass(2_000);
      world.requestReview({ as: 'grace', repo: 'acme/vault', index, teams: ['core'] });
      ask(other, { teams: ['core'] });
      await round();
      expect(messages().map((each) => words(each))).toEqual([expect.stringContaining('belt')]);
    });

    // from here on the server makes no difference
    if (!onServers(servers, servers.slice(0, 1)).includes(flavor)) return;

    it('updates the card under which the pull request already stands', async () => {
      await services.subscribe(engine, repo, 'pulls reviews:requested');
      await round();
      const index = open('belt');
      await round();
      services.pass(120_000);
      ask(index, { teams: ['core'] });
      await round();
      expect(cards()).toHaveLength(1);
      expect(words(cards()[0])).toContain(`waiting on ${core}`);
      expect(replies().map((each) => words(each))).toEqual([
        expect.stringContaining(`requested a review from ${core} on`),
      ]);
    });

    it('is shown by the card of its opening if it came with it', async () => {
      await services.subscribe(engine, repo, 'pulls reviews:requested');
      await round();
      const index = open('belt');
      services.forge.world.requestReview({ as: 'grace', repo, index, from: ['ada'], teams: ['core'] });
      for (let times = 0; times < 3; times += 1) await round();
      expect(cards()).toHaveLength(1);
      expect(words(cards()[0])).toContain('*grace* opened pull request');
      expect(words(cards()[0])).toContain('waiting on');
      expect(replies()).toEqual([]);
    });

    it('is no news if it was there before the subscription', async () => {
      const index = open('belt');
      ask(index, { teams: ['core'] });
      services.pass(30_000);
      await services.subscribe(engine, repo, 'reviews:requested');
      await round();
      services.pass(30_000);
      services.forge.world.comment({ as: 'ada', repo, index, body: 'A word' });
      await round();
      expect(messages()).toEqual([]);
    });

    it('is posted once, however many workers stop on the way', async () => {
      const index = await follow('reviews:requested');
      ask(index, { teams: ['core'] });
      await services.jobs.steps.reconcile();
      const { store } = services;
      const [source] = (await store.sources.list()).filter((each) => each.source.startsWith('items-'));
      await store.sources.wake(source?.source ?? '');
      const due = await store.sources.claimDue(10, 60_000);
      // two workers read the same source at once, as after a lost lease
      const other = services.another();
      await Promise.all(due.flatMap((each) => [services.jobs.steps.poll(each), other.steps.poll(each)]));
      await services.deliver();
      for (let times = 0; times < 3; times += 1) await round();
      expect(messages()).toHaveLength(1);
    });
  });

describe('whose review is still requested', () => {
  const entry = (id: number, state: string, more: Partial<PullReview> = {}) =>
    ({ id, state, user: { id: 1, login: 'ada' }, dismissed: false, ...more }) as PullReview;
  it.each([
    ['one with a draft of it', [entry(1, 'REQUEST_REVIEW'), entry(2, 'PENDING')], ['ada']],
    ['one who was asked again, in whatever order', [entry(2, 'REQUEST_REVIEW'), entry(1, 'APPROVED')], ['ada']],
    ['one who was asked again', [entry(1, 'APPROVED'), entry(2, 'REQUEST_REVIEW')], ['ada']],
    ['not one who answered', [entry(1, 'REQUEST_REVIEW'), entry(2, 'COMMENT')], []],
    ['not one whose request was dismissed', [entry(1, 'REQUEST_REVIEW', { dismissed: true })], []],
  ])('%s', (_, reviews, logins) => {
    expect(openRequests(reviews).requested_reviewers.map(({ login }) => login)).toEqual(logins);
  });
});
