import { dryRunCard } from '../view/cards/request.js';
import { type Message, message } from '../view/message.js';
import { md } from '../view/text.js';
import { askersWords } from './approval/policy.js';
import type { AnyCommand } from './command.js';
import type { Approvers, Context, Role } from './context.js';
import type { Args, Fields } from './field.js';
import { sentRequests } from './request.js';

function whoWords(asks: Role | Approvers): string {
  if (asks === 'everyone') return 'anyone can run it';
  return typeof asks === 'string' ? `needs the role ${asks}` : `for ${askersWords(asks)}`;
}

/** Shows what would be sent, who may run it and whose approval it needs; changes nothing. */
export async function dryRun(
  command: AnyCommand,
  args: Args<Fields>,
  context: Context,
  words: {
    readonly line: string;
    readonly approval: string | undefined;
    readonly source: string;
    readonly asks: Role | Approvers;
  },
): Promise<Message> {
  const observed = await command.observe?.(args, context);
  return message({
    text: md`Dry run of ${command.name}: nothing was changed.`,
    blocks: dryRunCard({
      command: words.line,
      requests: await sentRequests(await command.plan(args, context), context.forge),
      who: whoWords(words.asks),
      approval: words.approval,
      source: words.source,
      observed: observed?.shown,
    }),
  });
}
