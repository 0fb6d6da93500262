import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { optional, toggle } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { isMuted, mutable, mutedOf } from './mutable.js';

interface UnmuteWish {
  readonly what?: string | undefined;
  readonly everywhere?: boolean | undefined;
}

async function unmuteUpdates({ what, everywhere }: UnmuteWish, context: Context) {
  if (everywhere && context.role === 'everyone')
    throw new UserError(
      'Only maintainers can unmute a repository everywhere. To unmute it here, leave out --everywhere.',
    );
  const { repository, places } = await mutedOf(what, everywhere === true, context);
  let ended = 0;
  for (const place of places) {
    if (!(await isMuted(context.store, place, repository?.id))) continue;
    await context.store.outbox.resume({ ...place, lane: repository?.id });
    ended += 1;
  }
  return { what: repository?.name, ended };
}

const unmutedMessage = ({ what, ended }: Awaited<ReturnType<typeof unmuteUpdates>>) =>
  message({
    blocks: doneCard({
      says: ended === 0 ? md`${what ?? 'This channel'} wasn’t muted.` : md`Unmuted ${what ?? 'this channel'}.`,
    }),
  });

export const unmute = command({
  name: 'unmute',
  title: 'Resume updates',
  summary: 'Resume updates in this channel',
  examples: ['unmute', 'unmute acme/engine'],
  fields: {
    what: optional(mutable({ hint: 'Leave empty for the whole channel.' })),
    everywhere: toggle({ label: 'Everywhere', text: 'In every subscribed channel (maintainers only)' }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  plan: () => [],
  run: unmuteUpdates,
  reply: unmutedMessage,
});
