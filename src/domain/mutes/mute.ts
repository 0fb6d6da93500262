import { runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { showDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import { mute as quieten } from '../../feed/lanes.js';
import { doneCard } from '../../view/cards/outcome.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { date } from '../../view/when.js';
import { mutedOf, refuseUnsubscribed } from './mutable.js';

interface MuteWish {
  readonly what?: string | undefined;
  readonly length: number;
  readonly everywhere?: boolean | undefined;
}

export async function muteUpdates({ what, length, everywhere }: MuteWish, context: Context) {
  if (everywhere && context.role === 'everyone')
    throw new UserError('Only maintainers can mute a repository everywhere. To mute it here, leave out --everywhere.');
  const muted = await mutedOf(what, everywhere === true, context);
  if (muted.repository && !everywhere) await refuseUnsubscribed(muted.repository, context);
  if (muted.places.length === 0)
    throw new UserError(`No channel is subscribed to ${muted.repository?.name}, so there is nothing to mute.`);
  const until = context.now.getTime() + length * 1_000;
  for (const place of muted.places) await quieten(context.store, place, until, muted.repository?.id);
  return { ...muted, until };
}

export function mutedMessage(
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
