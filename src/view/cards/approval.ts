import type { KnownBlock } from '@slack/types';
import { actions, type Blocks, context, type Fact, facts, section } from '../blocks.js';
import { type Look, when } from '../look.js';
import { bold, codeText, join, type Mrkdwn, md, quote } from '../text.js';
import type { Instant } from '../when.js';

export type ApprovalState =
  | 'pending'
  | 'running'
  | 'done'
  | 'failed'
  | 'unknown'
  | 'denied'
  | 'withdrawn'
  | 'expired'
  | 'changed'
  | 'refused';

export interface ApprovalLike {
  readonly state: ApprovalState;
  /** A mention of the requester. */
  readonly requester: Mrkdwn;
  /** Completes “wants to …”. */
  readonly wish: Mrkdwn;
  readonly reason?: string | undefined;
  /** What helps to decide, as of the request. */
  readonly facts?: readonly Fact[] | undefined;
  /** The server cannot report the current state. */
  readonly unobserved?: boolean | undefined;
  readonly deciders: Mrkdwn;
  readonly needed: number;
  readonly approved: readonly Mrkdwn[];
  readonly denied?: Mrkdwn | undefined;
  readonly expires: Instant;
  /** The forge's answer as text. */
  readonly result?: string | undefined;
}

/** While it is open, everything that helps to decide; afterwards one line with the decision and the outcome. */
export function approvalCard(approval: ApprovalLike, look: Look): KnownBlock[] {
  return approval.state === 'pending' ? openCard(approval, look) : closedCard(approval);
}

function openCard(approval: ApprovalLike, look: Look): KnownBlock[] {
  const { requester, wish, reason, approved, needed } = approval;
  const blocks: Blocks = [
    section(bold(md`${requester} wants to ${wish}`)),
    reason === undefined ? undefined : section(quote(reason).within(1_000)),
    ...facts(approval.facts ?? []),
    approval.unobserved
      ? section(md`⚠️ This server cannot show the current state. Check it before you approve.`)
      : undefined,
    context([
      '🟠 Waiting for approval',
      md`${approval.deciders} can decide`,
      needed > 1 ? join([md`${approved.length} of ${needed} approved`, ...nameApprovers(approved)], ': ') : undefined,
      md`expires ${when(approval.expires, look) ?? 'soon'}`,
    ]),
    actions(...(look.buttons ?? [])),
  ];
  return blocks.filter((block) => block !== undefined);
}

const nameApprovers = (approved: readonly Mrkdwn[]) => (approved.length === 0 ? [] : [join(approved, ', ')]);

function closedCard(approval: ApprovalLike): KnownBlock[] {
  const { requester, wish, reason } = approval;
  const quoted = reason === undefined ? undefined : md`“${reason}”`;
  const blocks: Blocks = [
    section(join([headOf(approval), codeText(approval.result ?? '').within(1_000)], ' · ')),
    context([md`${requester} wanted to ${wish}`, quoted]),
  ];
  return blocks.filter((block) => block !== undefined);
}

function headOf({ state, approved, denied }: ApprovalLike): Mrkdwn {
  const by = join(approved, ', ');
  const heads: Record<Exclude<ApprovalState, 'pending'>, Mrkdwn> = {
    running: md`⏳ Approved by ${by} · running`,
    done: md`✅ Approved by ${by}`,
    failed: md`❌ Approved by ${by}, but it failed`,
    unknown: md`❓ Approved by ${by}, but the forge did not confirm it`,
    denied: md`🚫 Denied by ${denied ?? 'someone'}`,
    withdrawn: md`↩️ Withdrawn`,
    expired: md`⌛ Expired without a decision`,
    changed: md`⚠️ Not run`,
    refused: md`🚫 Approved by ${by}, but not run`,
  };
  return state === 'pending' ? md`` : heads[state];
}
