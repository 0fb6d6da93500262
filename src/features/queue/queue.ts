import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choice, flag, hidden, pull, text, toggle } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { mergeStyles } from '../../config.js';
import { inTurn, observePull, prepareMerge } from '../pulls/merge.js';
import type { MergeStyle } from '../pulls/merge-style.js';
import { head, pullIfKnown } from '../pulls/read.js';
import { type Asking, admitToQueue, enqueue, queuedMessage } from './entry.js';

interface QueueRequest extends Asking {
  readonly style?: MergeStyle | undefined;
  readonly deleteBranch?: boolean | undefined;
  readonly head?: string | undefined;
  /** By “merge when checks succeed” on the forge. */
  readonly scheduled?: boolean | undefined;
}

const prepare = (asked: QueueRequest, context: Context) => prepareMerge({ ...asked, whenChecksSucceed: true }, context);

async function add(asked: QueueRequest, context: Context) {
  const { pull, head, input } = await prepare(asked, context);
  const found = await admitToQueue(asked, pull, head, context);
  const first = asked.first ? asked.reason : undefined;
  const { workflows, scheduled: isScheduled } = asked;
  return enqueue({ ref: asked.pull, pull, body: input.body, first, workflows, isScheduled, found }, context);
}

export const queue = command({
  name: 'queue',
  aliases: ['pr queue'],
  title: 'Add to merge queue',
  summary: 'Merge a pull request once it is up to date and its checks pass, in turn',
  examples: [
    'queue acme/engine#5',
    'queue #5 --style squash --delete-branch',
    'queue #5 --first --reason "Fixes login"',
  ],
  fields: {
    pull: pull({ only: 'open' }),
    style: flag(choice(mergeStyles, { label: 'Style', hint: 'Leave empty for the default.' })),
    deleteBranch: toggle({ label: 'Delete branch after merging' }),
    first: toggle({ label: 'Put first', text: 'Before the others in the queue' }),
    reason: flag(text({ label: 'Reason', hint: 'Why it goes first.', max: 200 })),
    workflows: toggle({
      label: 'Allow workflow changes',
      text: 'Let the workflow files of a fork run on the queue’s branch',
    }),
    head: head(),
    scheduled: hidden(toggle({ label: 'Scheduled' })),
  },
  form: { submit: 'Add to queue' },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: [
    'pulls.merge',
    'pulls.update',
    'pulls.get',
    'pulls.listFiles',
    'pulls.listReviews',
    'repos.commitStatus',
    'repos.createStatus',
    'repos.deleteBranch',
    'repos.get',
    'repos.getBranch',
    'repos.listCommits',
    'runs.list',
    'issues.get',
    'issues.timeline',
    'users.get',
    'users.search',
  ],
  needs: ['pulls.merge', 'pulls.update', 'pulls.get'],
  approval: {
    ruledAs: 'pr merge',
    branches: async ({ pull }, context) => [(await pullIfKnown(pull, context))?.base?.ref],
    async observe(args, context) {
      const { pull, head } = await prepare(args, context);
      await admitToQueue(args, pull, head, context);
      return observePull(args.pull, pull, head, inTurn, context);
    },
  },
  plan: async (args, context) => [request('pulls.merge', (await prepare(args, context)).input)],
  run: add,
  reply: (queued, { pull }, context) => queuedMessage(queued, pull, context),
});
