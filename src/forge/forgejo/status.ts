import type { RunFilter } from '../schemas/run-filter.js';

interface Progress {
  readonly status: string;
  readonly conclusion?: string;
}

const stages: Readonly<Record<string, string>> = {
  unknown: 'queued',
  waiting: 'queued',
  blocked: 'waiting',
  running: 'in_progress',
};

/** One word at Forgejo, two at Gitea: progress and conclusion. */
export function progressOf(word: unknown): Progress {
  if (typeof word !== 'string') return { status: '' };
  const stage = Object.hasOwn(stages, word) ? stages[word] : undefined;
  return stage === undefined ? { status: 'completed', conclusion: word } : { status: stage };
}

const ended = ['success', 'failure', 'cancelled', 'skipped'];

const asked: Readonly<Record<RunFilter, readonly string[]>> = {
  pending: ['waiting'],
  queued: ['waiting'],
  requested: ['waiting'],
  waiting: ['blocked'],
  action_required: ['blocked'],
  in_progress: ['running'],
  success: ['success'],
  failure: ['failure'],
  cancelled: ['cancelled'],
  skipped: ['skipped'],
  completed: ended,
  timed_out: [],
  neutral: [],
};

/** The values Forgejo's filter takes; any other is a 400. */
export function statusWords(filters: readonly RunFilter[]): string[] {
  return [...new Set(filters.flatMap((filter) => asked[filter]))];
}
