import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { refOf } from '../../chat/references.js';
import {
  blockRequest,
  dependencyFields,
  linked,
  look,
  refuseCircle,
  sendDependency,
  unblockRequest,
} from '../../domain/issues/dependency.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';

export const issueBlock = command({
  name: 'issue block',
  title: 'Mark as blocking',
  summary: 'Mark an issue as blocking another',
  examples: ['issue block acme/engine#3 acme/engine#7', 'issue block #3 #7'],
  fields: dependencyFields,
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['issues.block', 'issues.get', 'issues.listBlocks'],
  plan: (args) => [blockRequest(args)],
  async run(args, context) {
    if (await look(args, context)) return { already: true };
    await refuseCircle(args, context);
    await sendDependency(blockRequest(args), args, context);
    const says = `${refOf(args.issue)} no longer blocks ${refOf(args.blocked)}.`;
    context.offerUndo({ says, request: unblockRequest(args) });
    return { already: false };
  },
  async findDone(args, context) {
    const there = await look(args, context);
    return there === undefined ? 'blind' : there ? { already: false } : undefined;
  },
  reply({ already }, args, context) {
    const [first, second] = [linked(args.issue, context), linked(args.blocked, context)];
    const buttons = already ? [runButton({ text: 'Remove dependency', command: 'issue unblock', args })] : [];
    const says = already ? md`${first} already blocks ${second}.` : md`${first} now blocks ${second}.`;
    return message({ blocks: doneCard({ says, buttons }) });
  },
});
