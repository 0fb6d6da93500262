import { unfurlBlocks } from '@bellows/sandbox/page/pieces.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { words } from '../../commands/talk.js';
import { type Bellows, startBellows } from '../../support/bellows.js';

let bellows: Bellows;
beforeAll(async () => {
  bellows = await startBellows({ policy: 'workObjects: true\n' });
  await bellows.link('ada');
});
afterAll(() => bellows.close());

/** A posted link's message as the page draws it. */
async function drawn(path: string) {
  const ada = bellows.slack.as('ada');
  const { ts } = await ada.post('engine', `look: ${bellows.forge.url}/${path}`);
  return bellows.slack.until(() => {
    const message = ada.sees('engine').find((each) => each.ts === ts);
    const [unfurl] = Object.values(message?.unfurls ?? {});
    return message && unfurl ? { ...message, blocks: unfurlBlocks(unfurl) } : undefined;
  });
}

it('draws a Work Object: its title, its fields and its actions', async () => {
  const shown = words(await drawn('acme/engine/issues/4'));
  for (const word of [
    'Alarm 1202',
    'Issue · #4 · Gitea',
    '*Status*\\n🟢 Open',
    '*Repository*\\nacme/engine',
    '"Comment"',
  ])
    expect(shown).toContain(word);
});

it('can be acted on like any other message', async () => {
  const ada = bellows.slack.as('ada');
  const { ts } = await drawn('acme/engine/issues/4');
  const posted = ada.sees('engine').find((each) => each.ts === ts);
  if (!posted) throw new Error('the message is there');
  await ada.click(posted, 'Close');
  await expect.poll(() => bellows.forge.world.issue('acme/engine', 4)?.state).toBe('closed');
});

it('shows hostile text as text', async () => {
  const title = '*bold* <!channel> <https://evil.example|click>';
  const { index } = bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title });
  const shown = words(await drawn(`acme/engine/issues/${index}`));
  expect(shown).not.toMatch(/<!channel>|<https:\/\/evil/);
});
