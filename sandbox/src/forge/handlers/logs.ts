import { type Answer, notFound } from '../http/answer.js';
import type { Handler } from '../http/call.js';
import { readable } from '../http/guard.js';
import type { Job, JobLog } from '../state/actions.js';

const stamp = (seconds: number) => new Date(seconds * 1000).toISOString().replace('Z', '0000Z');

/** What a job's steps would have written; a failed one's last step says why. */
function usual({ plan, status, started }: Job): string {
  const rows = plan.steps.flatMap((step, at) => {
    const broke = status === 'failure' && at === plan.steps.length - 1;
    const said = broke ? [`\u001B[31mError: ${step} failed\u001B[0m`, `    at ${step}:12`] : [`${step}: done`];
    return [`⭐ Run Main ${step}`, ...said, broke ? `❌  Failure - Main ${step}` : `✅  Success - Main ${step}`];
  });
  const end = status === 'failure' ? ["exitcode '1': failure", '🏁  Job failed'] : ['🏁  Job succeeded'];
  return [...rows, ...end].map((row) => `${stamp(started)} ${row}\n`).join('');
}

const line = Buffer.from(`${stamp(0)} ${'.'.repeat(70)}\n`);
const block = Buffer.alloc(Math.floor(65_536 / line.length) * line.length, line);

/** Starting at a byte, without ever holding the whole. */
function* pieces({ filler, text }: JobLog, from: number): Generator<Buffer> {
  for (let at = from; at < filler; ) {
    const inside = at % block.length;
    const piece = block.subarray(inside, Math.min(block.length, inside + filler - at));
    yield piece;
    at += piece.length;
  }
  yield Buffer.from(text).subarray(Math.max(0, from - filler));
}

/** Served like a file: whole, or its end if requested. */
function served(log: JobLog, range: string | undefined): Answer {
  const size = log.filler + Buffer.byteLength(log.text);
  const wanted = /^bytes=-(\d+)$/.exec(range ?? '')?.[1];
  if (wanted === undefined) return { status: 200, pieces: { size, all: pieces(log, 0) } };
  const from = Math.max(0, size - Number(wanted));
  const headers = { 'content-range': `bytes ${from}-${size - 1}/${size}` };
  return { status: 206, headers, pieces: { size: size - from, all: pieces(log, from) } };
}

export const readLog: Handler<'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs'> = (call) => {
  const repo = readable(call);
  const job = call.state.jobs.get(call.params.job_id);
  if (job?.run.repo !== repo) throw notFound(`run job with id ${call.params.job_id}: resource does not exist`);
  if (job.started === 0 && job.log === undefined) throw notFound('job not started');
  return served(job.log ?? { filler: 0, text: usual(job) }, call.state.site.ignoresRange ? undefined : call.range);
};
