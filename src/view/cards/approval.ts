import type { KnownBlock } from '@slack/types';
import { actions, type Blocks, context, fields, list, type Pair, section } from '../blocks.js';
import { type Look, when } from '../look.js';
import { bold, code, join, lines, type Mrkdwn, md, type Value } from '../text.js';
import type { Instant } from '../when.js';
import { requestLines, type SentRequest } from './request.js';

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
  /** A mention of who asked. */
  readonly requester: Mrkdwn;
  /** The command as typed, secrets left out. */
  readonly command: string;
  readonly summary?: string | undefined;
  readonly reason?: string | undefined;
  readonly requests: readonly SentRequest[];
  /** The state observed when it was asked. */
  readonly shown?: readonly Pair[] | undefined;
  /** The server cannot be asked about the present state. */
  readonly unobserved?: boolean | undefined;
  readonly needed: number;
  readonly approvals: readonly { readonly by: Mrkdwn; readonly at: Instant }[];
  /** Who denied or withdrew, and when. */
  readonly decided?: { readonly by: Mrkdwn; readonly at: Instant } | undefined;
  /** What no longer is as it was shown. */
  readonly changes?: readonly { readonly label: string; readonly was: Value; readonly is: Value }[] | undefined;
  readonly expires?: Instant;
  /** The forge's answer in words. */
  readonly result?: string | undefined;
}

const states = {
  pending: '🟠 Waiting for approval',
  running: '⏳ Approved, running',
  done: '✅ Approved and done',
  failed: '❌ Approved, but failed',
  unknown: '❓ Approved, outcome unknown',
  denied: '🚫 Denied',
  withdrawn: '↩️ Withdrawn',
  expired: '⌛ Expired',
  changed: '⚠️ Not run: it changed meanwhile',
  refused: '🚫 Refused',
} satisfies Record<ApprovalState, string>;

/** Approve, Deny and Withdraw come in `look.buttons`; a decided card has none. */
export function approvalCard(approval: ApprovalLike, look: Look): KnownBlock[] {
  const open = approval.state === 'pending';
  const { decided, requests } = approval;
  const changes = (approval.changes ?? []).map(({ label, was, is }) => md`• ${label}: was ${was}, is ${is}`);
  const blocks: Blocks = [
    section(md`${bold(states[approval.state])}\n${approval.requester} asks for ${code(approval.command)}`),
    ...list([approval.summary, approval.reason].map((text) => lines(text ?? '').within(1000))),
    ...list(requests.length === 0 ? [] : [bold('What will be sent'), ...requestLines(requests)]),
    ...fields(approval.shown ?? []),
    ...list(approval.unobserved ? [md`⚠️ This server cannot tell the present state: look before you approve.`] : []),
    ...list(changes),
    ...list([lines(approval.result ?? '').within(1000)]),
    context([
      `${approval.approvals.length} of ${approval.needed} approved`,
      ...approval.approvals.map(({ by, at }) => stamp(by, at, look)),
      decided === undefined ? undefined : stamp(decided.by, decided.at, look),
      open && approval.expires ? md`expires ${when(approval.expires, look) ?? 'soon'}` : undefined,
    ]),
    open ? actions(...(look.buttons ?? [])) : undefined,
  ];
  return blocks.filter((block) => block !== undefined);
}

function stamp(by: Mrkdwn, at: Instant, look: Look): Mrkdwn {
  return join([by, when(at, look)], ' ');
}
