import { z } from 'zod';
import { either } from '../forgejo/either.js';
import { fromForgejoRun } from '../forgejo/run.js';
import { RepositoryRef } from './repository.js';
import { Count, Id, listOf, maybe, Text, TimeOrUnset } from './scalar.js';
import { User } from './user.js';

const End = z.object({ ref: Text, sha: Text, repo: maybe(z.object({ id: Id })) });

const RunPull = z.object({
  id: Id,
  number: Id,
  url: Text,
  head: maybe(End),
  base: maybe(End),
});

const Run = z.object({
  id: Id,
  /** The number on the forge's pages. */
  run_number: Count,
  /** 0 marks a run from before attempts were recorded. */
  run_attempt: Count,
  previous_attempt_url: maybe(z.string()),
  display_title: Text,
  /** `file.yml@refs/heads/branch`. */
  path: Text,
  event: Text,
  /** queued, waiting, in_progress or completed; not the same words as the filter's. */
  status: Text,
  /** `success`, `failure`, `cancelled` or `skipped`, once completed. */
  conclusion: maybe(z.string()),
  head_sha: Text,
  head_branch: Text,
  html_url: Text,
  actor: maybe(User),
  trigger_actor: maybe(User),
  repository: maybe(RepositoryRef),
  pull_requests: listOf(RunPull),
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
  started_at: TimeOrUnset,
  completed_at: TimeOrUnset,
});

/** One run, from either server. */
export const WorkflowRun = either(fromForgejoRun, Run);

const unknownPart = z.unknown().transform(() => undefined);

/** A run of unknown shape: the least it needs to be posted plainly. */
export const PoorerRun = either(
  fromForgejoRun,
  Run.extend({
    previous_attempt_url: unknownPart,
    display_title: Text.catch(''),
    event: Text.catch(''),
    head_sha: Text.catch(''),
    html_url: Text.catch(''),
    actor: maybe(User).or(unknownPart),
    trigger_actor: maybe(User).or(unknownPart),
    repository: maybe(RepositoryRef).or(unknownPart),
    pull_requests: listOf(RunPull).catch([]),
  }),
);
export type WorkflowRun = z.infer<typeof WorkflowRun>;
