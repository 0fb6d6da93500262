import { suits } from './forge/acts/runs.js';
import type { SandboxForge } from './forge/index.js';
import { currentJobs, type Run } from './forge/state/actions.js';

type Forge = Pick<SandboxForge, 'world'>;

const startSeconds = 2;
const jobSeconds = 6;
const lookEveryMs = 500;

/** Runs that make progress, oldest first: not stuck, and nobody has to approve them or bring a runner. */
export function runsUnderWay({ world: { state } }: Forge): Run[] {
  const runners = [...state.runners.values()];
  return [...state.runs.values()].filter(
    (run) =>
      !run.stuck &&
      run.approval !== 'needed' &&
      currentJobs(run).some((job) => job.status === 'running' || runners.some((runner) => suits(runner, job))),
  );
}

/** What the runners have done by now: each job starts a moment after it may, and succeeds a little later. */
export function moveRuns(forge: Forge): void {
  const { world } = forge;
  const now = world.state.now();
  for (const run of runsUnderWay(forge)) {
    for (const job of currentJobs(run).filter(({ status }) => status === 'running')) {
      if (now - job.started >= jobSeconds) world.finishJob({ job: job.id, conclusion: 'success' });
    }
    // Looked at last: a job that just ended makes the next one wait its turn.
    if (now - run.updated < startSeconds) continue;
    for (const { name } of world.state.runners.values()) world.takeJob({ runner: name, run: run.id });
  }
}

/** Nobody would finish a visitor's deployment otherwise. Returns a function that stops it. */
export function paceRuns(forge: Forge): () => void {
  const timer = setInterval(() => moveRuns(forge), lookEveryMs).unref();
  return () => clearInterval(timer);
}
