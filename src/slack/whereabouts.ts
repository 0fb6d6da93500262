import { z } from 'zod';
import type { BlockActions } from './payloads.js';

const Known = z.looseObject({ channel: z.string().min(1).max(30) });

/** A view shown instead of a form remembers its channel, so that its buttons know where they are. */
export const remembering = (channel: string | undefined): { privateMetadata?: string } =>
  channel === undefined ? {} : { privateMetadata: JSON.stringify({ channel }) };

/** Where a button was clicked: on a message, or in a form opened from a channel. */
export function channelOf({ channel, view }: Pick<BlockActions, 'channel' | 'view'>): string | undefined {
  if (channel) return channel.id;
  try {
    return Known.safeParse(JSON.parse(view?.private_metadata || '{}')).data?.channel;
  } catch {
    return undefined;
  }
}
