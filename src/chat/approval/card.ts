import type { Button } from '@slack/types';
import { z } from 'zod';
import type { Approval, Deployment } from '../../store/index.js';
import { actions } from '../../view/blocks.js';
import { type ApprovalState, approvalCard } from '../../view/cards/approval.js';
import { deploymentBlocks } from '../../view/cards/deployment.js';
import { type Message, message } from '../../view/message.js';
import { md, mention } from '../../view/text.js';
import { decisionButtons, fitsButton, runButton } from '../actions.js';
import { deploymentButtons } from '../deploy/followed.js';
import { Shown } from './shown.js';

/** The card always shows the present state: who asked, what will be sent, who decided, how it ended. */
export function cardOf(approval: Approval, now: Date, followed?: Deployment): Message {
  const shown = Shown.parse(approval.shown);
  const approvals = approval.decisions.filter(({ verdict }) => verdict === 'approve');
  const denied = approval.decisions.find(({ verdict }) => verdict === 'deny');
  const by = (person: { user: string; login: string | null }) => mention(person.user, person.login ?? undefined);
  const state = stateOf(approval);
  const follow = followed ? deploymentBlocks(followed, deploymentButtons(followed), { now }) : [];
  return message({
    text: md`${approval.requester.login ?? 'Someone'} asks for ${shown.line}: ${state}`,
    blocks: [
      ...approvalCard(
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
      ...follow,
      actions(askAgain(approval, shown)),
    ],
  });
}

/** For the state there is now; whoever clicks asks as themselves. */
function askAgain(approval: Approval, { again }: Shown): Button | undefined {
  const stale = ['changed', 'refused', 'expired'].includes(stateOf(approval));
  if (!stale || again === '' || approval.command !== 'deploy') return undefined;
  const args = z.record(z.string(), z.unknown()).parse(JSON.parse(again));
  const options = { text: 'Ask again', command: 'deploy', args } as const;
  return fitsButton(options) ? runButton(options) : undefined;
}

export function stateOf(approval: Approval): ApprovalState {
  if (approval.state === 'open') return 'pending';
  if (approval.state === 'approved') return 'running';
  // Bellows withdraws by itself only when what was shown no longer holds.
  if (approval.state === 'withdrawn' && approval.result) return 'changed';
  if (approval.state === 'failed' && approval.result?.refused) return 'refused';
  return approval.state;
}
