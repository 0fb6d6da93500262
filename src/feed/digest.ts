import { heading, list } from '../view/blocks.js';
import { type Message, message } from '../view/message.js';
import { join, type Mrkdwn, md } from '../view/text.js';
import type { Event } from './event.js';
import { lineOf, repo } from './events.js';
import type { ItemState } from './item.js';
import type { DrawPorts } from './ports.js';

export interface DigestEntry {
  readonly event: Event;
  readonly item?: ItemState | undefined;
}

/** Slack counts the characters of a whole message; the heading and the rest use up the remainder. */
const room = 11_000;
const lineRoom = 600;
const mostLines = 80;

/** Many events in one message, in order: as many as fit, each with its link. */
export function digest(
  all: readonly DigestEntry[],
  waiting: number,
  ports: DrawPorts,
): { readonly message: Message; readonly count: number } {
  const several = new Set(all.map(({ event }) => event.repo.id)).size > 1;
  const lines: Mrkdwn[] = [];
  let used = 0;
  for (const { event, item } of all.slice(0, mostLines)) {
    const summary = lineOf(event, item, ports);
    const line = md`• ${(several ? join([summary, repo(event)]) : summary).within(lineRoom)}`;
    used += line.source.length + 1;
    if (lines.length > 0 && used > room) break;
    lines.push(line);
  }
  const names = [...new Set(all.slice(0, lines.length).map(({ event }) => event.repo.fullName))];
  const where = names.length === 1 ? (names[0] ?? '') : `${names.length} repositories`;
  const title = `${lines.length} ${lines.length === 1 ? 'update' : 'updates'} in ${where}`;
  const rest = waiting - lines.length;
  const more = rest > 0 ? md`_${rest} more follow._` : undefined;
  return {
    message: message({ text: title, blocks: [heading(title), ...list([...lines, ...(more ? [more] : [])])] }),
    count: lines.length,
  };
}
