import { command } from '../../chat/command.js';
import { body, choice, flag, pull, text, toggle } from '../../chat/fields/index.js';
import { head } from '../../domain/pulls/head.js';
import { findMerged, merge, observeMerge, planMerge } from '../../domain/pulls/merge.js';
import { styles } from '../../domain/pulls/merge-style.js';
import { mergedMessage } from '../../domain/pulls/merged-message.js';
import { pullIfKnown } from '../../domain/pulls/read.js';

export const prMerge = command({
  name: 'pr merge',
  aliases: ['merge'],
  summary: 'Merge a pull request (refuses if new commits arrived)',
  examples: ['pr merge acme/engine#5', 'pr merge #5 --style squash --delete-branch'],
  fields: {
    pull: pull(),
    style: flag(choice(styles, { label: 'Style', hint: 'Leave empty for the repository’s default.' })),
    title: flag(text({ label: 'Commit title' })),
    message: flag(body({ label: 'Commit message' })),
    deleteBranch: toggle({ label: 'Delete branch after merging' }),
    whenChecksSucceed: toggle({ label: 'Merge when checks pass' }),
    yes: toggle({ label: 'Merge anyway', text: 'Even if checks failed or changes were requested' }),
    head: head(),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: [
    'pulls.merge',
    'pulls.get',
    'pulls.listReviews',
    'repos.commitStatus',
    'repos.get',
    'repos.getBranch',
    'runs.list',
    'issues.get',
    'issues.listDependencies',
    'issues.timeline',
    'repos.listCommits',
    'users.get',
    'users.search',
  ],
  needs: ['pulls.merge'],
  branches: async ({ pull }, context) => [(await pullIfKnown(pull, context))?.base?.ref],
  plan: planMerge,
  observe: observeMerge,
  run: merge,
  findDone: findMerged,
  reply: mergedMessage,
});
