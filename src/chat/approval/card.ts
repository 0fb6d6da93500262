import type { Button } from '@slack/types';
import { z } from 'zod';
import type { Approval, Deployment } from '../../store/index.js';
import { actions } from '../../view/blocks.js';
import { type ApprovalState, approvalCard } from '../../view/cards/approval.js';
import { deploymentBlocks } from '../../view/cards/deployment.js';
import { type Message, message } from '../../view/message.js';
import { join, type Mrkdwn, md, mention, mentionOf } from '../../view/text.js';
import { decisionButtons, runButtonIfFits } from '../actions.js';
import { deploymentButtons } from '../deploy/followed.js';
import { policyWords } from './policy.js';
import { Shown, wishOf } from './shown.js';
import { roleIn } from './standing.js';

/** The requester: the person, or their agent and the person it acts for. */
export const askerOf = ({ agent, requester }: Approval): Mrkdwn =>
  agent ? md`🤖 ${agent.name}, agent of ${mentionOf(requester)},` : mentionOf(requester);

/** Always shows the current state: who wants what and who decides; afterwards, who decided and the outcome. */
export function cardOf(approval: Approval, now: Date, followed?: Deployment): Message {
  const shown = Shown.parse(approval.shown);
  const denied = approval.decisions.find(({ verdict }) => verdict === 'deny');
  const approved = approval.decisions.filter(({ verdict }) => verdict === 'approve').map(({ by }) => mentionOf(by));
  const state = stateOf(approval);
  const follow = followed ? deploymentBlocks(followed, deploymentButtons(followed), { now }) : [];
  const wish = wishOf(shown);
  return message({
    text: md`${askerWords(approval)} wants to ${wish}: ${state}`,
    blocks: [
      ...approvalCard(
        {
          state,
          requester: askerOf(approval),
          wish,
          reason: shown.reason,
          facts: shown.observed,
          unobserved: shown.unobserved,
          deciders: decidersOf(approval),
          needed: approval.policy.needed,
          approved,
          denied: denied && mentionOf(denied.by),
          expires: new Date(approval.policy.expiresAt),
          // what is followed below says more than the answer when it started
          result: denied?.note ?? (followed && state === 'done' ? undefined : approval.result?.summary),
        },
        { now, buttons: decisionButtons(approval.id) },
      ),
      ...follow,
      actions(askAgain(approval, shown)),
    ],
  });
}

function askerWords({ agent, requester: { login } }: Approval): string {
  const person = login ?? 'Someone';
  return agent ? `${agent.name} (agent of ${person})` : person;
}

/** For the current state; people who click ask as themselves. */
function askAgain(approval: Approval, { again }: Shown): Button | undefined {
  const stale = ['changed', 'refused', 'expired'].includes(stateOf(approval));
  if (!stale || again === '' || approval.command !== 'deploy') return undefined;
  const args = z.record(z.string(), z.unknown()).parse(JSON.parse(again));
  return runButtonIfFits({ text: 'Ask again', command: 'deploy', args });
}

const mostNamed = 5;

/** `one other maintainer`, or the people by name if the policy names them. */
export function decidersOf({ policy, requester }: Pick<Approval, 'policy' | 'requester'>): Mrkdwn {
  const { users, groups, teams, needed, requesterCounts } = policy;
  const role = roleIn(policy.roles);
  const named = users.filter((user) => requesterCounts || user !== requester.user);
  const few = named.length > 0 && named.length <= mostNamed;
  if (role === undefined && groups.length + teams.length === 0 && few)
    return join(
      named.map((user) => mention(user)),
      ', ',
    );
  return md`${policyWords({ approve: role ?? { users, groups, teams }, count: needed, requesterCounts })}`;
}

export function stateOf(approval: Approval): ApprovalState {
  if (approval.state === 'open') return 'pending';
  if (approval.state === 'approved') return 'running';
  // Bellows itself withdraws only when what was shown no longer holds.
  if (approval.state === 'withdrawn' && approval.result) return 'changed';
  if (approval.state === 'failed' && approval.result?.refused) return 'refused';
  return approval.state;
}
