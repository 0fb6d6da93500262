import { fullName, type ItemRef, refOf } from '../../chat/references.js';
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

/** One request each. Once a request succeeded, no later failure hides it. */
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
      const someoneAsked = refused.length < at;
      if (!(error instanceof ApiError) || !(isAboutNames(error) || someoneAsked)) throw error;
      refused.push({ who, why: whyOf(error) });
    }
  }
  return { reviews, refused };
}

export function isAboutNames(error: unknown): error is ApiError {
  return error instanceof ApiError && !error.unsupported && (error.kind === 'notFound' || error.kind === 'invalid');
}

/** The forge's message names everything by its own ids. */
export function refuseChooser(ref: ItemRef, error: unknown): void {
  if (!isAboutNames(error) || !/can't choose reviewer/i.test(error.serverMessage)) return;
  throw new UserError(
    `You cannot request reviews on ${refOf(ref)}. Ask its author or someone with write access to ${fullName(ref)}.`,
    { cause: error },
  );
}

/** What the forge's own words mean; they differ between versions. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/not exist|doesn't exist/i, 'not found on the forge'],
  [/organization can't be/i, 'is an organization: name a person or one of its teams'],
  [/can't read/i, 'can’t see this repository'],
  [/poster of pr/i, 'opened this pull request and can’t review it'],
];

function whyOf(error: ApiError): string {
  const known = reasons.find(([pattern]) => pattern.test(error.serverMessage))?.[1];
  if (known !== undefined) return known;
  const said = error.serverMessage.replace(/\s*\[user_id:[^\]]*\]$/u, '');
  if (said !== '') return said;
  switch (error.kind) {
    case 'notFound':
      return 'not found on the forge';
    case 'forbidden':
      return 'not permitted';
    case 'timeout':
    case 'unavailable':
      return error.neverSent ? 'could not reach the forge' : 'not confirmed: it may have worked anyway';
    default:
      return error.hint || 'refused';
  }
}
