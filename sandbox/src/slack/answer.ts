import { Args } from './args.js';
import { checkMatch, isBlank, readContent } from './content.js';
import type { Core } from './core.js';
import { copy, type Obj } from './json.js';
import type { Message } from './model.js';
import type { Answered } from './response-urls.js';
import { SlackError } from './slack-error.js';

function originalOf(core: Core, { channel, original }: Answered): Message {
  const { timeline } = core.space;
  const found =
    original?.onlyFor === undefined
      ? timeline.find(channel, original?.ts ?? '')
      : timeline.findOnlyFor(original.onlyFor, original.ts);
  if (found === undefined) throw new SlackError('message_not_found');
  return found;
}

/** Shows what came through a response_url or in an acknowledgement. Returns the message it added, if any. */
export function answer(core: Core, to: Answered, body: Obj): Message | undefined {
  const args = new Args(copy(body));
  const { timeline, bot } = core.space;
  if (args.flag('delete_original')) {
    timeline.remove(originalOf(core, to));
    return undefined;
  }
  const content = readContent(core, args, 'response_url');
  if (isBlank(content)) throw new SlackError('no_text');
  const { text, blocks = [], attachments = [], metadata } = content;
  // Without a message to replace, Slack posts a new one.
  if (args.flag('replace_original') && to.original !== undefined) {
    const original = originalOf(core, to);
    checkMatch(original.blocks, content.blocks);
    const edited = core.ids.ts(core.now());
    timeline.change(original, { text, blocks, attachments, edited });
    return undefined;
  }
  return timeline.add({
    channel: to.channel,
    user: bot.id,
    byBot: true,
    text,
    blocks,
    attachments,
    metadata,
    threadTs: args.text('thread_ts') ?? to.threadTs,
    onlyFor: args.text('response_type') === 'in_channel' ? undefined : to.user,
  });
}
