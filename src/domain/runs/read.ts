import type { Context } from '../../chat/context.js';
import { fullName, type RunRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { possible } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { workflowFile } from '../../workflow-file.js';

const mostRead = 500;

/** By id; servers that cannot read one run are searched among the latest. */
export async function readRun(ref: RunRef, { api }: Context): Promise<WorkflowRun> {
  const found = await possible(api.runs.get(ref));
  if (found) return found;
  const { owner, repo, run } = ref;
  for await (const each of api.runs.list.each({ owner, repo }, { max: mostRead })) if (each.id === run) return each;
  throw new UserError(
    `I can’t find run ${run} in the latest ${mostRead} runs of ${fullName(ref)}. Check the ID in its web address.`,
  );
}

/** For approval rules: the branch or tag it ran for. */
export const branchOf = async (ref: RunRef, context: Context) => (await readRun(ref, context)).head_branch;

/** The file name, on any branch. */
export const workflowOf = ({ path }: Pick<WorkflowRun, 'path'>) => workflowFile(path);

export const isDone = ({ status }: Pick<WorkflowRun, 'status'>) => status === 'completed';
