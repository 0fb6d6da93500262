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
      seed: {
        userGroups: [
          { id: 'S0CORE0001', handle: 'core', users: ['U0ADA00001'] },
          { id: 'S0OTHER001', handle: 'other', users: ['U0ADA00001', 'U0ALAN0001'] },
          { id: 'S0EMPTY001', handle: 'empty', users: ['U0ALAN0001'] },
        ],
      },
    },
  });
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  await bellows.link('grace');
  await bellows.link('ada');
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

let pulls = 0;
function openAnother(): number {
  pulls += 1;
  return open(`another-${pulls}`);
}
const asked = () => bellows.forge.requests.of(asks).at(-1)?.body;

describe('pr review --teams', () => {
  it('mentions the group of the team in its answer', async () => {
    const answer = await type('grace', `pr review ${repo}#${open('plain')} --teams core`);
    expect(words(answer)).toContain(`Requested a review from ${core} on`);
  });

  it('understands the group itself', async () => {
    await type('grace', `pr review ${repo}#${open('group')} --teams <!subteam^S0CORE0001|@core>`);
    expect(bellows.forge.requests.of(asks).at(-1)?.body).toEqual({ team_reviewers: ['core'] });
  });

  it.each([
    'acme/core',
    '@acme/core',
    'core',
    'Core',
    '<!subteam^S0CORE0001|@core>',
    '--team core',
    '--teams acme/core',
  ])('asks the team by “%s”', async (name) => {
    const answer = await type('grace', `pr review ${repo}#${openAnother()} ${name}`);
    expect(words(answer)).toContain(`Requested a review from ${core} on`);
    expect(asked()).toEqual({ team_reviewers: [expect.stringMatching(/^core$/)] });
  });

  it('asks the person if one has the login of a team', async () => {
    bellows.forge.world.createUser({ login: 'core' });
    await type('grace', `pr review ${repo}#${open('person')} core --dry-run`);
    await type('grace', `pr review ${repo}#${open('both')} core, acme/core`);
    expect(asked()).toEqual({ reviewers: ['core'], team_reviewers: ['core'] });
    bellows.forge.world.deleteUser({ login: 'core' });
  });

  it('shows the team in a dry run', async () => {
    const answer = await type('grace', `pr review ${repo}#${open('dry')} core --dry-run`);
    expect(words(answer)).toMatch(/team_reviewers[^\]]*core/);
  });

  it.each(['nosuch', 'cora'])('says in a sentence that there is no team %s', async (name) => {
    const before = bellows.forge.requests.of(asks).length;
    const says = `acme has no team named ${name}. ${name === 'cora' ? 'Did you mean core?' : 'Check the name, or name people.'}`;
    for (const written of [`acme/${name}`, `@acme/${name}`, `--team ${name}`])
      expect((await type('grace', `pr review ${repo}#${openAnother()} ${written}`)).text).toBe(says);
    expect(
      bellows.forge.requests
        .of(asks)
        .slice(before)
        .every(({ status }) => status === 404),
    ).toBe(true);
  });

  it('asks no team of another organization', async () => {
    const before = bellows.forge.requests.of(asks).length;
    const index = open('foreign');
    for (const written of ['octo/core', '--teams octo/core'])
      expect((await type('grace', `pr review ${repo}#${index} ${written}`)).text).toBe(
        `octo/core can’t review ${repo}#${index}: only teams of acme can.`,
      );
    expect(bellows.forge.requests.of(asks).length).toBe(before);
  });

  it.each(['', '--team '])('asks the linked members of a group without a team: “%s@group”', async (flag) => {
    const answer = await type('grace', `pr review ${repo}#${openAnother()} ${flag}<!subteam^S0OTHER001|@other>`);
    expect(asked()).toEqual({ reviewers: ['ada'] });
    expect(words(answer)).toContain('Requested a review from ada on');
    expect(words(answer)).toContain('Not requested: 1 member of the group without a linked forge account.');
  });

  it('says when nobody in a group is linked', async () => {
    const answer = await type('grace', `pr review ${repo}#${open('strangers')} <!subteam^S0EMPTY001|@empty>`);
    expect(answer.text).toBe('Nobody in @empty has a linked forge account. Name people or a team of acme instead.');
  });

  it('does not claim that a team was asked where there are no teams', async () => {
    const { world } = bellows.forge;
    world.createRepo({ as: 'grace', owner: 'grace', name: 'own' });
    world.push({ as: 'grace', repo: 'grace/own', branch: 'change', commits: ['change'] });
    const { index } = world.openPull({ as: 'grace', repo: 'grace/own', title: 'Own', head: 'change' });
    const answer = await type('grace', `pr review grace/own#${index} --team core`);
    expect(answer.text).toContain('team core: only organization repositories have teams');
    expect(answer.text).not.toContain('already requested');
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
