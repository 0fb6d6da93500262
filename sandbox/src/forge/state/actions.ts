import type { User } from './people.js';
import type { Repo, WorkflowJobPlan } from './repo.js';

/** The forge's own words; what the API reports is in render/runs.ts. */
export type Status = 'waiting' | 'blocked' | 'running' | 'cancelling' | 'success' | 'failure' | 'cancelled' | 'skipped';

export type Conclusion = 'success' | 'failure' | 'cancelled' | 'skipped';

export interface Runner {
  readonly id: number;
  readonly name: string;
  readonly uuid: string;
  readonly token: string;
  online: boolean;
  disabled: boolean;
  readonly ephemeral: boolean;
  readonly labels: string[];
  /** Can confirm a cancel: then a regular cancel waits for it. */
  confirms: boolean;
  /** Played from outside by the runner RPC: the sandbox never answers for it. */
  readonly external: boolean;
}

export interface Job {
  readonly id: number;
  readonly run: Run;
  readonly attempt: number;
  /** The attempt whose result it keeps, if it was not run again. */
  keptFrom?: number;
  readonly plan: WorkflowJobPlan;
  status: Status;
  runner: Runner | undefined;
  readonly created: number;
  started: number;
  completed: number;
  /** As written by its runner; undefined: what its steps would have written. */
  log: JobLog | undefined;
}

export interface JobLog {
  /** This many irrelevant bytes come first. */
  readonly filler: number;
  readonly text: string;
}

export interface Run {
  readonly id: number;
  readonly repo: Repo;
  readonly number: number;
  title: string;
  readonly workflow: string;
  readonly event: string;
  /** Empty if a tag was run. */
  readonly branch: string;
  readonly ref: string;
  /** For a manually started run. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly sha: string;
  readonly actor: User;
  triggeredBy: User;
  attempt: number;
  status: Status;
  /** From a fork: none of its jobs is taken before it is approved. */
  approval: 'none' | 'needed' | 'given';
  /** Its runner no longer responds. */
  stuck: boolean;
  readonly created: number;
  updated: number;
  started: number;
  completed: number;
  /** Of every attempt, oldest first. */
  readonly jobs: Job[];
}

export const isDone = (status: Status): status is Conclusion =>
  status === 'success' || status === 'failure' || status === 'cancelled' || status === 'skipped';

/** The jobs of the current attempt. */
export const currentJobs = (run: Run): Job[] => run.jobs.filter((job) => job.attempt === run.attempt);
