import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';

let bellows: Bellows;
const ada = () => bellows.slack.as('ada');
const shows = (user: string, text: string) =>
  bellows.slack.until(() => {
    const view = bellows.slack.as(user).openView();
    return view && words(view).includes(text) ? view : undefined;
  });

beforeAll(async () => {
  bellows = await startBellows();
  // before she is linked, so that no direct message announces it
  bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Valve hisses', assignees: ['ada'] });
  await bellows.link('ada');
});
afterAll(() => bellows.close());
beforeEach(async () => {
  while (ada().openView()) await ada().close();
});

it('shows the notifications where it was chosen, and its buttons work there', async () => {
  const messages = ada().sees(ada().dm).length;
  await ada().shortcut('open_inbox');
  const view = await shows('ada', 'Valve hisses');
  expect(words(view)).not.toContain('"type":"input"');
  await ada().select(view, 'more', 'Mark as done');
  await bellows.slack.until(() => !words(ada().openView()).includes('Valve hisses'));
  expect(bellows.forge.requests.of('PATCH /notifications/threads/{id}')).toHaveLength(1);
  expect(ada().sees(ada().dm)).toHaveLength(messages);
});

it('offers to link an account to someone without one', async () => {
  await bellows.slack.as('grace').shortcut('open_inbox');
  await shows('grace', 'Link your forge account to continue');
});
