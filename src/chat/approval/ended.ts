import type { Approval, ApprovalState } from '../../store/index.js';
import { say } from '../../view/message.js';
import { coded, join, type Mrkdwn, md, mentionOf } from '../../view/text.js';
import type { ApprovalDeps } from '../runtime.js';
import { publish } from './publish.js';
import { approversOf, auditedArgs } from './readied.js';
import { Shown, wishOf } from './shown.js';

/** Tells card, requester and audit how it ended; safe to retry, announced once. */
export async function announce(deps: ApprovalDeps, id: string): Promise<void> {
  const { store } = deps.services;
  const approval = await store.approvals.get(id);
  if (!approval) return;
  const end = endOf(approval);
  if (end?.why !== undefined && (await store.jobs.mark(`approval-${id}`, 'reported'))) {
    await deps.record({
      person: { team: approval.requester.team, user: approval.requester.user },
      agent: approval.agent,
      login: approval.requester.login ?? '',
      command: approval.command,
      args: await auditedArgs(deps, approval),
      operations: [],
      outcome: 'refused',
      detail: end.why,
      durationMs: 0,
      approval: { id, approvers: approversOf(approval) },
    });
  }
  if (end) await deps.tell(approval.requester, say(end.words), `approval-${id}`);
  await publish(deps, approval);
}

interface End {
  readonly words: Mrkdwn;
  /** For the audit when nothing was run: by whom and why. */
  readonly why?: string;
}

/** Undefined while it is open, and after a run, which reports its own result. */
function endOf(approval: Approval): End | undefined {
  const wish = wishOf(Shown.parse(approval.shown));
  const yours = yoursIn(approval);
  const reason = approval.result?.summary;
  const ends: Partial<Record<ApprovalState, () => End>> = {
    denied: () => {
      const deny = approval.decisions.find(({ verdict }) => verdict === 'deny');
      const by = deny ? mentionOf(deny.by) : md`Someone`;
      const why = `denied by ${deny?.by.user ?? 'unknown'}`;
      if (deny?.note === undefined) return { words: md`${by} denied ${yours} to ${wish}.`, why };
      return { words: md`${by} denied ${yours} to ${wish}: ${deny.note}`, why: `${why}: ${deny.note}` };
    },
    withdrawn: () =>
      reason === undefined
        ? { words: md`You withdrew ${yours} to ${wish}.`, why: 'withdrawn by the requester' }
        : {
            words: md`${yoursIn(approval, true)} to ${wish} was not run: ${coded(reason)}`,
            why: `withdrawn: ${reason}`,
          },
    expired: () => ({
      words: md`Nobody decided on ${yours} to ${wish} in time, so it was not run. Run it again if you still need it.`,
      why: 'expired without a decision',
    }),
  };
  return ends[approval.state]?.();
}

const yoursIn = ({ agent }: Approval, opens = false): Mrkdwn =>
  agent ? md`${opens ? 'The' : 'the'} request of your agent ${agent.name}` : md`${opens ? 'Your' : 'your'} request`;

const results = { done: '.', failed: ', but it failed.', refused: ', but it was not run:', unknown: '.' } as const;

/** What the requester reads after approval. */
export function resultWords(approval: Approval, outcome: keyof typeof results, summary: string): Mrkdwn {
  const wish = wishOf(Shown.parse(approval.shown));
  const by = join(approversOf(approval).map(mentionOf), ', ');
  return md`${by} approved ${yoursIn(approval)} to ${wish}${results[outcome]} ${coded(summary)}`;
}
