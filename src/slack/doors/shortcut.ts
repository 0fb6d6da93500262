import { refuseRole } from '../../chat/admit.js';
import type { Message } from '../../view/message.js';
import { type Hall, personOf } from '../hall.js';
import type { Shortcut } from '../payloads.js';
import { openForm } from './open-form.js';

/** callback id in the manifest → the command whose form opens. */
export const shortcuts = {
  comment_on_item: { command: 'issue comment', name: 'Comment on issue or PR', type: 'message' },
  search_issues: { command: 'issue search', name: 'Search issues', type: 'global' },
  open_inbox: { command: 'inbox', name: 'Open my inbox', type: 'global' },
} as const;

export async function onShortcut(hall: Hall, payload: Shortcut): Promise<Message | undefined> {
  const known = new Map<string, { readonly command: string }>(Object.entries(shortcuts)).get(payload.callback_id);
  const command = known && hall.catalogue.get(known.command);
  if (!command) {
    hall.house.log.warn({ shortcut: payload.callback_id.slice(0, 80) }, 'refused an unknown shortcut');
    return undefined;
  }
  refuseRole(command, hall.house.roles.of(personOf(hall, payload.user.id)));
  const { message, channel } = payload;
  const body = message && channel ? await quoted(hall, channel.id, message) : undefined;
  await openForm(hall, {
    command,
    user: payload.user.id,
    triggerId: payload.trigger_id,
    args: body === undefined ? {} : { body },
    meta: {
      ...(channel ? { channel: channel.id } : {}),
      ...(payload.response_url ? { responseUrl: payload.response_url } : {}),
    },
  });
  return undefined;
}

/** The message as a Markdown quote with its permalink, ready to be edited. */
async function quoted(hall: Hall, channel: string, message: { ts: string; text: string }): Promise<string> {
  const link = await hall.house.slack.permalink(channel, message.ts).catch(() => undefined);
  const quote = message.text
    .slice(0, 2_500)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
  return link === undefined ? quote : `${quote}\n\n[From Slack](${link})`;
}
