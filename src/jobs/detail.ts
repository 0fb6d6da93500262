import type { CallOptions } from '../forge/index.js';

/** For what only makes a message richer: soon or not at all, and one sick item must not open the circuit for everybody. */
export const detail = (patienceMs = 5_000): CallOptions => ({ signal: AbortSignal.timeout(patienceMs), detail: true });
