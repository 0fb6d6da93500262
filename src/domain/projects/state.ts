import type { Context } from '../../chat/context.js';
import { type Request, request } from '../../chat/request.js';
import { possible } from '../../forge/possible.js';
import type { Project } from '../../forge/schemas/project.js';
import { type ProjectRef, projectName } from './reference.js';

type State = 'open' | 'closed';

const edit = (ref: ProjectRef, state: State) => request('projects.editInRepo', { ...ref, body: { state } });

export const planState = (ref: ProjectRef, state: State): readonly Request[] => [edit(ref, state)];

/** Can be undone for a while, if the server can say whether it is still the same. */
export async function changeState(ref: ProjectRef, state: State, context: Context): Promise<Project> {
  const before = await possible(context.api.projects.getInRepo(ref));
  const changed = await context.api.projects.editInRepo({ ...ref, body: { state } });
  if (before && before.state !== state) {
    context.offerUndo({
      says: `${before.state === 'open' ? 'Reopened' : 'Closed'} project ${projectName(ref)} again.`,
      request: edit(ref, before.state),
      guard: { request: request('projects.getInRepo', ref), expect: { id: before.id, state } },
    });
  }
  return changed;
}
