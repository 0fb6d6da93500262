import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('grace');
  await bellows.link('alan', 'dependabot-bot');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('shows reviews, assigned, mentions and notifications, each item once', async () => {
  const shown = words(await type('grace', 'todo'));
  expect(shown).toContain('*Waiting for your review*');
  expect(shown).toContain('#3 Dark mode');
  expect(shown).toContain('*Assigned to you*');
  expect(shown).toContain('#4 Alarm 1202 under load');
  expect(shown).toContain('*Unread notifications*');
  expect(shown.match(/issues\/4\|#4 Alarm 1202/g)).toHaveLength(1);
});

it('leads to the whole list if there is more', async () => {
  for (let at = 1; at <= 7; at += 1) {
    bellows.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: `Chore ${at}`, assignees: ['grace'] });
  }
  const todo = await type('grace', 'todo');
  const all = await click('grace', todo, /^All \d+$/);
  expect(all.text).toMatch(/open results/);
  // the poll of her inbox searches too
  const searches = bellows.forge.requests.of('GET /repos/issues/search').filter(({ query }) => !query['since']);
  expect(searches.at(-1)?.query).toMatchObject({ assigned: 'true' });
});

it('says that notifications could not be read if the token may not', async () => {
  await bellows.link('ada', 'bellows-bot', bellows.forge.account('bellows-bot').token(['read:user', 'read:issue']));
  const answer = await type('ada', 'todo');
  expect(words(answer)).toContain('Notifications could not be read');
  expect(words(answer)).toContain('read:notification');
  expect(words(answer)).not.toContain('🎉');
});

it('puts what is late first, then what is due, then the oldest', async () => {
  const { world } = bellows.forge;
  const assign = (title: string, due?: string) => {
    world.openIssue({ as: 'ada', repo: 'acme/engine', title, assignees: ['linus'] }).dueDate = due;
  };
  await bellows.link('alan', 'linus');
  assign('Some day');
  assign('Next year', '2999-01-01T23:59:59Z');
  assign('Long ago', '2020-01-01T23:59:59Z');
  const shown = words(await type('alan', 'todo'));
  const order = ['Long ago', 'Next year', 'Some day'].map((title) => shown.indexOf(title));
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  expect(order[0]).toBeGreaterThan(0);
  expect(shown).toMatch(/⏰ \d+ days late: <[^>]*Long ago>/);
  expect(shown).toContain('⏰ Due 2999-01-01:');
  await bellows.link('alan', 'dependabot-bot');
});

it('shows the person’s own pull requests that wait for others, with a nudge', async () => {
  const { world } = bellows.forge;
  world.push({ as: 'grace', repo: 'acme/engine', branch: 'waiting', commits: ['Wait'] });
  const { index } = world.openPull({ as: 'grace', repo: 'acme/engine', title: 'Please look', head: 'waiting' });
  expect(words(await type('grace', 'todo'))).not.toContain('Please look');
  world.requestReview({ as: 'grace', repo: 'acme/engine', index, from: ['ada'] });
  const shown = await type('grace', 'todo');
  expect(words(shown)).toMatch(/Waiting for others.*Please look.*Waiting for ada.*"Nudge"/);
});

it('is happy if nothing is waiting', async () => {
  await type('alan', 'inbox clear --all');
  expect((await type('alan', 'todo')).text).toContain('all caught up');
});
