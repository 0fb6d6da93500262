import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from './errors.js';

/** Undefined where this server has no such operation: what cannot be known is left out. */
export async function possible<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError && error.unsupported) return undefined;
    throw error;
  }
}

/** Undefined where the forge does not tell, for whatever reason: only for what decorates an answer or a message. */
export async function ifAnswered<T>(
  asking: Promise<T>,
  failed: (error: ApiError) => void = () => {},
): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    failed(error);
    return undefined;
  }
}

/** What was deleted, or is out of reach, is simply not there. */
export async function unlessGone<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'notFound' || error.kind === 'forbidden')) return undefined;
    throw error;
  }
}

/** Longer than this nobody is kept waiting for what only decorates the answer to a deed that is done. */
const decorationMs = 3_000;

/** Of a read after a deed: as ifAnswered, but soon. */
export function soon<T>(asking: Promise<T>): Promise<T | undefined> {
  return Promise.race([ifAnswered(asking), pause(decorationMs, undefined, { ref: false })]);
}
