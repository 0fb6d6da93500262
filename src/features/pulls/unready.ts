import { runButtonIfFits } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { MessageError } from '../../chat/message-error.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { commitChecks } from '../../forge/commit-checks.js';
import type { Api } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import { readReviews } from '../../forge/review-requests.js';
import type { PullRequest, PullReview } from '../../forge/schemas.js';
import { failureCard } from '../../view/cards/outcome.js';
import { linkButton } from '../../view/elements.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { lines } from '../../view/text.js';
import { mayNotMerge, rulesOf } from './merge-bound.js';
import type { Merging } from './merge-style.js';
import { short } from './read.js';

/** What a careful person checks before merging; asked once, and `--yes` skips it. Someone who may not merge is told first. */
export async function refuseUnready(
  asked: Merging,
  pull: PullRequest | undefined,
  head: string | undefined,
  context: Context,
): Promise<void> {
  const { pull: ref, yes, ...rest } = asked;
  const [rules, reviews, checks] = await Promise.all([
    rulesOf(ref, pull, context),
    yes ? [] : ifAnswered(readReviews(context.api, ref)),
    yes ? [] : redChecks(ref, head, context),
  ]);
  if (rules?.user_can_merge === false) throw await mayNotMerge(ref, pull, rules, context);
  const facts = [...requestedBy(objectionsIn(reviews ?? [])), ...checks];
  if (facts.length === 0) return;
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

/** Requests for changes that stand: the forge dismisses what a newer verdict replaces. */
export const objectionsIn = (reviews: readonly PullReview[]): PullReview[] =>
  reviews.filter(({ user, state, dismissed }) => user && state === 'REQUEST_CHANGES' && !dismissed);

const requestedBy = (reviews: readonly PullReview[]): string[] =>
  reviews.length === 0 ? [] : [`${reviews.map(({ user }) => user?.login ?? 'someone').join(', ')} requested changes`];

async function redChecks({ owner, repo }: ItemRef, head: string | undefined, { api }: Context): Promise<string[]> {
  if (head === undefined) return [];
  const found = await ifAnswered(commitChecks(api, { owner, repo, ref: head }));
  const nameChecks = (what: string, all: readonly { readonly context: string }[] = []) =>
    all.length === 0
      ? []
      : [
          `${count(all.length, 'check')} ${what}: ${all
            .slice(0, 5)
            .map(({ context }) => context)
            .join(', ')}`,
        ];
  return [...nameChecks('failed', found?.failed), ...nameChecks('with warnings', found?.warned)];
}

/** What a merge was asked for. */
interface Bound {
  readonly repository: number;
  readonly head: string;
  readonly base: string;
}

/** The pull request now, or why it is no longer the one that was asked for, after “#12 …”. */
export async function standing(
  api: Pick<Api, 'pulls'>,
  ref: ItemRef,
  bound: Bound,
  known?: PullRequest,
): Promise<{ readonly pull: PullRequest; readonly reviews: readonly PullReview[]; readonly over?: string }> {
  const [pull, reviews] = await Promise.all([known ?? api.pulls.get(ref), readReviews(api, ref)]);
  const over = whyOver(pull, objectionsIn(reviews), bound);
  return over === undefined ? { pull, reviews } : { pull, reviews, over };
}

export function whyOver(pull: PullRequest, objecting: readonly PullReview[], bound: Bound): string | undefined {
  if (pull.base?.repo?.id !== bound.repository) return 'is in another repository that took over this name';
  if (pull.base.repo.archived) return 'is in a repository that is archived now';
  if (pull.merged) return pull.merged_by ? `was merged by ${pull.merged_by.login}` : 'was merged';
  if (pull.state !== 'open') return 'was closed';
  if (pull.head?.sha !== bound.head)
    return `has new commits: it was at ${short(bound.head)}, now ${short(pull.head?.sha ?? 'unknown')}`;
  if (pull.base.ref !== bound.base) return `now targets ${pull.base.ref} instead of ${bound.base}`;
  if (pull.draft) return 'was turned into a draft';
  // none stood when it was asked for
  const [fresh] = requestedBy(objecting);
  return fresh && `has a new review: ${fresh}`;
}
