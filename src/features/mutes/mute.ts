import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { duration, optional, toggle } from '../../chat/fields.js';
import { showDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { date } from '../../view/when.js';
import { mutable, mutedOf, refuseUnsubscribed } from './mutable.js';

interface MuteWish {
  readonly what?: string | undefined;
  readonly length: number;
  readonly everywhere?: boolean | undefined;
}

async function muteUpdates({ what, length, everywhere }: MuteWish, context: Context) {
  if (everywhere && context.role === 'everyone')
    throw new UserError('Only maintainers can mute a repository everywhere. To mute it here, leave out --everywhere.');
  const muted = await mutedOf(what, everywhere === true, context);
  if (muted.repository && !everywhere) await refuseUnsubscribed(muted.repository, context);
  if (muted.places.length === 0)
    throw new UserError(`No channel is subscribed to ${muted.repository?.name}, so there is nothing to mute.`);
  const until = context.now.getTime() + length * 1_000;
  const lane = muted.repository?.id;
  for (const place of muted.places) await context.store.outbox.pause({ ...place, lane }, 'muted', until);
  return { ...muted, until };
}

function mutedMessage(
  { repository, places, until }: Awaited<ReturnType<typeof muteUpdates>>,
  { length, everywhere }: MuteWish,
  { now }: Context,
) {
  const what = repository ? repository.name : 'this channel';
  const where = everywhere ? md` in ${count(places.length, 'channel')}` : md``;
  const args = { ...(repository && { what: repository.name }), ...(everywhere && { everywhere }) };
  return message({
    blocks: doneCard({
      says: md`Muted ${what}${where} for ${showDuration(length)}. You’ll get a digest when the mute ends.`,
      facts: [md`ends ${date(until, now)}`],
      buttons: [runButton({ text: 'Unmute', command: 'unmute', args })],
    }),
  });
}

const month = 31 * 86_400;

export const mute = command({
  name: 'mute',
  title: 'Pause updates',
  summary: 'Pause updates in this channel',
  examples: ['mute acme/engine 2h', 'mute channel 2h', 'mute 30m', 'mute acme/engine 1d --everywhere'],
  fields: {
    what: optional(mutable({ hint: 'Leave empty for the whole channel.' })),
    length: duration({ label: 'How long', placeholder: '2h', min: 60, max: month }),
    everywhere: toggle({ label: 'Everywhere', text: 'In every subscribed channel (maintainers only)' }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  plan: () => [],
  run: muteUpdates,
  reply: mutedMessage,
});
