import { turnButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { fullName } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { actions, preformatted, context as quiet, section } from '../../view/blocks.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { runState } from '../../view/state.js';
import { bold, code, join, link, md } from '../../view/text.js';
import { logOf } from './job-log.js';
import { meantRun } from './meant-run.js';
import { exactly, type WrittenRun } from './run-field.js';

interface LogWanted {
  readonly run: WrittenRun;
  readonly job?: string | undefined;
  readonly lines?: number | undefined;
}

const usual = 20;

export const mostLines = 60;

const meant = ({ run, job, lines }: LogWanted, context: Context) =>
  meantRun(run, { verb: 'Show log of', command: 'run log', reads: true, args: { job, lines } }, context);

/** The last lines that fit one block. */
function fitting(lines: readonly string[], room = 2_800): string {
  const kept: string[] = [];
  let size = 0;
  for (const line of [...lines].reverse()) {
    size += line.length + 1;
    if (size > room) break;
    kept.unshift(line);
  }
  return kept.join('\n');
}

export const planLog = async (wanted: LogWanted, context: Context) => [
  request('runs.listJobs', await meant(wanted, context)),
];

export async function readLog(wanted: LogWanted, context: Context) {
  const { job, lines = usual } = wanted;
  const ref = await meant(wanted, context);
  return { ref, ...(await logOf(ref, job, lines, context)) };
}

export function logMessage(
  { ref, job, log, others }: Awaited<ReturnType<typeof readLog>>,
  { job: named, lines = usual }: LogWanted,
  { forge }: Context,
) {
  const page = job.html_url || `${forge.web}/${fullName(ref)}/actions`;
  const at = log?.step === undefined ? md`` : md` at ${bold(log.step)}`;
  const head = md`${runState(job)} ${link(page, job.name)}${at}`;
  const shown = log && log.lines.length > 0 ? preformatted(fitting(log.lines)) : undefined;
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
