import { formButton, runButtonIfFits } from '../../chat/actions.js';
import type { Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { MessageError } from '../../chat/message-error.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { type Request, request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import { mostReviews } from '../../forge/review-requests.js';
import type { PullRequest, PullReview } from '../../forge/schemas.js';
import { doneCard, failureCard } from '../../view/cards/outcome.js';
import { linkButton, openButton } from '../../view/elements.js';
import { count } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';
import { code, link, md } from '../../view/text.js';
import { firstOf, isMine, isNew, sameText } from '../find.js';
import { boundHead, pullIfKnown, readPull, refuseClosed, short } from './read.js';

/** On a line of the new file, or of the old one if it was removed. */
export interface LineComment {
  readonly path: string;
  readonly body: string;
  readonly new_position?: number;
  readonly old_position?: number;
}

interface Verdict {
  readonly event: 'APPROVED' | 'REQUEST_CHANGES' | 'COMMENT';
  readonly ref: ItemRef;
  readonly body?: string | undefined;
  /** The head that was seen, if a button or form carried it. */
  readonly seen?: string | undefined;
  /** Along with the line comments of an unfinished review. */
  readonly publish?: boolean | undefined;
  /** Sent with it, as one review. */
  readonly comments?: readonly LineComment[] | undefined;
}

interface Given {
  readonly verdict: Verdict;
  readonly pull: PullRequest | undefined;
  readonly review: PullReview;
  readonly head: string | undefined;
}

async function prepare(verdict: Verdict, context: Context) {
  const { event, ref, body, seen, comments = [] } = verdict;
  const pull = await pullIfKnown(ref, context);
  if (pull) refuse(pull, verdict, context.login);
  const head = boundHead(ref, pull, seen, context.forge.web);
  if (!verdict.publish) await refuseUnfinished(verdict, head, context);
  const said = { ...(body !== undefined && { body }), ...(comments.length > 0 && { comments: [...comments] }) };
  return {
    pull,
    head,
    input: { ...ref, body: { event, ...said, ...(head === undefined ? {} : { commit_id: head }) } },
  };
}

/** What the forge would refuse anyway, in better words. */
function refuse(pull: PullRequest, { ref, event }: Verdict, login: string): void {
  refuseClosed(ref, pull, 'it cannot be reviewed');
  if (event !== 'COMMENT' && pull.user?.login === login)
    throw new UserError('You cannot review your own pull request. Request a review with /forge pr review.');
}

/** The forge publishes a person's draft with their next review. */
async function refuseUnfinished(
  { event, ref, body, comments = [] }: Verdict,
  head: string | undefined,
  context: Context,
) {
  const isDraft = (each: PullReview) =>
    each.state === 'PENDING' && isMine(each.user, context) && each.comments_count > 0;
  const draft = await ifAnswered(firstOf(context.api.pulls.listReviews.each(ref, { max: mostReviews }), isDraft));
  if (!draft) return;
  const args = { pull: ref, ...(head && { head }), publish: true };
  const publish = {
    APPROVED: () =>
      runButtonIfFits({
        text: 'Approve and publish',
        command: 'pr approve',
        args: { ...args, ...(body && { body }) },
      }),
    REQUEST_CHANGES: () =>
      runButtonIfFits({
        text: 'Request changes and publish',
        command: 'pr request-changes',
        args: { ...args, body: body ?? '' },
      }),
    COMMENT: () => undefined,
  }[event];
  const says = md`This would also publish your unfinished review with ${count(draft.comments_count, 'comment')} on ${refOf(ref)}. Nothing was sent.`;
  const page = webAddress(context.forge.web, { kind: 'pull', of: ref });
  const buttons = [comments.length > 0 ? undefined : publish(), linkButton('Finish it in browser', `${page}/files`)];
  const next = 'Finish or discard that review in your browser, then try again.';
  throw new MessageError(message({ blocks: failureCard({ says, next, buttons }) }));
}

export const planVerdict = async (verdict: Verdict, context: Context): Promise<readonly Request[]> => [
  request('pulls.submitReview', (await prepare(verdict, context)).input),
];

export async function giveVerdict(verdict: Verdict, context: Context): Promise<Given> {
  const { ref } = verdict;
  const { pull, head, input } = await prepare(verdict, context);
  const review = await context.api.pulls.submitReview(input).catch(async (error: unknown) => {
    // it may have been closed or merged since it was read
    const now = error instanceof ApiError && error.kind === 'invalid' ? await ifAnswered(readPull(ref, context)) : pull;
    if (now) refuse(now, verdict, context.login);
    throw error;
  });
  if (review.state === 'PENDING')
    throw new UserError(
      `The forge kept your review of ${refOf(ref)} as a draft. Open it there to submit or discard it.`,
    );
  return { verdict, pull, head, review };
}

/** The existing review, if it is the one that was sent. */
export async function findVerdict(verdict: Verdict, context: Context, sent: Sent): Promise<Given | undefined> {
  const { ref, event, body = '' } = verdict;
  const review = await firstOf(
    context.api.pulls.listReviews.each(ref, { max: 500 }),
    (each) =>
      each.state === event && isMine(each.user, context) && isNew(each.submitted_at, sent) && sameText(each.body, body),
  );
  return (
    review && { verdict, pull: await ifAnswered(readPull(ref, context)), head: review.commit_id || undefined, review }
  );
}

export function verdictReply({ verdict, pull, head, review }: Given, { forge }: Context): Message {
  const { event, ref, comments = [] } = verdict;
  const page = review.html_url || pull?.html_url || webAddress(forge.web, { kind: 'pull', of: ref });
  const subject = link(page, pull ? `${refOf(ref)} ${pull.title}` : refOf(ref));
  const at = head === undefined ? md`` : md` at ${code(short(head))}`;
  const approved = event === 'APPROVED';
  const did = { APPROVED: 'Approved', REQUEST_CHANGES: 'Requested changes on', COMMENT: 'Commented on' }[event];
  const merge = formButton({ text: 'Merge', command: 'pr merge', args: { pull: ref, ...(head && { head }) } });
  return message({
    blocks: doneCard({
      says: md`${did} ${subject}${at}.`,
      but: review.stale ? [md`New commits arrived meanwhile. Review them too.`] : [],
      facts: [
        comments.length > 0 ? count(comments.length, 'line comment') : '',
        approved && !review.official ? 'does not count as an official approval' : '',
      ],
      buttons: [approved ? merge : undefined, openButton(page)],
    }),
  });
}
