import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';

let bellows: Bellows;

beforeAll(async () => {
  bellows = await startBellows({ policy: '', pollMs: 200 });
});
afterAll(() => bellows.close());

const directMessages = () =>
  [...bellows.slack.state.channels.values()]
    .filter(({ kind }) => kind === 'im')
    .flatMap(({ id }) => bellows.slack.state.messages(id).map(({ text }) => text));

it('notifies a person of everything right after linking, and of nothing before', async () => {
  const { forge, slack } = bellows;
  const open = (title: string) =>
    forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title, assignees: ['grace'] });
  open('Earlier valve');
  await bellows.link('grace');
  open('Later valve');
  await slack.until(() => directMessages().some((text) => text.includes('Later valve')));
  expect(directMessages().filter((text) => text.includes('Earlier valve'))).toEqual([]);
});

it('removes the buttons from a card that was marked as read by one of them', async () => {
  const { slack } = bellows;
  const card = () =>
    [...slack.state.channels.values()]
      .filter(({ kind }) => kind === 'im')
      .flatMap(({ id }) => slack.state.messages(id))
      .find(({ text }) => text.includes('Later valve'));
  const shown = card();
  if (!shown) throw new Error('no card');
  await slack.as('grace').click(shown, 'Mark as done');
  await slack.until(() => !JSON.stringify(card()?.blocks).includes('"button"'));
});
