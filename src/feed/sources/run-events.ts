import type { WorkflowRun } from '../../forge/schemas/run.js';
import { workflowFile } from '../../workflow-file.js';
import type { Row } from '../diff.js';
import type { Event, EventOf, Outcome, RepoRef, RunFacts } from '../event.js';
import { actorOf, runThread } from '../item.js';
import type { Track } from '../mark.js';
import { trackKey, transition } from '../transitions.js';

export type RunRow = Row & { readonly run: WorkflowRun };
type RunKind = Extract<Event['kind'], `runs:${string}`>;

const outcomes: ReadonlySet<string> = new Set(['failure', 'success', 'cancelled', 'skipped'] satisfies Outcome[]);
export const isOutcome = (word: string | undefined): word is Outcome => word !== undefined && outcomes.has(word);

export const ended = (run: WorkflowRun): boolean => run.status === 'completed';

interface About {
  /** Within its source. */
  readonly id: string;
  readonly at: string;
  readonly facts?: Partial<RunFacts>;
  /** The run whose thread it belongs to, if that is another one. */
  readonly under?: number | undefined;
}

export function runEvent<K extends RunKind>(
  source: string,
  repo: RepoRef,
  kind: K,
  run: WorkflowRun,
  { id, at, facts, under = run.id }: About,
): Omit<EventOf<RunKind>, 'kind'> & { readonly kind: K } {
  const item = {
    kind: 'run',
    number: run.run_number,
    title: run.display_title,
    url: run.html_url,
    thread: runThread(under),
  } as const;
  const plain: RunFacts = {
    id: run.id,
    attempt: run.run_attempt,
    number: run.run_number,
    workflow: workflowFile(run.path),
    branch: run.head_branch,
    sha: run.head_sha,
    trigger: run.event,
    ...facts,
  };
  const actor = actorOf(run.trigger_actor ?? run.actor);
  return { v: 1, id: `${source}:${id}`, source, at, kind, repo, actor, item, run: plain };
}

/** A finished run, and whether it changed its branch's color. */
export function resultOf(
  source: string,
  repo: RepoRef,
  { id, at, run }: RunRow,
  tracks: Record<string, Track>,
  mainBranch?: string,
): Event | undefined {
  if (!isOutcome(run.conclusion)) return undefined;
  const main = mainBranch !== undefined && run.head_branch === mainBranch;
  const when = new Date(at).toISOString();
  const key = trackKey(workflowFile(run.path), run.head_branch);
  const step = transition(tracks[key], {
    id: run.id,
    workflow: workflowFile(run.path),
    branch: run.head_branch,
    outcome: run.conclusion,
    at: when,
    sha: run.head_sha,
    number: run.run_number,
    url: run.html_url,
  });
  if (step.track) tracks[key] = step.track;
  const seconds =
    run.started_at && run.completed_at ? (run.completed_at.getTime() - run.started_at.getTime()) / 1_000 : undefined;
  const facts = {
    ...(seconds !== undefined && seconds >= 0 && { seconds }),
    ...(step.transition && { transition: step.transition }),
    ...(main && { main }),
  };
  // a fix belongs to the thread of the run that broke the branch, and so do further failures on the default branch
  const stillRed = main && !step.transition && run.conclusion === 'failure' ? step.track?.run : undefined;
  const under = step.transition?.since ?? stillRed;
  return runEvent(source, repo, `runs:${run.conclusion}`, run, { id, at: when, facts, under });
}
