import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choice, flag, pull, text, toggle } from '../../chat/fields.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { mergeStyles, queueSettings } from '../../config.js';
import { UserError } from '../../errors.js';
import { readChecks } from '../../forge/commit-checks.js';
import { gathered } from '../../forge/index.js';
import { workflowFolders } from '../../forge/product.js';
import type { PullRequest } from '../../forge/schemas.js';
import { observed, prepareMerge } from '../pulls/merge.js';
import { mayNotMerge, rulesOf } from '../pulls/merge-bound.js';
import type { MergeStyle } from '../pulls/merge-style.js';
import { head, pullIfKnown } from '../pulls/read.js';
import { objections } from '../pulls/unready.js';
import { enqueue, isBehind, isForked, queuedMessage, workflowWords } from './entry.js';

interface Asked {
  readonly pull: ItemRef;
  readonly style?: MergeStyle | undefined;
  readonly deleteBranch?: boolean | undefined;
  readonly first?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly workflows?: boolean | undefined;
  readonly head?: string | undefined;
}

/** git looks at all of them before anything is pushed. */
const mostFiles = 500;
const isWorkflow = (path: string) => workflowFolders.some((folder) => path.startsWith(`${folder}/`));

const prepare = (asked: Asked, context: Context) => prepareMerge({ ...asked, whenChecksSucceed: true }, context);

/** What would take it out at once is said before it is added. */
async function refuse(asked: Asked, pull: PullRequest | undefined, head: string | undefined, context: Context) {
  const { pull: ref, first, reason, workflows } = asked;
  const { owner, repo } = ref;
  const base = pull?.base?.ref ?? '';
  const settings = queueSettings(context.queues, fullName(ref), base);
  if (first && reason === undefined) throw new UserError('Say why it should go first.', { field: 'reason' });
  if (first && !(await context.isAmong(settings.first)))
    throw new UserError(`Only ${settings.first}s can put a pull request first. Queue it without --first.`);
  if (workflows && !(await context.isAmong('maintainer')))
    throw new UserError('Only maintainers can let a fork’s workflow files run. Queue it without --workflows.');
  if (settings.way === 'branch' && !workflows && pull && isForked(pull)) {
    const files = await gathered(context.api.pulls.listFiles.each(ref, { max: mostFiles }));
    if (files.some(({ filename }) => isWorkflow(filename))) throw new UserError(workflowWords(ref));
  }
  const [rules, objecting] = await Promise.all([rulesOf(ref, pull, context), objections(context.api, ref)]);
  if (rules?.user_can_merge === false) throw await mayNotMerge(ref, pull, rules, context);
  if (objecting.length > 0) {
    const who = objecting.map(({ user }) => user?.login ?? 'someone').join(', ');
    throw new UserError(`${who} requested changes on ${refOf(ref)}. Address them, then queue it.`);
  }
  if (head === undefined || !pull?.base) return rules;
  const { state, names } = (await readChecks(context.api, { owner, repo, sha: head }))(rules);
  // what the base brings may turn it green
  if (state === 'red' && !(await isBehind(context.api, ref, pull.base.sha, head)))
    throw new UserError(`${refOf(ref)} failed its checks: ${names.slice(0, 5).join(', ')}. Fix them, then queue it.`);
  return rules;
}

async function add(asked: Asked, context: Context) {
  const { pull, head, input } = await prepare(asked, context);
  const rules = await refuse(asked, pull, head, context);
  const first = asked.first ? asked.reason : undefined;
  const { workflows } = asked;
  return enqueue({ ref: asked.pull, pull, body: input.body, first, workflows, rules }, context);
}

export const queue = command({
  name: 'queue',
  aliases: ['pr queue'],
  title: 'Add to merge queue',
  submit: 'Add to queue',
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
  },
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
  ruledAs: 'pr merge',
  branches: async ({ pull }, context) => [(await pullIfKnown(pull, context))?.base?.ref],
  plan: async (args, context) => [request('pulls.merge', (await prepare(args, context)).input)],
  async observe(args, context) {
    const { pull, head } = await prepare(args, context);
    await refuse(args, pull, head, context);
    return observed(args.pull, pull, head, 'in turn, after its checks pass', context);
  },
  run: add,
  reply: (queued, { pull }, context) => queuedMessage(queued, pull, context),
});
