import { command } from '../../chat/command.js';
import { body, choice, flag, pull, text, toggle } from '../../chat/fields/index.js';
import { refOf, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { head, short } from '../../domain/pulls/head.js';
import { styles } from '../../domain/pulls/merge-style.js';
import { branchGone, branchLeft } from '../../domain/pulls/merged-branch.js';
import { merge, prepareMerge } from '../../domain/pulls/merging.js';
import { pullIfKnown } from '../../domain/pulls/read.js';
import { refuseUnready } from '../../domain/pulls/unready.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { code, link, md } from '../../view/text.js';

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
    'issues.get',
    'issues.listDependencies',
  ],
  needs: ['pulls.merge'],
  branches: async ({ pull }, context) => [(await pullIfKnown(pull, context))?.base?.ref],
  plan: async (args, context) => [request('pulls.merge', (await prepareMerge(args, context)).input)],
  async observe(args, context) {
    const { pull, head = '' } = await prepareMerge(args, context);
    await refuseUnready(args, head || undefined, context);
    return {
      bound: { head, base: pull?.base?.ref ?? '' },
      shown: [
        ['Pull request', `${refOf(args.pull)} ${pull?.title ?? ''}`],
        ['Head', short(head)],
        ['Into', pull?.base?.ref ?? ''],
      ],
      authors: pull?.user ? [pull.user.id] : [],
    };
  },
  run: (args, context) => merge(args, context),
  async findDone({ pull: ref, style = 'merge', whenChecksSucceed }, { api }) {
    const after = await api.pulls.get(ref);
    // Nothing shows whether a merge is planned for when the checks have passed.
    if (!after.merged) return whenChecksSucceed ? 'blind' : undefined;
    return { ref, style, head: after.head?.sha, before: after, after };
  },
  reply({ ref, style, head, before, after }, { whenChecksSucceed, deleteBranch }, { forge }) {
    const page = after?.html_url || before?.html_url || webAddress(forge.web, { kind: 'pull', of: ref });
    const subject = link(page, before ? `${refOf(ref)} ${before.title}` : refOf(ref));
    const into = before?.base?.ref ? md` into ${code(before.base.ref)}` : md``;
    const waits = whenChecksSucceed === true && after !== undefined && !after.merged;
    return message({
      blocks: doneCard({
        says: waits
          ? md`${subject} will be merged${into} when its checks pass.`
          : md`Merged ${subject}${into}.${deleteBranch ? branchGone(before, after) : md``}`,
        but: deleteBranch && !waits ? branchLeft(before, after) : [],
        facts: [after?.merged_by && `by ${after.merged_by.login}`, style, head && md`head ${code(short(head))}`],
        buttons: [openButton(page)],
      }),
    });
  },
});
