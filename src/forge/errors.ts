import type { FailureKind } from './operation.js';

interface ApiFailure {
  readonly kind: FailureKind;
  readonly operation: string;
  readonly status?: number | undefined;
  /** The server's own words, cleaned of secrets. */
  readonly serverMessage?: string | undefined;
  /** What to do next, where we know better than the server says. */
  readonly hint?: string | undefined;
  /** True: nothing reached the forge, so nothing can have happened there. */
  readonly neverSent?: boolean;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  /** True: this server has no such operation; a feature may fall back. */
  readonly unsupported?: boolean;
  /** True: the answer came whole, in a shape that is not known; asking again changes nothing. */
  readonly strange?: boolean;
  /** Of the system, such as ECONNREFUSED. */
  readonly code?: string | undefined;
}

/** Every failure of a call. Holds no credential, no body and no input, and keeps no cause that could. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: FailureKind;
  readonly operation: string;
  readonly status: number | undefined;
  readonly serverMessage: string;
  readonly hint: string | undefined;
  readonly neverSent: boolean;
  readonly retryAfter: number | undefined;
  readonly unsupported: boolean;
  readonly strange: boolean;
  readonly code: string | undefined;

  constructor(failure: ApiFailure) {
    super(words(failure));
    this.kind = failure.kind;
    this.operation = failure.operation;
    this.status = failure.status;
    this.serverMessage = failure.serverMessage ?? '';
    this.hint = failure.hint;
    this.neverSent = failure.neverSent ?? false;
    this.retryAfter = failure.retryAfter;
    this.unsupported = failure.unsupported ?? false;
    this.strange = failure.strange ?? false;
    this.code = failure.code;
  }

  toJSON(): Readonly<Record<string, unknown>> {
    const { name, kind, operation, status, serverMessage, hint, neverSent, retryAfter, unsupported, code } = this;
    return { name, kind, operation, status, serverMessage, hint, neverSent, retryAfter, unsupported, code };
  }
}

function words({ operation, kind, status, serverMessage, hint, code }: ApiFailure): string {
  const where = status ?? code;
  const head = where === undefined ? `${operation}: ${kind}` : `${operation}: ${kind} (${where})`;
  return [head, serverMessage, hint].filter((part) => part !== undefined && part !== '').join('. ');
}

/** A write without a whole answer, or one that failed inside the forge, may have happened all the same. */
export function mayHaveHappened({ neverSent, unsupported, status, kind }: ApiError): boolean {
  if (neverSent || unsupported) return false;
  if (status === undefined) return true;
  // A good status with an answer that cannot be read: it was done.
  if (status < 300) return true;
  return status >= 500 || kind === 'timeout';
}
