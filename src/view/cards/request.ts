// What would be or was sent to the forge: dry runs, approvals, the audit.
import type { KnownBlock } from '@slack/types';
import { type Blocks, context, type Fact, facts, list, type Pair, section } from '../blocks.js';
import { frame, type Look, when } from '../look.js';
import { bold, clip, code, join, type Mrkdwn, md, type Value } from '../text.js';
import { describeElapsed, type Instant } from '../when.js';

export interface SentRequest {
  /** `POST /repos/acme/engine/actions/runs/12/force-cancel` */
  readonly route: string;
  /** Body and query, without secrets. */
  readonly input?: readonly Pair[] | undefined;
}

/** One line per request, with its values below. */
export function requestLines(requests: readonly SentRequest[]): Mrkdwn[] {
  return requests.flatMap((request) => [
    code(clip(request.route, 500)),
    ...(request.input ?? []).map(([name, value]) => md`• ${name}: ${short(value)}`),
  ]);
}

function short(value: Value): Value {
  return typeof value === 'string' ? clip(value, 300) : value;
}

export interface DryRun {
  /** The command as it would be typed. */
  readonly command: string;
  readonly requests: readonly SentRequest[];
  /** Who may run it: `Only maintainers can run this.` */
  readonly who: string;
  /** `one other maintainer`; absent if it needs none. */
  readonly approval?: string | undefined;
  /** The rule that says so: `approvals.risky`; absent for the defaults. */
  readonly source?: string | undefined;
  readonly observed?: readonly Fact[] | undefined;
}

/** --dry-run: nothing was sent. */
export function dryRunCard(dryRun: DryRun): KnownBlock[] {
  const { requests } = dryRun;
  const blocks: Blocks = [
    section(md`🧪 Dry run of ${code(dryRun.command)}: nothing was changed.`),
    ...list(
      requests.length > 0
        ? [bold('It would send'), ...requestLines(requests)]
        : dryRun.observed
          ? []
          : [md`It would send nothing to the forge.`],
    ),
    ...facts(dryRun.observed ?? []),
    context([
      join(
        [
          dryRun.who,
          dryRun.approval === undefined ? 'No approval needed.' : `It needs approval by ${dryRun.approval}.`,
          dryRun.source && md`Rule: ${code(dryRun.source)}`,
        ],
        ' ',
      ),
    ]),
  ];
  return blocks.filter((block) => block !== undefined);
}

export interface AuditLike {
  readonly at: Instant;
  readonly who: Value;
  readonly command: string;
  readonly outcome: string;
  /** `acme/engine#12` */
  readonly target?: string | undefined;
  readonly milliseconds?: number | undefined;
  readonly approvedBy?: readonly Value[] | undefined;
}

const outcomes = new Map([
  ['asked', '🟠 Approval requested'],
  ['done', '✅ Done'],
  ['failed', '❌ Failed'],
  ['refused', '🚫 Refused'],
  ['unknown', '❓ Unknown'],
  ['forged', '🚨 Forged record refused'],
  ['without approval', '🚨 Deployed without approval'],
]);

export function auditRow(entry: AuditLike, look: Look): KnownBlock[] {
  const by = join(entry.approvedBy ?? [], ', ');
  return frame(
    {
      state: outcomes.get(entry.outcome) ?? `⚪ ${entry.outcome}`,
      subject: code(clip(entry.command, 500)),
      facts: [
        entry.target,
        entry.who,
        when(entry.at, look),
        by.empty ? undefined : md`approved by ${by}`,
        entry.milliseconds === undefined || entry.milliseconds < 1_000
          ? undefined
          : describeElapsed(entry.milliseconds),
      ],
    },
    { style: 'row', ...look },
  );
}
