import type { Button } from '@slack/types';
import type { Context } from '../../chat/context.js';
import { lineOf } from '../../feed/events.js';
import { plainPorts } from '../../feed/ports.js';
import { replay } from '../../feed/sources/feed.js';
import type { Activity } from '../../forge/schemas.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { type Message, message } from '../../view/message.js';
import type { Stretch } from '../../view/paging.js';
import { join, type Mrkdwn, md } from '../../view/text.js';
import { date } from '../../view/when.js';

const longest = 900;

/** One line per action, newest first, even if it wrote several rows. */
export function feedMessage(
  title: Mrkdwn,
  found: Stretch<Activity>,
  more: (from: number) => Button,
  { now }: Context,
): Message {
  if (found.items.length === 0) return message({ blocks: [section(md`${title}: no activity.`)] });
  const events = [...replay('read', found.items)].reverse();
  const lines = events.map((event) =>
    section(join([lineOf(event, undefined, plainPorts(now)), date(event.at, now)]).within(longest)),
  );
  const end = found.from + found.items.length;
  // one line may stand for several rows, and then their count says nothing
  const counted = lines.length === found.items.length;
  const of = found.total === undefined ? '' : ` of ${found.total}`;
  return message({
    blocks: [
      section(title),
      ...lines,
      counted ? quiet([`${found.from + 1}–${end}${of}`]) : undefined,
      actions(found.hasMore ? more(end) : undefined),
    ],
  });
}
