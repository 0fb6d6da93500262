import { runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef, type RunRef } from '../../chat/references.js';
import { Told } from '../../chat/told.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { failureCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { link, type Mrkdwn, md } from '../../view/text.js';
import { possible } from '../possible.js';
import { isDone, readRun } from './read.js';
import { exactly, type WrittenRun } from './written.js';

const mostRead = 500;

/** Another run, which the forge's pages show under the number that is this one's id. */
export async function namesakeOf(ref: WrittenRun, { api }: Context): Promise<WorkflowRun | undefined> {
  const { owner, repo, run, byHand } = ref;
  if (!byHand) return undefined;
  const query = { exclude_pull_requests: true };
  const look = async () => {
    for await (const each of api.runs.list.each({ owner, repo, query }, { max: mostRead })) {
      // Newest first, and both numbers only grow.
      if (each.run_number <= run) return each.run_number === run && each.id !== run ? each : undefined;
    }
    return undefined;
  };
  return possible(look());
}

export const nameOf = (run: WorkflowRun, at: RepositoryRef): Mrkdwn =>
  link(run.html_url, `${fullName(at)}#${run.id} ${run.display_title}`);

interface Doing {
  readonly verb: string;
  readonly command: string;
}

/** Which of the two is meant, only the person knows: nothing is done to either before they choose. */
export async function refuseNamesakes(refs: readonly WrittenRun[], doing: Doing, context: Context): Promise<void> {
  for (const ref of refs) {
    const other = await namesakeOf(ref, context);
    if (!other) continue;
    throw whichOf(ref, await ifThere(ref, context), other, refs.length === 1 ? doing : undefined);
  }
}

async function ifThere(ref: WrittenRun, context: Context): Promise<WorkflowRun | undefined> {
  try {
    return await readRun(exactly(ref), context);
  } catch (error) {
    if (isNone(error)) return undefined;
    throw error;
  }
}

/** No run has that id, as the forge says or as its list shows. */
export const isNone = (error: unknown) =>
  error instanceof UserError || (error instanceof ApiError && error.kind === 'notFound' && !error.unsupported);

export function whichOf(
  ref: RunRef,
  typed: WorkflowRun | undefined,
  other: WorkflowRun,
  doing: Doing | undefined,
): Told {
  const listed = md`The forge’s pages show ${nameOf(other, ref)} as number ${ref.run}.`;
  const says = typed
    ? md`${ref.run} may mean two runs, so nothing was sent. The id ${ref.run} is ${nameOf(typed, ref)}. ${listed}`
    : md`${fullName(ref)} has no run with the id ${ref.run}. ${listed}`;
  const chosen = doing ? [typed, other].flatMap((run) => (run ? choose(run, ref, doing) : [])) : [];
  const next =
    chosen.length > 0
      ? 'Choose the one you mean.'
      : 'Check the numbers. If they are ids, give the first run by its web address.';
  return new Told(message({ blocks: failureCard({ says, next, buttons: chosen }) }));
}

function choose(run: WorkflowRun, { owner, repo }: RepositoryRef, { verb, command }: Doing) {
  if (isDone(run) && command !== 'run show') return [];
  return [runButton({ text: `${verb} ${run.display_title}`, command, args: { run: { owner, repo, run: run.id } } })];
}
