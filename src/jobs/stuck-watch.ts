import { gatherer } from '../domain/runs/evidence.js';
import type { Event } from '../feed/event.js';
import type { Poll } from '../feed/sources/poll.js';
import { runEvent } from '../feed/sources/run-events.js';
import { type Polled, sourceKey } from '../feed/sources/source.js';
import type { WorkflowRun } from '../forge/schemas/run.js';
import type { FeedDeps } from './feed-deps.js';

const everyMs = 2 * 60_000;
/** Nothing counts as stuck before this. */
const youngMs = 2 * 60_000;
const mostRuns = 10;

const ageOf = ({ started_at, created_at }: WorkflowRun, now: number): number =>
  now - ((started_at ?? created_at)?.getTime() ?? now);

/** Examines unfinished runs now and then, and reports each stuck one once. */
export async function withStuck(
  deps: FeedDeps,
  { source, about, mark: known, before }: Pick<Poll, 'source' | 'about' | 'mark' | 'before'>,
  polled: Polled,
): Promise<Polled> {
  if (source.kind !== 'runs' || !about.stuck || !known) return polled;
  const { service, has } = deps;
  const now = deps.forgeNow() ?? deps.now();
  const { memory = {} } = polled.mark;
  const reported: Record<string, number> = { ...memory.stuck };
  const suspects = (polled.open ?? [])
    .filter((run) => reported[run.id] !== run.run_attempt && ageOf(run, now) >= youngMs)
    .sort((a, b) => a.id - b.id)
    .slice(0, mostRuns);
  if (suspects.length === 0 || now - (memory.lookedAt ?? 0) < everyMs) return polled;
  const at = { owner: about.owner, repo: about.name ?? '' };
  const fullName = `${at.owner}/${at.repo}`;
  const repo = { id: source.id, fullName, url: about.url ?? '', hidden: about.hidden ?? true };
  const offers = {
    ...((await has('runs.cancel')) && { cancel: true as const }),
    ...((await has('runs.forceCancel')) && { force: true as const }),
  };
  const { symptoms: symptomsOf } = await gatherer({ api: service, now: new Date(now) });
  const events: Event[] = [];
  for (const run of suspects) {
    await before?.();
    const symptoms = await symptomsOf(at, run);
    if (symptoms.length === 0) continue;
    reported[run.id] = run.run_attempt;
    const what = { id: `${run.id}.${run.run_attempt}.stuck`, at: new Date(now).toISOString() };
    events.push(runEvent(sourceKey(source), repo, 'runs:stuck', run, { ...what, facts: { symptoms, offers } }));
  }
  const mark = { ...polled.mark, memory: { ...memory, stuck: reported, lookedAt: now } };
  return { ...polled, mark, events: [...polled.events, ...events] };
}
