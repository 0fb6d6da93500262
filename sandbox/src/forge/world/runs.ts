import { cancel, forceCancel } from '../acts/cancel.js';
import { rerun } from '../acts/rerun.js';
import { addRunner, type NewRunner, removeRunner, setRunner } from '../acts/runners.js';
import { type NewRun, queueRun, report, takeJob } from '../acts/runs.js';
import { plantWorkflow } from '../acts/workflows.js';
import { type Conclusion, currentJobs, isDone, type Job, type Run, type Runner } from '../state/actions.js';
import { person, repository } from '../state/find.js';
import type { State } from '../state/state.js';
import type { By } from './issues.js';

export const runVerbs = (state: State) => {
  function runAt(id: number): Run {
    const run = state.runs.get(id);
    if (run === undefined) throw new Error(`The sandbox forge has no run ${id}.`);
    return run;
  }

  function runnerNamed(name: string): Runner {
    const runner = [...state.runners.values()].find((each) => each.name === name);
    if (runner === undefined) throw new Error(`The sandbox forge has no runner ${name}.`);
    return runner;
  }

  const queue = (what: By & NewRun): Run => queueRun(state, person(state, what.as), repository(state, what.repo), what);

  return {
    queueRun: queue,

    /** Queued and taken at once by any matching runner. */
    startRun: (what: By & NewRun): Run => {
      const run = queue(what);
      for (const runner of state.runners.values()) takeJob(state, runner, run);
      return run;
    },

    takeJob: (what: { readonly runner: string; readonly run?: number }): Job | undefined =>
      takeJob(state, runnerNamed(what.runner), what.run === undefined ? undefined : runAt(what.run)),

    /** Ends every unfinished job this way; those nobody took get a made-up runner first. */
    finishRun: (what: { readonly run: number; readonly conclusion: Conclusion }): void => {
      const run = runAt(what.run);
      for (let open = firstOpen(run); open !== undefined; open = firstOpen(run)) report(state, open, what.conclusion);
    },

    finishJob: (what: { readonly job: number; readonly conclusion: Conclusion }): boolean => {
      const job = state.jobs.get(what.job);
      return job !== undefined && report(state, job, what.conclusion);
    },

    /** The runner's output: `filler` irrelevant bytes, then the text. */
    writeLog: (what: { readonly job: number; readonly text: string; readonly filler?: number }): void => {
      const job = state.jobs.get(what.job);
      if (job !== undefined) job.log = { filler: what.filler ?? 0, text: what.text };
    },

    /** Its runner stops responding: a regular cancel will wait forever. */
    freezeRun: (what: { readonly run: number }): void => {
      runAt(what.run).stuck = true;
    },

    cancelRun: (what: { readonly run: number }): void => cancel(state, runAt(what.run)),
    forceCancelRun: (what: { readonly run: number }): void => forceCancel(state, runAt(what.run)),
    rerun: (what: { readonly run: number; readonly as: string }): void =>
      rerun(state, person(state, what.as), runAt(what.run)),

    /** A runner reports after the end; false means that it was ignored. */
    reportLate: (what: { readonly run: number; readonly conclusion: Conclusion }): boolean =>
      currentJobs(runAt(what.run))
        .map((job) => report(state, job, what.conclusion))
        .some((heard) => heard),

    /** A workflow file that exists on every branch. */
    plantWorkflow: (what: { readonly repo: string; readonly file: string; readonly text: string }): void =>
      plantWorkflow(repository(state, what.repo), what.file, what.text),

    addRunner: (what: NewRunner): Runner => addRunner(state, what),
    runnerGone: (what: { readonly runner: string }): void =>
      setRunner(state, runnerNamed(what.runner), { online: false }),
    runnerBack: (what: { readonly runner: string }): void =>
      setRunner(state, runnerNamed(what.runner), { online: true }),
    removeRunner: (what: { readonly runner: string }): void => removeRunner(state, runnerNamed(what.runner)),
  };
};

const firstOpen = (run: Run): Job | undefined =>
  currentJobs(run).find((job) => !isDone(job.status) && job.status !== 'blocked') ??
  currentJobs(run).find((job) => !isDone(job.status));
