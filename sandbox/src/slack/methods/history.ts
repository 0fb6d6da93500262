import type { Args } from '../args.js';
import type { Obj } from '../json.js';
import type { Message } from '../model.js';
import { SlackError } from '../slack-error.js';
import { messageWire } from '../wire.js';
import type { Method, MethodCall } from './method.js';
import { nextCursor, page } from './paging.js';
import { readable } from './reach.js';

/** Timestamps compare as text once they have Slack's fixed form. */
const shaped = (ts: string): string => {
  const [seconds = '0', micro = ''] = ts.split('.');
  return `${seconds.padStart(12, '0')}.${micro.padEnd(6, '0')}`;
};

function between(messages: readonly Message[], args: Args): Message[] {
  const oldest = shaped(args.text('oldest') ?? '0');
  const latest = shaped(args.text('latest') ?? '99999999999');
  const inclusive = args.flag('inclusive');
  return messages.filter(({ ts }) => {
    const at = shaped(ts);
    return inclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
  });
}

function answer({ core, args }: MethodCall, messages: readonly Message[]): Obj {
  const { items, next } = page(messages, args, 999);
  return {
    messages: items.map((message) => messageWire(message, core.space, args.flag('include_all_metadata'))),
    has_more: next !== '',
    ...(next === '' ? {} : nextCursor(next)),
  };
}

function history(call: MethodCall): Obj {
  const { core, args, token } = call;
  const channel = readable(core, token, args.required('channel', 'channel_not_found'));
  const top = core.space.timeline.in(channel.id).filter((each) => each.threadTs === undefined || each.broadcast);
  return answer(call, between(top, args).reverse());
}

function replies(call: MethodCall): Obj {
  const { core, args, token } = call;
  const channel = readable(core, token, args.required('channel', 'channel_not_found'));
  const asked = core.space.timeline.find(channel.id, args.required('ts'));
  if (asked === undefined) throw new SlackError('thread_not_found');
  const root = asked.threadTs ?? asked.ts;
  const thread = core.space.timeline.in(channel.id);
  const parent = thread.filter((each) => each.ts === root);
  return answer(call, [
    ...parent,
    ...between(
      thread.filter((each) => each.threadTs === root),
      args,
    ),
  ]);
}

export const histories: Record<string, Method> = {
  'conversations.history': { tier: 'three', run: history },
  'conversations.replies': { tier: 'three', run: replies },
};
