import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { request } from '../../chat/request.js';
import { ifAnswered } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas.js';
import { context as quiet } from '../../view/blocks.js';
import { jobCard, runName } from '../../view/cards/run.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { link, md } from '../../view/text.js';
import { isCancelling } from './cancelling.js';
import {
  cancelButton,
  exactly,
  forceButton,
  ifThere,
  logButton,
  otherRunNumbered,
  pageButton,
  readRun,
  rerunButton,
  runAt,
  runBlocks,
  showButton,
  type WrittenRun,
  writtenRun,
} from './read.js';

const mostJobs = 20;

const doing = { verb: 'Show', command: 'run show' } as const;

/** The number is the one on the forge's pages; if it is another run's id as well, that one is offered too. */
async function findShown(
  ref: WrittenRun,
  context: Context,
): Promise<{ run: WorkflowRun; other?: WorkflowRun | undefined }> {
  if (ref.pasted) return { run: await runAt(ref, context, doing) };
  const numbered = await otherRunNumbered(ref, context);
  if (numbered) return { run: numbered, other: await ifThere(ref, context) };
  return { run: await readRun(exactly(ref), context) };
}

async function readWithJobs(ref: WrittenRun, context: Context) {
  const { api, forge } = context;
  const { run, other } = await findShown(ref, context);
  const jobs = await ifAnswered(api.runs.listJobs({ ...exactly(ref), run: run.id, query: { limit: 50 } }));
  const cancelling = (await ifAnswered(isCancelling(ref, run, api))) ?? false;
  const mayForce = cancelling && (await forge.capabilities.has('runs.forceCancel'));
  return { run, jobs: jobs?.items ?? [], all: jobs?.total ?? jobs?.items.length ?? 0, cancelling, mayForce, other };
}

const planShow = async ({ run: ref }: { readonly run: WrittenRun }, context: Context) => {
  const { run } = await findShown(ref, context);
  return [request('runs.get', { ...exactly(ref), run: run.id })];
};

function shownMessage(
  { run, jobs, all, cancelling, mayForce, other }: Awaited<ReturnType<typeof readWithJobs>>,
  { run: ref }: { readonly run: WrittenRun },
  { now }: Context,
) {
  const notes = [
    ...(cancelling ? ['Cancel requested; waiting for the runner to confirm.'] : []),
    ...(other ? [md`Or did you mean ${runName(other)}?`] : []),
  ];
  const end = cancelling ? (mayForce ? forceButton(run, ref) : undefined) : cancelButton(run, ref);
  const buttons = [
    end,
    rerunButton(run, ref),
    other ? undefined : logButton(run, ref),
    other && showButton(other, ref, `Show ${other.display_title}`),
    pageButton(run),
  ];
  const blocks = runBlocks(run, ref, { now, notes, buttons });
  const controls = blocks.filter((block) => block.type === 'actions');
  const words = blocks.filter((block) => block.type !== 'actions');
  const shown = jobs.slice(0, mostJobs);
  const rest = all - shown.length;
  const more = rest > 0 ? quiet([link(run.html_url, `${count(rest, 'more job')} on the forge`)]) : undefined;
  const rows = shown.flatMap((job) => jobCard(job, { now, style: 'row' }));
  return message({ blocks: [...words, ...rows, ...(more ? [more] : []), ...controls] });
}

export const runShow = command({
  name: 'run show',
  summary: 'Show a workflow run with its jobs',
  examples: ['run show acme/engine#123'],
  fields: { run: writtenRun() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['runs.get', 'runs.list', 'runs.listJobs'],
  needs: ['runs.list'],
  plan: planShow,
  run: ({ run }, context) => readWithJobs(run, context),
  reply: shownMessage,
});
