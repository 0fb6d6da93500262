import { busy } from './busy.js';
import { platformError } from './platform-error.js';

const missing = new Set([
  'channel_not_found',
  'user_not_found',
  'users_not_found',
  'no_such_subteam',
  'subteam_not_found',
]);

/** Where places and rights are asked for, which is before anything is sent or kept. */
export const undone = 'nothing was done';

interface Lookup {
  /** Further words of Slack that mean absent. */
  readonly also?: readonly string[];
  /** What it means for the person when Slack is busy. */
  readonly so?: string;
}

/** Absent is an answer; everything else is a failure. */
export async function unlessMissing<T>(call: Promise<T>, { also = [], so }: Lookup = {}): Promise<T | undefined> {
  try {
    return await unlessBusy(call, so);
  } catch (error) {
    const word = platformError(error);
    if (word !== undefined && (missing.has(word) || also.includes(word))) return undefined;
    throw error;
  }
}

interface Page {
  readonly response_metadata?: { readonly next_cursor?: string };
}

/** Page after page until Slack names no further one; `most` bounds a list without end. */
export async function* pagesOf<T extends Page>(
  ask: (from: { readonly cursor?: string }) => Promise<T | undefined>,
  most: number,
): AsyncGenerator<T> {
  let cursor = '';
  for (let page = 0; page < most; page++) {
    const answer = await ask(cursor === '' ? {} : { cursor });
    if (!answer) return;
    yield answer;
    cursor = answer.response_metadata?.next_cursor ?? '';
    if (cursor === '') return;
  }
}

export async function unlessBusy<T>(call: Promise<T>, so?: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw busy(error, so) ?? error;
  }
}
