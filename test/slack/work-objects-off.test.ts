import { expect, it } from 'vitest';
import { startBellows } from '../support/bellows.js';

it('a link is a card as before if the workspace has Work Objects off', async () => {
  const bellows = await startBellows({ policy: 'workObjects: true\n', slack: { workObjects: false } });
  await bellows.link('ada');
  const { ts } = await bellows.slack.as('ada').post('engine', `look: ${bellows.forge.url}/acme/engine/issues/4`);
  const unfurls = () => bellows.slack.state.messages('engine').find((each) => each.ts === ts)?.unfurls ?? {};
  const shown = await bellows.slack.until(() =>
    Object.keys(unfurls()).length > 0 ? JSON.stringify(unfurls()) : undefined,
  );
  expect(shown).toContain('"blocks"');
  expect(shown).toContain('Alarm 1202');
  expect(shown).not.toContain('"entity"');
  await bellows.close();
});
