import type { Fault } from './faults.js';
import type { Json, Obj } from './json.js';
import { Log } from './log.js';

export type TokenKind = 'bot' | 'app' | 'config' | 'none';

/** One Web API call (or one use of a response_url), without its token. */
export interface Call {
  method: string;
  args: Obj;
  token: TokenKind;
  at: number;
  result: Obj;
  /** What went wrong on purpose. */
  fault?: Fault['kind'];
}

export class Calls extends Log<Call> {
  of(method: string): Call[] {
    return this.filter((call) => call.method === method);
  }
}

export type FailureKind =
  /** Not acknowledged within three seconds, or answered with an HTTP error. */
  | 'missed_ack'
  | 'invalid_blocks'
  /** More than a message, a view or its metadata may hold. */
  | 'too_large'
  /** Blocks without the text that notifications and screen readers use. */
  | 'no_fallback'
  /** A live mention that this sandbox's configuration does not allow. */
  | 'mention'
  /** Something real Slack at best tolerates: double acks, unknown envelopes, errors at fields that do not exist. */
  | 'protocol';

export interface Failure {
  kind: FailureKind;
  detail: string;
  at: number;
}

export class Failures extends Log<Failure> {
  readonly #now: () => number;

  constructor(max: number, now: () => number, onAdd: () => void) {
    super(max, onAdd);
    this.#now = now;
  }

  note(kind: FailureKind, detail: string): void {
    this.add({ kind, detail, at: this.#now() });
  }

  of(kind: FailureKind): Failure[] {
    return this.filter((failure) => failure.kind === kind);
  }
}

export type EnvelopeType = 'slash_commands' | 'interactive' | 'events_api';

/** One delivery to the app, by either transport. */
export interface Delivery {
  type: EnvelopeType;
  payload: Obj;
  attempt: number;
  ack: Ack | undefined;
}

export type Ack =
  | { outcome: 'acked'; payload: Json | undefined; tookMs: number }
  | { outcome: 'operation_timeout' }
  | { outcome: 'dispatch_failed'; detail: string }
  | { outcome: 'http_error'; status: number; noRetry: boolean };
