import { type ItemRef, refOf } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import type { PullReview } from '../../forge/schemas/review.js';

export interface Reviewer {
  readonly kind: 'person' | 'team';
  readonly name: string;
}

export interface Refused {
  readonly who: Reviewer;
  readonly why: string;
}

/** Each alone. Whoever was asked stays asked: from then on no failure hides it. */
export async function askEach(
  all: readonly Reviewer[],
  ask: (some: readonly Reviewer[]) => Promise<readonly PullReview[]>,
): Promise<{ readonly reviews: readonly PullReview[]; readonly refused: readonly Refused[] }> {
  const reviews: PullReview[] = [];
  const refused: Refused[] = [];
  for (const [at, who] of all.entries()) {
    try {
      reviews.push(...(await ask([who])));
    } catch (error) {
      const somebodyAsked = refused.length < at;
      if (!(error instanceof ApiError) || !(isAboutNames(error) || somebodyAsked)) throw error;
      refused.push({ who, why: whyOf(error) });
    }
  }
  return { reviews, refused };
}

export function isAboutNames(error: unknown): error is ApiError {
  return error instanceof ApiError && !error.unsupported && (error.kind === 'notFound' || error.kind === 'invalid');
}

/** The forge says it of the names, with its own numbers of everything. */
export function refuseChooser(ref: ItemRef, error: unknown): void {
  if (!isAboutNames(error) || !/can't choose reviewer/i.test(error.serverMessage)) return;
  throw new UserError(
    `You may not choose who reviews ${refOf(ref)}. Its author can, and people who may write to ${ref.owner}/${ref.repo}, unless it is archived: ask one of them.`,
    { cause: error },
  );
}

function whyOf(error: ApiError): string {
  const said = error.serverMessage.replace(/\s*\[user_id:[^\]]*\]$/u, '');
  if (said !== '') return said;
  switch (error.kind) {
    case 'notFound':
      return 'not known to the forge';
    case 'forbidden':
      return 'the forge does not let you';
    case 'timeout':
    case 'unavailable':
      return error.neverSent ? 'the forge could not be reached' : 'no answer: it may have happened all the same';
    default:
      return error.hint || 'refused';
  }
}
