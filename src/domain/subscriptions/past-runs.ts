import { overlapMs } from '../../feed/diff.js';
import type { Event } from '../../feed/event.js';
import { pollRuns, type RunsRequest } from '../../feed/sources/runs.js';
import { type Api, isHidden, type Page } from '../../forge/index.js';
import { isUnseen } from '../../forge/possible.js';
import type { Repository } from '../../forge/schemas/repository.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { splitFullName } from '../../full-name.js';

const mostPages = 20;
const nothing: Page<WorkflowRun> = { items: [], total: undefined, hasMore: false };

/** Workflow runs that ended since then, as the events the worker would have made. */
export async function runEvents(repo: Repository, since: number, api: Api): Promise<readonly Event[]> {
  const of = { id: repo.id, fullName: repo.full_name, url: repo.html_url, hidden: isHidden(repo) };
  const steps = pollRuns('preview', of, { v: 1, time: since + overlapMs, seen: {} }, { now: since, cap: mostPages });
  let step = steps.next();
  while (!step.done) step = steps.next(await ask(repo, step.value, api));
  return step.value.events;
}

async function ask(repo: Repository, request: RunsRequest, api: Api): Promise<Page<WorkflowRun>> {
  if (request.want !== 'newest') return nothing;
  const { owner, repo: name } = splitFullName(repo.full_name);
  const { page, limit } = request;
  try {
    return await api.runs.list({ owner, repo: name, query: { page, limit } });
  } catch (error) {
    // a repository or a server without workflows, or a person who may not see them
    if (isUnseen(error)) return nothing;
    throw error;
  }
}
