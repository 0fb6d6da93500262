import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { refOf } from '../../chat/references.js';
import {
  blockRequest,
  dependencyFields,
  linked,
  look,
  sendDependency,
  unblockRequest,
} from '../../domain/issues/dependency.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';

export const issueUnblock = command({
  name: 'issue unblock',
  summary: 'Remove a blocking dependency between two issues',
  examples: ['issue unblock acme/engine#3 acme/engine#7', 'issue unblock #3 #7'],
  fields: dependencyFields,
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['issues.unblock', 'issues.get', 'issues.listBlocks'],
  plan: (args) => [unblockRequest(args)],
  async run(args, context): Promise<'gone'> {
    const [first, second] = [refOf(args.issue), refOf(args.blocked)];
    if ((await look(args, context)) === false) {
      throw new UserError(`${first} does not block ${second}. See /forge issue show ${second}`);
    }
    await sendDependency(unblockRequest(args), args, context);
    context.offerUndo({ says: `${first} blocks ${second} again.`, request: blockRequest(args) });
    return 'gone';
  },
  async findDone(args, context) {
    const there = await look(args, context);
    return there === undefined ? 'blind' : there ? undefined : 'gone';
  },
  reply(_result, args, context) {
    const says = md`${linked(args.issue, context)} no longer blocks ${linked(args.blocked, context)}.`;
    const text = `Close #${args.blocked.index}`;
    const close = runButton({ text, command: 'issue close', args: { issue: args.blocked } });
    return message({ blocks: doneCard({ says, buttons: [close] }) });
  },
});
