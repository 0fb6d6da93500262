import type { FailureKind } from './operation.js';

interface ApiFailure {
  readonly kind: FailureKind;
  readonly operation: string;
  readonly status?: number | undefined;
  /** The server's own words, without secrets. */
  readonly serverMessage?: string | undefined;
  /** What to do next, if we know better than the server. */
  readonly hint?: string | undefined;
  /** True: nothing reached the forge, so nothing can have happened there. */
  readonly neverSent?: boolean;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  /** True: this server lacks the operation; a feature may fall back. */
  readonly unsupported?: boolean;
  /** True: a complete answer of unknown shape; retrying changes nothing. */
  readonly unknownShape?: boolean;
  /** A system error code, such as ECONNREFUSED. */
  readonly code?: string | undefined;
}

/** Any failure of a call. Contains no credential, body or input, and no cause that could. */
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
  readonly unknownShape: boolean;
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
    this.unknownShape = failure.unknownShape ?? false;
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

/** A write without a complete answer, or one that failed inside the forge, may still have happened. */
export function mayHaveHappened({ neverSent, unsupported, status, kind }: ApiError): boolean {
  if (neverSent || unsupported) return false;
  if (status === undefined) return true;
  // A success status with an unreadable answer: it was done.
  if (status < 300) return true;
  return status >= 500 || kind === 'timeout';
}

/** This server does not support the request; the message says what it does support. */
export class CannotAsk extends Error {
  override readonly name = 'CannotAsk';
}
