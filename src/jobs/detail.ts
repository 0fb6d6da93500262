import type { CallOptions } from '../forge/index.js';

/** For optional details of a message: quickly or not at all, and one failing item must not open the circuit for everyone. */
export const detail = (patienceMs = 5_000): CallOptions => ({ signal: AbortSignal.timeout(patienceMs), detail: true });
