import { jobIdOf } from '../../chat/act-job.js';
import { parseCommand } from '../../chat/grammar.js';
import type { Message } from '../../view/message.js';
import { type DoorDeps, readingOf } from '../door-deps.js';
import type { SlashCommand } from '../payloads.js';
import { launch } from './launch.js';
import { openForm } from './open-form.js';
import { onTyped } from './typed.js';

/** A slash command: a field that is missing opens the form at once, else the answer comes later. */
export function onCommand(deps: DoorDeps, payload: SlashCommand): Promise<Message | undefined> {
  if (payload.text.trim() === '') return launch(deps, payload);
  const { user_id: user, channel_id: channel, trigger_id: triggerId, response_url: responseUrl } = payload;
  const answer = responseUrl ? { responseUrl } : {};
  return onTyped(deps, {
    user,
    channel,
    source: 'typed',
    answer,
    id: jobIdOf('c', triggerId),
    parse: async () => parseCommand(payload.text, deps.catalogue, await readingOf(deps, user), { slash: deps.slash }),
    async openForm(command, args, dryRun) {
      const meta = { channel, ...answer, ...(dryRun ? { dryRun: true as const } : {}) };
      await openForm(deps, { command, user, triggerId, args, meta });
      return undefined;
    },
  });
}
