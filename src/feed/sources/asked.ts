import { type Api, ApiError, type CallOptions, type Page } from '../../forge/index.js';
import { possible, unlessAbsent } from '../../forge/possible.js';
import type { Issue } from '../../forge/schemas/issue.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import type { ItemsRequest } from './items.js';
import type { RunsRequest } from './runs.js';

const active = ['queued', 'in_progress', 'waiting'] as const;

/** Runs in the form the steps need. */
export async function askRuns(
  api: Api,
  repo: { owner: string; repo: string },
  request: RunsRequest,
  options: CallOptions = {},
): Promise<Page<WorkflowRun>> {
  if (request.want === 'one') {
    const asking = api.runs.get({ ...repo, run: request.run });
    const run = await unlessStrange(possible(unlessAbsent(asking)), options);
    return { items: run ? [run] : [], total: undefined, hasMore: false };
  }
  const { page, limit } = request;
  const query = { page, limit, ...(request.want === 'active' && { status: [...active] }) };
  return api.runs.list({ ...repo, query }, options);
}

export const askItems = (
  api: Api,
  owner: string,
  { page, limit, since, labels, type }: ItemsRequest,
  options: CallOptions = {},
): Promise<Page<Issue>> =>
  api.issues.search(
    {
      query: {
        owner,
        state: 'open',
        page,
        limit,
        ...(since && { since }),
        ...(labels && { labels: labels.join(',') }),
        ...(type && { type }),
      },
    },
    options,
  );

/** A run of unknown shape is no longer followed: it would stop all the others. */
async function unlessStrange<T>(call: Promise<T>, { strange }: CallOptions): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.strange) throw error;
    strange?.(error.message);
    return undefined;
  }
}
