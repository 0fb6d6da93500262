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

export async function unlessBusy<T>(call: Promise<T>, so?: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw busy(error, so) ?? error;
  }
}
