import { describe, isOperationName } from './catalog.js';
import { ApiError, mayHaveHappened } from './errors.js';

/** A write that counts was sent, and the forge did not say what became of it. */
export function isLost(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || !mayHaveHappened(error)) return false;
  return isOperationName(error.operation) && describe(error.operation).effect === 'once';
}
