import type { Json } from '../json.js';
import type { Ack } from '../records.js';

/** The response to the person who acted. */
export interface Reply {
  ok: boolean;
  /** Slack's error code for the person: operation_timeout, dispatch_failed, http_error, invalid_command, … */
  error: string | undefined;
  ack: Json | undefined;
  status: number | undefined;
  tookMs: number | undefined;
}

export const failed = (error: string, ack?: Json): Reply => ({
  ok: false,
  error,
  ack,
  status: undefined,
  tookMs: undefined,
});

export function replyOf(ack: Ack): Reply {
  if (ack.outcome !== 'acked') {
    return { ...failed(ack.outcome), status: ack.outcome === 'http_error' ? ack.status : undefined };
  }
  return { ok: true, error: undefined, ack: ack.payload, status: 200, tookMs: ack.tookMs };
}
