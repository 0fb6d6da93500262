import type { Approval } from '../../store/index.js';
import { type ApprovalState, approvalCard } from '../../view/cards/approval.js';
import { type Message, message } from '../../view/message.js';
import { md, mention } from '../../view/text.js';
import { decisionButtons } from '../actions.js';
import { Shown } from './shown.js';

/** The card always shows the present state: who asked, what will be sent, who decided, how it ended. */
export function cardOf(approval: Approval, now: Date): Message {
  const shown = Shown.parse(approval.shown);
  const approvals = approval.decisions.filter(({ verdict }) => verdict === 'approve');
  const denied = approval.decisions.find(({ verdict }) => verdict === 'deny');
  const by = (person: { user: string; login: string | null }) => mention(person.user, person.login ?? undefined);
  const state = stateOf(approval);
  return message({
    text: md`${approval.requester.login ?? 'Someone'} asks for ${shown.line}: ${state}`,
    blocks: approvalCard(
      {
        state,
        requester: by(approval.requester),
        command: shown.line,
        summary: shown.summary,
        requests: shown.requests.map(({ route, input }) => ({ route, input })),
        shown: shown.observed,
        unobserved: shown.unobserved,
        needed: approval.policy.needed,
        approvals: approvals.map((each) => ({ by: by(each.by), at: new Date(each.at) })),
        decided: denied && { by: by(denied.by), at: new Date(denied.at) },
        expires: new Date(approval.policy.expiresAt),
        result: denied?.note ?? approval.result?.summary,
      },
      { now, buttons: decisionButtons(approval.id) },
    ),
  });
}

export function stateOf(approval: Approval): ApprovalState {
  if (approval.state === 'open') return 'pending';
  if (approval.state === 'approved') return 'running';
  // Bellows withdraws by itself only when what was shown no longer holds.
  if (approval.state === 'withdrawn' && approval.result) return 'changed';
  if (approval.state === 'failed' && approval.result?.refused) return 'refused';
  return approval.state;
}
