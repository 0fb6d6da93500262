import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

const repo = 'acme/engine';
const core = '<!subteam^S0CORE0001>';
const place = { team: 'T0BELLOWS1', channel: 'C0ENGINE01' };

let bellows: Bellows;
let store: Store;
beforeAll(async () => {
  bellows = await startBellows({
    policy: 'roles:\n  admin:\n    users: [U0ADA00001]\nteams:\n  acme/core: S0CORE0001\n',
    slack: {
      allowMention: ({ kind }) => kind !== 'broadcast',
      seed: { userGroups: [{ id: 'S0CORE0001', handle: 'core', users: ['ada'] }] },
    },
  });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  await bellows.link('grace');
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});

const { type } = talkTo(() => bellows);
const asks = 'POST /repos/{owner}/{repo}/pulls/{index}/requested_reviewers';
function open(title: string): number {
  bellows.forge.world.push({ as: 'grace', repo, branch: title, commits: [title] });
  return bellows.forge.world.openPull({ as: 'grace', repo, title, head: title }).index;
}

describe('pr review --teams', () => {
  it('mentions the group of the team in its answer', async () => {
    const answer = await type('grace', `pr review ${repo}#${open('plain')} --teams core`);
    expect(words(answer)).toContain(`Requested a review from ${core} on`);
  });

  it('understands the group itself', async () => {
    await type('grace', `pr review ${repo}#${open('group')} --teams <!subteam^S0CORE0001|@core>`);
    expect(bellows.forge.requests.of(asks).at(-1)?.body).toEqual({ team_reviewers: ['core'] });
  });

  it('says when a group has no team', async () => {
    const answer = await type('grace', `pr review ${repo}#${open('other')} --teams <!subteam^S0OTHER001|@other>`);
    expect(answer.text).toContain('@other is not mapped to a team in bellows.yaml');
  });

  it('does not take a group for a person', async () => {
    const answer = await type('grace', `pr review ${repo}#${open('person')} <!subteam^S0CORE0001|@core>`);
    expect(words(answer)).toContain('A user group can’t be named here');
  });

  it('mentions the group in the thread of the pull request’s card, not again in the answer', async () => {
    await bellows.slack.as('grace').command('engine', '/forge', `subscribe ${repo} pulls`);
    await bellows.slack.until(
      () => bellows.slack.state.messages('engine').some(({ text }) => text.includes('subscribed')),
      8_000,
    );
    const index = open('threaded');
    const { ts } = await bellows.slack.as('grace').post('engine', 'card');
    const url = `${bellows.config.forge.url}/${repo}/pulls/${index}`;
    await store.threads.put(place, { item: `r1-n${index}`, ts, about: { event: { item: { url } } } });
    const answer = await type('grace', `pr review ${repo}#${index} --teams core`);
    expect(words(answer)).not.toContain('subteam');
    const replies = () => bellows.slack.state.messages('engine').filter(({ threadTs }) => threadTs === ts);
    const [reply] = await bellows.slack.until(() => (replies().length > 0 ? replies() : undefined));
    expect(words(reply)).toContain(`requested a review from ${core}`);
  });
});
