import { dryRunCard } from '../view/cards/request.js';
import { type Message, message } from '../view/message.js';
import { md } from '../view/text.js';
import type { AnyCommand } from './command.js';
import type { Context } from './context.js';
import type { Args, Fields } from './field.js';
import { sentRequests } from './request.js';

/** Shows what would be sent, who may run it and whose approval it needs; changes nothing. */
export async function dryRun(
  command: AnyCommand,
  args: Args<Fields>,
  context: Context,
  words: { readonly line: string; readonly approval: string | undefined; readonly source: string },
): Promise<Message> {
  const observed = await command.observe?.(args, context);
  return message({
    text: md`Dry run of ${command.name}: nothing was changed.`,
    blocks: dryRunCard({
      command: words.line,
      requests: await sentRequests(await command.plan(args, context), context.forge),
      role: command.role,
      approval: words.approval,
      source: words.source,
      observed: observed?.shown,
    }),
  });
}
