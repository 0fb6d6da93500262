import type { Obj } from '../json.js';
import type { Ack, EnvelopeType } from '../records.js';

export interface Outgoing {
  type: EnvelopeType;
  payload: Obj;
  /** Whether the acknowledgement may carry an answer (a message, a view, options). */
  acceptsPayload: boolean;
  attempt: number;
  reason: string;
  forged?: Forgery;
}

/** How a forged request differs from Slack's. */
export interface Forgery {
  signingSecret?: string;
  timestamp?: number;
  unsigned?: boolean;
}

/** One way to reach the app. */
export interface Road {
  send(outgoing: Outgoing): Promise<Ack>;
  close(): Promise<void>;
}
