import { refuseRole } from '../../chat/admit.js';
import { explain } from '../../chat/explain.js';
import { unwrap } from '../../chat/slack-text.js';
import { within } from '../../deadline.js';
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
  try {
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
  } catch (error) {
    return explain(error, { slash: hall.slash, log: hall.house.log });
  }
}

/** Longer than this the quote goes without what Slack did not tell. */
const factsMs = 700;
const longestQuote = 2_500;

/** The message as a Markdown quote with its permalink, ready to be edited. */
async function quoted(hall: Hall, channel: string, message: { ts: string; text: string }): Promise<string> {
  const told = <T>(work: Promise<T>) => within(factsMs, work, 'too slow').catch(() => undefined);
  const people = [...new Set(Array.from(message.text.matchAll(/<@(\w+)>/g), ([, user = '']) => user))].slice(0, 10);
  const [link, ...users] = await Promise.all([
    told(hall.house.slack.permalink(channel, message.ts)),
    ...people.map((user) => told(hall.house.slack.user(user))),
  ]);
  const names = new Map(users.flatMap((user) => (user ? [[user.id, user.name] as const] : [])));
  const named = message.text.replace(/<@(\w+)>/g, (as, user: string) =>
    names.has(user) ? `<@${user}|${names.get(user)}>` : as,
  );
  const words = unwrap(named, 'plain');
  const cut = words.length > longestQuote ? `${words.slice(0, longestQuote)}…` : words;
  const quote = cut
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
  return link === undefined ? quote : `${quote}\n\n[From Slack](${link})`;
}
