import { describe, isOperationName } from './catalog.js';
import type { ApiOf } from './client.js';
import { ApiError, mayHaveHappened } from './errors.js';
import { type ForgeOf, type ForgeOptions, forgeOf } from './forge.js';
import { type Operations, operations } from './operations/index.js';

export { describe, isOperationName, type OperationName, operationNames } from './catalog.js';
export type { Credential } from './credential.js';
export type { CallOptions, CallResult } from './engine.js';
export { ApiError, mayHaveHappened } from './errors.js';
export type { ForgeOptions } from './forge.js';
export { GitError, oldestGit } from './git.js';
export { isHidden } from './hidden.js';
export { OAuthRefusal, signingIn } from './oauth.js';
export type { Effect, FailureKind, Input, Operation, Page } from './operation.js';
export type { Operations } from './operations/index.js';
export { gather } from './pages.js';
export { serverName } from './product.js';
export {
  lackedScopes,
  newTokenReach,
  reachOperations,
  scopesAskedBy,
  scopesOf,
  type TokenReach,
  tokenReach,
} from './scopes.js';

export type Forge = ForgeOf<Operations>;
export type Api = ApiOf<Operations>;

export function createForge(options: ForgeOptions): Forge {
  return forgeOf(operations, options);
}

/** A write that counts was sent, and the forge did not say what became of it. */
export function isLost(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || !mayHaveHappened(error)) return false;
  return isOperationName(error.operation) && describe(error.operation).effect === 'once';
}
