import type { Context } from '../../chat/context.js';
import { soon } from '../../forge/possible.js';

/** Adds where it came from; Slack made the address. */
export async function withMark(text: string, ts: string, { slack, channel }: Context): Promise<string> {
  const link = channel === undefined ? undefined : await soon(slack.permalink(channel, ts).catch(() => undefined));
  return `${text}\n\n${link === undefined ? '_from Slack_' : `_[from Slack](${link})_`}`;
}
