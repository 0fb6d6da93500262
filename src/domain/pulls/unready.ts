import { runButtonIfFits } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { MessageError } from '../../chat/message-error.js';
import { refOf, webAddress } from '../../chat/references.js';
import { commitChecks } from '../../forge/commit-checks.js';
import { gathered } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import { mostReviews } from '../../forge/review-requests.js';
import type { PullReview } from '../../forge/schemas/review.js';
import { failureCard } from '../../view/cards/outcome.js';
import { linkButton } from '../../view/elements.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { lines } from '../../view/text.js';
import type { Merging } from './merge-style.js';

/** What a careful person checks before merging; asked once, and `--yes` skips it. */
export async function refuseUnready(asked: Merging, head: string | undefined, context: Context): Promise<void> {
  if (asked.yes) return;
  const facts = (await Promise.all([requestedChanges(asked, context), redChecks(asked, head, context)])).flat();
  if (facts.length === 0) return;
  const { pull: ref, yes: _, ...rest } = asked;
  const anyway = runButtonIfFits({
    text: 'Merge anyway',
    command: 'pr merge',
    args: { ...rest, pull: ref, ...(head && { head }), yes: true },
  });
  throw new MessageError(
    message({
      blocks: failureCard({
        says: lines(`${refOf(ref)} is not ready to merge:\n${facts.map((fact) => `• ${fact}`).join('\n')}`),
        next: anyway
          ? 'Merge anyway, or check it first.'
          : 'Check it first, or run it again with --yes to merge anyway.',
        buttons: [anyway, linkButton('Open in browser', webAddress(context.forge.web, { kind: 'pull', of: ref }))],
      }),
    }),
  );
}

/** Each reviewer's last verdict counts. */
async function requestedChanges({ pull }: Merging, { api }: Context): Promise<string[]> {
  const reviews = await ifAnswered(gathered(api.pulls.listReviews.each(pull, { max: mostReviews })));
  const last = new Map<string, PullReview>();
  for (const review of reviews ?? []) {
    if (review.user && !review.dismissed && ['APPROVED', 'REQUEST_CHANGES'].includes(review.state))
      last.set(review.user.login, review);
  }
  const who = [...last].filter(([, { state }]) => state === 'REQUEST_CHANGES').map(([login]) => login);
  return who.length === 0 ? [] : [`${who.join(', ')} requested changes`];
}

async function redChecks({ pull, whenChecksSucceed }: Merging, head: string | undefined, { api }: Context) {
  // The forge itself waits for the checks then.
  if (whenChecksSucceed || head === undefined) return [];
  const { owner, repo } = pull;
  const found = await ifAnswered(commitChecks(api, { owner, repo, ref: head }));
  const failed = (found?.failed ?? []).map(({ context }) => context);
  return failed.length === 0 ? [] : [`${count(failed.length, 'check')} failed: ${failed.slice(0, 5).join(', ')}`];
}
