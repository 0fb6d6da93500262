import { startForge } from '@bellows/sandbox/forge';
import { expect, it, vi } from 'vitest';
import { formButton, runButton } from '../../src/chat/actions.js';
import { createCatalog } from '../../src/chat/catalog.js';
import { MessageError } from '../../src/chat/message-error.js';
import { commands } from '../../src/features/index.js';
import type { Posting } from '../../src/feed/ports.js';
import { createForge } from '../../src/forge/index.js';
import { openButton } from '../../src/view/elements.js';
import { say } from '../../src/view/message.js';
import { md } from '../../src/view/text.js';
import { fittingPoster } from '../../src/worker.js';
import { startBellows } from '../support/bellows.js';

const run = { owner: 'acme', repo: 'engine', run: 7 };
const card = say(
  md`CI failed`,
  runButton({ text: 'Cancel', command: 'run cancel', args: { run } }),
  runButton({ text: 'Show run', command: 'run show', args: { run } }),
  formButton({ text: 'New project', command: 'project create' }),
  openButton('https://forge.example/acme/engine/actions/runs/7'),
);

it.each([
  ['gitea-1.28', ['Cancel', 'Show run', 'New project', 'Open in Gitea']],
  ['gitea-1.26', ['Show run', 'Open in Gitea']],
  ['forgejo-11', ['Open in Forgejo']],
  ['forgejo-15', ['Show run', 'Open in Forgejo']],
  ['forgejo-16', ['Cancel', 'Show run', 'Open in Forgejo']],
] as const)('posts to channels of %s only what it can do', async (flavor, expected) => {
  const sandbox = await startForge({ flavor });
  const forge = createForge({ url: sandbox.url });
  const posted: Posting['message'][] = [];
  const poster = fittingPoster(
    {
      post: async (_spot, { message }) => ({ ts: String(posted.push(message)) }),
      update: async (_spot, _ts, message) => void posted.push(message),
      find: async () => 'absent' as const,
    },
    createCatalog(commands),
    forge,
    forge.as({ kind: 'anonymous' }),
  );
  const spot = { team: 'T1', channel: 'C1' };
  await poster.post(spot, { id: 'one', message: card });
  await poster.update(spot, '1', card);
  const texts = posted.map(({ blocks }) =>
    blocks.flatMap((block) =>
      block.type === 'actions'
        ? block.elements.flatMap((each) => (each.type === 'button' ? [each.text.text] : []))
        : [],
    ),
  );
  expect(texts).toEqual([expected, expected]);
  await forge.close();
  await sandbox.close();
});

it('offers only what the server can do where a form cannot be filled', async () => {
  const bellows = await startBellows({ forge: { flavor: 'gitea-1.26' } });
  const due = commands.find(({ name }) => name === 'issue due');
  if (!due?.form) throw new Error('no such command');
  vi.spyOn(due.form, 'prefill').mockRejectedValueOnce(new MessageError(card));
  await bellows.link('ada');
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', 'issue due acme/engine#2');
  const shown = await bellows.slack.until(() => {
    const view = JSON.stringify(ada.openView()?.blocks ?? []);
    return view.includes('CI failed') ? view : undefined;
  });
  expect(shown).toContain('Open in Gitea');
  expect(shown).not.toMatch(/"Cancel"|on the forge/);
  await bellows.close();
});
