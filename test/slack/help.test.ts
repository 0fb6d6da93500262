import { afterAll, beforeAll, expect, it } from 'vitest';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';

let bellows: Bellows;
const { type, form } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows();
});
afterAll(() => bellows.close());

const lines = (text: string) => [...text.matchAll(/`\/forge [^`]*`/g)].map(([line]) => line);

it('is one screen: first how to link, then everyday commands', async () => {
  const shown = words(await type('ada', 'help'));
  expect(lines(shown)[0]).toBe('`/forge signin`');
  await bellows.link('ada');
  const linked = words(await type('ada', 'help'));
  expect(lines(linked).slice(0, 8)).toContain('`/forge todo`');
  expect(lines(linked).slice(0, 8)).not.toContain('`/forge signin`');
});

it('has a menu of topics; a topic replaces the message', async () => {
  const help = await type('ada', 'help');
  const before = bellows.slack.as('ada').sees('engine').length;
  await bellows.slack.as('ada').select(help, 'topic', 'Pull requests');
  await bellows.slack.until(() =>
    bellows.slack
      .as('ada')
      .sees('engine')
      .find((message) => message.ts === help.ts && words(message).includes('/forge pr approve')),
  );
  expect(bellows.slack.as('ada').sees('engine')).toHaveLength(before);
  expect(words(await type('ada', 'help runs'))).toContain('/forge run show');
});

it('without words opens a small menu; a choice opens its form, in this channel', async () => {
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', '');
  const launcher = await bellows.slack.until(() => ada.openView());
  expect(words(launcher)).toContain('What do you want to do?');
  await ada.select(launcher, 'more', 'Close an issue');
  expect((await form('ada')).title).toBe('Close issue');
  await ada.fill({ issue: 'acme/engine#2' });
  await ada.submit();
  await bellows.slack.until(() => ada.sees('engine').find(({ text }) => text.includes('Closed')));
});
