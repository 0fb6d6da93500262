import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

const repo = 'acme/engine';
const channels = ['general', 'engine', 'labels', 'runs'].map((name) => ({ id: `C0${name.toUpperCase()}1`, name }));

let bellows: Bellows;
const { type } = talkTo(() => bellows);
beforeAll(async () => {
  bellows = await startBellows({ slack: { seed: { channels } }, pollMs: 400 });
  await bellows.link('ada');
});
afterAll(() => bellows.close());

const posted = (channel: string, what: string) =>
  bellows.slack.until(() =>
    bellows.slack
      .as('ada')
      .sees(channel)
      .find((shown) => shown.onlyFor === undefined && words(shown).includes(what)),
  );

/** Each first read is slow, so that activity after the answer could come before the read. */
const slowly = (on: RegExp) => bellows.forge.faults.add({ on, trouble: { delay: 500 }, times: 2 });

// each in its own repository and channel, and all of them wait
it.concurrent('an issue opened right after the answer is posted', async () => {
  slowly(/GET .*\/acme\/website\/activities\/feeds/);
  await type('ada', 'subscribe acme/website issues');
  bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/website', title: 'Right after the answer' });
  await posted('engine', 'Right after the answer');
});

it.concurrent('so is a label added to an older issue then', async () => {
  const { world } = bellows.forge;
  const repo = 'acme/labels';
  world.createRepo({ as: 'ada', owner: 'acme', name: 'labels' });
  world.addLabel({ repo, name: 'bug' });
  const { index } = world.at(Math.floor(Date.now() / 1_000) - 60, () =>
    world.openIssue({ as: 'grace', repo, title: 'Older than the subscription' }),
  );
  slowly(/GET .*\/issues\/search/);
  await type('ada', `subscribe ${repo} issues +label:bug`, 'labels');
  world.label({ as: 'ada', repo, index, labels: ['bug'] });
  await posted('labels', 'Older than the subscription');
});

it.concurrent('and a run that fails then', async () => {
  slowly(/GET .*\/actions\/runs/);
  await type('ada', `subscribe ${repo} runs:failure`, 'runs');
  const { id } = bellows.forge.world.startRun({ as: 'grace', repo, title: 'Fails right after' });
  bellows.forge.world.finishRun({ run: id, conclusion: 'failure' });
  await posted('runs', 'Fails right after');
});

it('a channel is notified once of who subscribed it to what, and who ended it', async () => {
  await type('ada', 'subscribe acme/website issues pulls:opened,merged +label:bug', 'general');
  await posted('general', 'subscribed this channel to');
  await type('ada', 'subscribe acme/website issues', 'general');
  await type('ada', 'unsubscribe acme/website', 'general');
  await posted('general', 'unsubscribed this channel from');
  const said = bellows.slack
    .as('grace')
    .sees('general')
    .map(({ text }) => text);
  expect(said).toEqual([
    'ada subscribed this channel to acme/website: issues, pull requests (opened, merged) · +label:bug',
    'ada unsubscribed this channel from acme/website.',
  ]);
});
