import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { flag, number, optional, text, trailing } from '../../chat/fields/index.js';
import { fullName } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { logOf } from '../../domain/runs/log-of.js';
import { meantRun } from '../../domain/runs/meant-run.js';
import { exactly, writtenRun } from '../../domain/runs/written.js';
import { actions, preformatted, context as quiet, section } from '../../view/blocks.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { runState } from '../../view/state.js';
import { bold, code, link, md } from '../../view/text.js';

const usual = 20;
const most = 60;
const doing = { verb: 'Show log of', command: 'run log' } as const;

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

export const runLog = command({
  name: 'run log',
  summary: 'Show why a run failed: the end of its failing step',
  examples: ['run log acme/engine#123', 'run log acme/engine#123 build'],
  fields: {
    run: writtenRun(),
    job: optional(trailing(text({ label: 'Job', hint: 'Left out: the first job that failed.', max: 255 }))),
    lines: flag({ ...number({ label: 'Lines', max: most }), label: '' }),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['runs.jobLog', 'runs.listJobs', 'runs.get', 'runs.list'],
  needs: ['runs.jobLog', 'runs.listJobs'],
  plan: async ({ run }, context) => [request('runs.listJobs', await meantRun(run, doing, context))],
  async run({ run, job, lines = usual }, context) {
    const ref = await meantRun(run, doing, context);
    return { ref, ...(await logOf(ref, job, lines, context)) };
  },
  reply({ ref, job, log, others }, { job: named, lines = usual }, { forge }) {
    const page = job.html_url || `${forge.web}/${fullName(ref)}/actions`;
    const at = log?.step === undefined ? md`` : md` at ${bold(log.step)}`;
    const head = md`${runState(job)} ${link(page, job.name)}${at}`;
    const shown = log && log.lines.length > 0 ? preformatted(fitting(log.lines)) : undefined;
    const none = log ? 'The log is empty.' : 'No log: the job was never started, or its log was deleted.';
    const more =
      log?.more && lines < most
        ? turnButton({
            text: 'Show more',
            command: 'run log',
            args: { run: exactly(ref), ...(named !== undefined && { job: named }), lines: most },
          })
        : undefined;
    const also = others.map(({ name }) => code(name)).slice(0, 5);
    return message({
      blocks: [
        section(head),
        shown ?? section(md`${none}`),
        quiet([fullName(ref), ...(also.length > 0 ? [md`also failed: `, ...also] : [])]),
        actions(more, openButton(page)),
      ],
    });
  },
});
