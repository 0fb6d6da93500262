import type { KnownBlock } from '@slack/types';
import { workflowFile } from '../../workflow-file.js';
import { by, frame, type Look, type Person, some, when } from '../look.js';
import { runState } from '../state.js';
import { code, link, type Mrkdwn, md } from '../text.js';
import { describeElapsed, type Instant, instant } from '../when.js';

export interface RunLike {
  readonly id: number;
  /** The number on the forge's pages; people read this one, commands take the id. */
  readonly run_number?: number | null | undefined;
  readonly run_attempt?: number | null | undefined;
  readonly display_title?: string | null | undefined;
  /** `file.yml@refs/heads/branch` */
  readonly path?: string | null | undefined;
  readonly event?: string | null | undefined;
  readonly status?: string | null | undefined;
  readonly conclusion?: string | null | undefined;
  readonly head_branch?: string | null | undefined;
  readonly head_sha?: string | null | undefined;
  readonly html_url?: string | null | undefined;
  readonly actor?: Person | null | undefined;
  readonly repository?: { readonly full_name: string } | null | undefined;
  readonly created_at?: Instant;
  readonly started_at?: Instant;
  readonly completed_at?: Instant;
}

const workflowOf = ({ path }: RunLike) => workflowFile(path ?? '');

/** The number people read. */
export const numberOf = ({ run_number, id }: Pick<RunLike, 'id' | 'run_number'>): number => run_number || id;

/** `Build and test, run 12`, linked. */
export function runName(run: RunLike): Mrkdwn {
  const number = `run ${numberOf(run)}`;
  const title = run.display_title || workflowOf(run);
  return link(run.html_url, title ? `${title}, ${number}` : number);
}

export function runCard(run: RunLike, look: Look): KnownBlock[] {
  return frame(
    {
      state: runState(run),
      subject: runName(run),
      facts: [
        run.repository?.full_name,
        run.head_branch ? code(run.head_branch) : undefined,
        workflowOf(run) || undefined,
        when(run.started_at ?? run.created_at, look),
        took(run, look.now),
        by(run.actor, look),
        run.run_attempt && run.run_attempt > 1 ? `attempt ${run.run_attempt}` : undefined,
      ],
    },
    look,
  );
}

export interface JobLike {
  readonly id: number;
  readonly name: string;
  readonly status?: string | null | undefined;
  readonly conclusion?: string | null | undefined;
  readonly html_url?: string | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
  readonly runner_name?: string | null | undefined;
  readonly started_at?: Instant;
  readonly completed_at?: Instant;
  readonly steps?:
    | readonly { readonly name: string; readonly conclusion?: string | null | undefined }[]
    | null
    | undefined;
}

export function jobCard(job: JobLike, look: Look): KnownBlock[] {
  const failed = (job.steps ?? []).filter((step) => step.conclusion === 'failure').map((step) => step.name);
  const labels = some((job.labels ?? []).map((label) => code(label)));
  return frame(
    {
      state: runState(job),
      subject: link(job.html_url, job.name || `job ${job.id}`),
      facts: [
        failed.length === 0 ? undefined : md`failed at ${some(failed)}`,
        job.runner_name ? `on ${job.runner_name}` : labels.empty ? undefined : md`needs ${labels}`,
        when(job.started_at, look),
        took(job, look.now),
      ],
    },
    look,
  );
}

function took(work: { readonly started_at?: Instant; readonly completed_at?: Instant }, now: Date): string | undefined {
  const from = instant(work.started_at);
  if (from === undefined) return undefined;
  const to = instant(work.completed_at);
  const ms = (to ?? now).getTime() - from.getTime();
  if (ms < 1_000) return undefined;
  const passed = describeElapsed(ms);
  return to === undefined ? `${passed} so far` : `took ${passed}`;
}
