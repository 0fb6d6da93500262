import { stateOf } from '../chat/approval/card.js';
import type { Agent, Approval, Store } from '../store/index.js';

export const statuses = [
  'done',
  'failed',
  'refused',
  'running',
  'unknown',
  'waiting_for_approval',
  'denied',
  'withdrawn',
  'expired',
] as const;

/** The state of a call, as far as known. */
export interface Outcome {
  readonly status: (typeof statuses)[number];
  /** For asking later; absent if nothing was accepted. */
  readonly request?: string;
  /** The answer as text; may contain anything the forge or people wrote. */
  readonly text: string;
  readonly next?: Readonly<Record<string, unknown>> | undefined;
}

/** Only for this agent's own calls; undefined for any other. */
export async function outcomeOf(store: Store, agent: Pick<Agent, 'id'>, id: string): Promise<Outcome | undefined> {
  const [call, approval] = await Promise.all([store.calls.get({ id, agent: agent.id }), store.approvals.get(id)]);
  // the answer given at request time is outdated once it is decided
  if (approval && approval.agent?.id === agent.id && call?.state !== 'running')
    return { request: id, ...decided(approval) };
  return call && { request: id, status: call.state, text: call.text, next: call.next };
}

const waiting = 'Waiting for approval in Slack. Nothing has run yet.';

function decided(approval: Approval): Pick<Outcome, 'status' | 'text'> {
  const state = stateOf(approval);
  const text = approval.decisions.find(({ verdict }) => verdict === 'deny')?.note ?? approval.result?.summary ?? '';
  switch (state) {
    case 'pending':
      return { status: 'waiting_for_approval', text: waiting };
    case 'running':
      return { status: 'running', text: 'Approved, and running now.' };
    case 'changed':
      return { status: 'refused', text };
    case 'denied':
      return { status: 'denied', text: text || 'Denied.' };
    case 'withdrawn':
      return { status: 'withdrawn', text: 'The person this agent acts for withdrew it.' };
    case 'expired':
      return { status: 'expired', text: 'Nobody decided in time, so it was not run.' };
    default:
      return { status: state, text };
  }
}
