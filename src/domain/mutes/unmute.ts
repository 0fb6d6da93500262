import type { Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import { unmute as wakeUp } from '../../feed/lanes.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { isMuted, mutedOf } from './mutable.js';

interface UnmuteWish {
  readonly what?: string | undefined;
  readonly everywhere?: boolean | undefined;
}

export async function unmuteUpdates({ what, everywhere }: UnmuteWish, context: Context) {
  if (everywhere && context.role === 'everyone')
    throw new UserError(
      'Only maintainers can unmute a repository everywhere. To unmute it here, leave out --everywhere.',
    );
  const { repository, places } = await mutedOf(what, everywhere === true, context);
  let ended = 0;
  for (const place of places) {
    if (!(await isMuted(context.store, place, repository?.id))) continue;
    await wakeUp(context.store, place, repository?.id);
    ended += 1;
  }
  return { what: repository?.name, ended };
}

export const unmutedMessage = ({ what, ended }: Awaited<ReturnType<typeof unmuteUpdates>>) =>
  message({
    blocks: doneCard({
      says: ended === 0 ? md`${what ?? 'This channel'} wasn’t muted.` : md`Unmuted ${what ?? 'this channel'}.`,
    }),
  });
