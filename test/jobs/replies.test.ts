import { expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const channel = 'C0ENGINE01';
const repo = 'acme/engine';
const services = useFeed();
const { round } = services;

/** A card with a comment for the feed to post. */
async function commented() {
  await services.subscribe(channel, repo, 'issues comments thread:sync');
  await round();
  const { index, repo: at } = services.forge.world.openIssue({ as: 'grace', repo, title: 'Steam' });
  await round();
  const place = { team: services.slack.teamId, channel };
  const comment = () => services.forge.world.comment({ as: 'ada', repo, index, body: 'From the thread' });
  const replies = () => services.replies(channel, services.slack.state.messages(channel)[0]?.ts);
  return { place, item: `r${at.id}-n${index}`, comment, replies };
}
const kept = { owner: 'acme', repo: 'engine', user: 'U0ADA00001', login: 'ada' };

it('a comment from a reply in this channel is not posted there', async () => {
  const { place, comment, replies } = await commented();
  await services.store.replies.keep(place, '1.1', { comment: comment().id, ...kept });
  await round();
  expect(replies()).toEqual([]);
  expect((await services.store.outbox.view(place)).size).toBe(0);
});

it('is posted in every other channel', async () => {
  const { place, comment, replies } = await commented();
  await services.store.replies.keep({ ...place, channel: 'C0OTHER001' }, '1.1', { comment: comment().id, ...kept });
  await round();
  expect(replies()).toHaveLength(1);
});

it('a mark that someone else wrote into Redis suppresses nothing', async () => {
  const { comment, replies } = await commented();
  const { id } = comment();
  await services.store.redis.set(`bellows:{f0:channel:${services.slack.teamId}:${channel}}:replied:${id}`, '1.1');
  await round();
  expect(replies()).toHaveLength(1);
});

it('waits while a reply is being sent, because it may be that one', async () => {
  const { place, item, comment, replies } = await commented();
  await services.store.replies.begin(place, item, 'U0ADA00001');
  const { id } = comment();
  await services.poll();
  for (const pending of await services.store.outbox.pending()) await services.jobs.steps.deliver(pending);
  expect(replies()).toEqual([]);
  expect((await services.store.outbox.view(place)).size).toBe(1);
  await services.store.replies.keep(place, '1.1', { comment: id, ...kept });
  await services.store.replies.end(place, item);
  await round();
  expect(replies()).toEqual([]);
});

it('waits while the job that sends it is unfinished, and no longer', async () => {
  const { place, item, comment, replies } = await commented();
  const turn = { person: { team: place.team, user: 'U0ADA00001' }, id: 'j-t-cut' };
  await services.store.turns.admit(turn);
  await services.store.replies.begin(place, item, turn.person.user, turn.id);
  comment();
  services.pass(120_000);
  await round();
  expect(replies()).toEqual([]);
  await services.store.turns.leave(turn);
  services.pass(5_000);
  await round();
  expect(replies()).toHaveLength(1);
});
