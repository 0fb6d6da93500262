import { policyFor, refuseAsker } from '../../chat/approval/policy.js';
import { type AnyCommand, command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { explanation } from '../../chat/explain.js';
import { text } from '../../chat/fields.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { isBot } from '../../feed/item.js';
import { ApiError } from '../../forge/index.js';
import { readReviews } from '../../forge/review-requests.js';
import { splitFullName } from '../../full-name.js';
import { doneCard } from '../../view/cards/outcome.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { link, md } from '../../view/text.js';
import { isMine } from '../find.js';
import { prApprove } from '../pulls/approve.js';
import { boundHead, readPull } from '../pulls/read.js';
import { queue } from '../queue/queue.js';
import { readBotPull } from './show.js';

const form = /^([^\s/#@]+\/[^\s/#@]+)#(\d{1,9})@([0-9a-f]{40,64})$/i;

type Bound = { readonly pull: ItemRef; readonly head: string };

/** Each with the commit that its card showed. */
const boundOnes = (pulls: string): Bound[] =>
  pulls.split(/[\s,]+/).map((word) => {
    const [, name, index, head = ''] = form.exec(word) ?? [];
    if (name === undefined) throw new UserError('Use the button of a card: it names the commits that were shown.');
    return { pull: { ...splitFullName(name), index: Number(index) }, head };
  });

interface ApprovalResult {
  readonly pull: ItemRef;
  /** Absent: it was approved and queued. */
  readonly why?: string;
}

/** By a person, one at a time: what a rule wants more for is left to its own command. */
async function refuseRuled(bound: Bound, context: Context): Promise<void> {
  const ruled: readonly AnyCommand[] = [prApprove, queue];
  for (const each of ruled) {
    const { policy, asks } = await policyFor(each, bound, context);
    refuseAsker(each, asks, context.role);
    if (policy) throw new UserError(`it needs an approval: use ${context.slash} ${each.name} ${refOf(bound.pull)}`);
  }
}

/** The others go on. */
const isOfOne = (error: unknown) =>
  error instanceof UserError || (error instanceof ApiError && error.kind !== 'unauthorized');

const wordsOf = (error: unknown, { slash, log }: Context) => explanation(error, { slash, log }).says.replace(/\.$/, '');

async function approveAndQueue(bound: Bound, context: Context): Promise<void> {
  const { pull: ref, head } = bound;
  const pull = await readPull(ref, context);
  if (pull.state !== 'open') throw new UserError('it is no longer open');
  if (!pull.user || !isBot(pull.user, context.policy.bots)) throw new UserError('it is not by a bot');
  boundHead(ref, pull, head, context.forge.web);
  const { state } = await readBotPull(pull, `${ref.owner}/${ref.repo}`, context.api);
  if (state !== 'green') throw new UserError(state === 'red' ? 'its checks failed' : 'its checks have not passed');
  await refuseRuled(bound, context);
  const reviews = await readReviews(context.api, ref);
  const isApproved = reviews.some(
    (each) => each.state === 'APPROVED' && !each.dismissed && isMine(each.user, context) && each.commit_id === head,
  );
  // what cannot be queued is not approved either
  await queue.approval?.observe?.(bound, context);
  // a job that starts again approves nothing twice
  if (!isApproved) await prApprove.run(bound, context);
  try {
    await queue.run(bound, context);
  } catch (error) {
    throw isOfOne(error)
      ? new UserError(`approved, but not queued: ${wordsOf(error, context)}`, { cause: error })
      : error;
  }
}

async function approveAll({ pulls }: { readonly pulls: string }, context: Context): Promise<readonly ApprovalResult[]> {
  const all: ApprovalResult[] = [];
  for (const bound of boundOnes(pulls)) {
    try {
      await approveAndQueue(bound, context);
      all.push({ pull: bound.pull });
    } catch (error) {
      if (!isOfOne(error)) throw error;
      all.push({ pull: bound.pull, why: wordsOf(error, context) });
    }
  }
  return all;
}

export const botsApprove = command({
  name: 'bots approve',
  title: 'Approve and queue',
  summary: 'Approve and queue the green pull requests of a card about bots',
  examples: [`bots approve acme/engine#5@${'4b825dc642cb6eb9a060e54bf8d69288fbee4904'}`],
  fields: { pulls: text({ label: 'Pull requests', hint: 'As a card’s button names them.', max: 1_900 }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  hidden: true,
  notForAgents: 'An approval is given by a person.',
  operations: [...new Set([...prApprove.operations, ...queue.operations])],
  needs: ['pulls.submitReview', 'pulls.merge', 'pulls.update', 'pulls.get'],
  repositories: ({ pulls }) => boundOnes(pulls).map(({ pull: { owner, repo } }) => ({ owner, repo })),
  approval: {
    refuseWaiting: (_args, approvers, { slash }) =>
      new UserError(
        `This needs approval by ${approvers}. Approve and queue each pull request on its own: ${slash} pr approve, ${slash} queue.`,
      ),
  },
  async plan({ pulls }, context) {
    const each = boundOnes(pulls).map(async (bound) => [
      ...(await prApprove.plan(bound, context)),
      ...(await queue.plan(bound, context)),
    ]);
    return (await Promise.all(each)).flat();
  },
  run: approveAll,
  reply: (all, _args, { forge }) => {
    const done = all.filter(({ why }) => why === undefined);
    const page = (pull: ItemRef) => link(webAddress(forge.web, { kind: 'pull', of: pull }), refOf(pull));
    return message({
      blocks: doneCard({
        says:
          done.length > 0
            ? md`Approved and queued ${count(done.length, 'pull request')} of ${all.length}.`
            : md`Nothing was approved.`,
        but: all.flatMap(({ pull, why }) => (why === undefined ? [] : [md`${page(pull)}: ${why}.`])),
        facts: done.map(({ pull }) => refOf(pull)),
      }),
    });
  },
});
