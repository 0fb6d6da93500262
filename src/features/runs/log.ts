import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { flag, number, optional, text, trailing } from '../../chat/fields.js';
import { fullName, type RunRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { gather } from '../../forge/index.js';
import { excerptOf, type LogExcerpt } from '../../forge/log-excerpt.js';
import { unlessAbsent } from '../../forge/possible.js';
import type { WorkflowJob } from '../../forge/schemas.js';
import { actions, preformat, context as quiet, section } from '../../view/blocks.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { runState } from '../../view/state.js';
import { bold, code, join, link, md } from '../../view/text.js';
import { exactly, meantRun, type WrittenRun, writtenRun } from './read.js';
import { hasFailed, jobNamed } from './restart.js';

const mostJobs = 200;

interface JobLog {
  readonly job: WorkflowJob;
  /** Undefined: the server keeps none, or no longer has it. */
  readonly log: LogExcerpt | undefined;
  /** Other failed jobs. */
  readonly others: readonly WorkflowJob[];
}

/** The failing step if the log names none: the last one that started. */
function lastBegun({ steps }: WorkflowJob): string | undefined {
  const begun = steps.filter(({ started_at, conclusion }) => started_at && conclusion !== 'skipped');
  return begun.at(-1)?.name.replace(/^Run /, '');
}

async function logOfJob(ref: RunRef, job: WorkflowJob, most: number, { api }: Context) {
  const { owner, repo } = ref;
  const found = await unlessAbsent(api.runs.jobLog({ owner, repo, job_id: job.id }));
  if (!found) return undefined;
  const log = excerptOf(found.text, { most, whole: found.whole });
  return { ...log, step: log.step ?? (hasFailed(job) ? lastBegun(job) : undefined) };
}

/** Of the requested job, or of the first failed one. */
export async function logOf(ref: RunRef, name: string | undefined, most: number, context: Context): Promise<JobLog> {
  if (name !== undefined) {
    const job = await jobNamed(ref, name, context);
    return { job, log: await logOfJob(ref, job, most, context), others: [] };
  }
  const jobs = await gather(context.api.runs.listJobs.each(ref, { max: mostJobs }));
  const failed = jobs.filter(({ conclusion }) => conclusion === 'failure');
  const job = failed[0] ?? jobs.find(hasFailed) ?? jobs[0];
  if (!job) throw new UserError('This run has no jobs yet.');
  return { job, log: await logOfJob(ref, job, most, context), others: failed.slice(1) };
}

interface LogWanted {
  readonly run: WrittenRun;
  readonly job?: string | undefined;
  readonly lines?: number | undefined;
}

const usual = 20;

const mostLines = 60;

const findMeantRun = ({ run, job, lines }: LogWanted, context: Context) =>
  meantRun(run, { verb: 'Show log of', command: 'run log', args: { job, lines } }, context);

/** The last lines that fit one block. */
export function fitting(lines: readonly string[], room = 2_800): string {
  const kept: string[] = [];
  let size = 0;
  for (const line of [...lines].reverse()) {
    size += line.length + 1;
    if (size > room) break;
    kept.unshift(line);
  }
  return kept.join('\n');
}

const planLog = async (wanted: LogWanted, context: Context) => [
  request('runs.listJobs', await findMeantRun(wanted, context)),
];

async function readLog(wanted: LogWanted, context: Context) {
  const { job, lines = usual } = wanted;
  const ref = await findMeantRun(wanted, context);
  return { ref, ...(await logOf(ref, job, lines, context)) };
}

function logMessage(
  { ref, job, log, others }: Awaited<ReturnType<typeof readLog>>,
  { job: named, lines = usual }: LogWanted,
  { forge }: Context,
) {
  const page = job.html_url || `${forge.web}/${fullName(ref)}/actions`;
  const at = log?.step === undefined ? md`` : md` at ${bold(log.step)}`;
  const head = md`${runState(job)} ${link(page, job.name)}${at}`;
  const shown = log && log.lines.length > 0 ? preformat(fitting(log.lines)) : undefined;
  const none = log ? 'The log is empty.' : 'No log: the job was never started, or its log was deleted.';
  const more =
    log?.more && lines < mostLines
      ? turnButton({
          text: 'Show more',
          command: 'run log',
          args: { run: exactly(ref), ...(named !== undefined && { job: named }), lines: mostLines },
        })
      : undefined;
  const also = join(
    others.slice(0, 5).map(({ name }) => code(name)),
    ', ',
  );
  return message({
    blocks: [
      section(head),
      shown ?? section(md`${none}`),
      quiet([fullName(ref), also.empty ? undefined : md`also failed: ${also}`]),
      actions(more, openButton(page)),
    ],
  });
}

export const runLog = command({
  name: 'run log',
  title: 'Show log',
  summary: 'Show why a run failed: the end of its failing step',
  examples: ['run log acme/engine#123', 'run log acme/engine#123 build'],
  fields: {
    run: writtenRun(),
    job: optional(trailing(text({ label: 'Job', hint: 'Leave empty for the first job that failed.', max: 255 }))),
    lines: flag({ ...number({ label: 'Lines', max: mostLines }), label: '' }),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['runs.jobLog', 'runs.listJobs', 'runs.get', 'runs.list'],
  needs: ['runs.jobLog', 'runs.listJobs'],
  plan: planLog,
  run: readLog,
  reply: logMessage,
});
