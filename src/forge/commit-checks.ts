import { compilePattern } from '../pattern.js';
import type { Api, CallOptions } from './index.js';
import { gather } from './pages.js';
import { possible } from './possible.js';
import type { Branch, CommitStatus } from './schemas.js';

const mostStatuses = 500;

/** The merge queue's own status, which is no check. */
export const queueContext = 'bellows/queue';

export interface CommitChecks {
  /** Computed from all of them: a server's own summary covers one page only and is pending if nothing was reported. */
  readonly state: 'failure' | 'pending' | 'warning' | 'success' | 'skipped' | 'none';
  readonly all: readonly CommitStatus[];
  /** A warning is not passed: a branch that requires the check refuses it. */
  readonly failed: readonly CommitStatus[];
  readonly warned: readonly CommitStatus[];
  /** Neither passed nor skipped. */
  readonly open: readonly CommitStatus[];
}

const isBad = ({ status }: CommitStatus) => status === 'failure' || status === 'error';
const isPassed = ({ status }: CommitStatus) => status === 'success' || status === 'skipped';
const isWarned = ({ status }: CommitStatus) => status === 'warning';

interface At {
  readonly owner: string;
  readonly repo: string;
}

/** Everything reported about a commit, except by the merge queue: the latest result of each check. */
export async function commitChecks(
  api: Pick<Api, 'repos'>,
  at: At & { readonly ref: string; readonly isCounted?: (check: CommitStatus) => boolean },
  options: CallOptions = {},
): Promise<CommitChecks> {
  const { owner, repo, ref, isCounted = () => true } = at;
  const found = await gather(api.repos.commitStatus.each({ owner, repo, ref }, { ...options, max: mostStatuses }));
  const all = found.filter((each) => each.context !== queueContext && isCounted(each));
  const open = all.filter((each) => !isPassed(each));
  return {
    state: stateOf(all, found.length < mostStatuses),
    all,
    failed: all.filter(isBad),
    warned: all.filter(isWarned),
    open,
  };
}

function stateOf(all: readonly CommitStatus[], isWhole: boolean): CommitChecks['state'] {
  if (all.some(isBad)) return 'failure';
  // servers store any word; one that nobody knows has not passed, nor have those beyond the limit
  if (!isWhole || !all.every((each) => isPassed(each) || isWarned(each))) return 'pending';
  if (all.some(isWarned)) return 'warning';
  if (all.length === 0) return 'none';
  return all.some(({ status }) => status === 'success') ? 'success' : 'skipped';
}

export interface ChecksVerdict {
  /** red: something failed or warned, however many are pending. none: nothing was reported, and nothing is required. */
  readonly state: 'red' | 'pending' | 'green' | 'none';
  /** The checks that decided it. */
  readonly names: readonly string[];
  /** The same for two looks that saw the same checks. */
  readonly seen: string;
  /** When the last of them changed, on the forge's clock; undefined if it does not say. */
  readonly changedAt: number | undefined;
}

interface Judge {
  /** What the branch requires is waited for; without one, nothing but what was reported. */
  (branch: Branch | undefined): ChecksVerdict;
  /** No branch changes it. */
  readonly isDecided: boolean;
}

/** The checks of exactly this commit, to be judged by what a branch requires. */
export async function readChecks(
  api: Pick<Api, 'repos' | 'runs'>,
  { owner, repo, sha }: At & { readonly sha: string },
): Promise<Judge> {
  const { all, failed, warned, open } = await commitChecks(api, { owner, repo, ref: sha });
  const names = all.map(({ context }) => context);
  const verdict = (state: ChecksVerdict['state'], of: readonly string[]): ChecksVerdict => ({
    state,
    names: of,
    seen: JSON.stringify([...names].sort()),
    changedAt: all.every(({ updated_at }) => updated_at)
      ? Math.max(...all.map(({ updated_at }) => updated_at?.getTime() ?? 0))
      : undefined,
  });
  const decide = (state: ChecksVerdict['state'], of: readonly string[]): Judge =>
    Object.assign(() => verdict(state, of), { isDecided: true });
  const red = [...failed, ...warned].map(({ context }) => context);
  if (red.length > 0) return decide('red', red);
  if (open.length > 0 || all.length >= mostStatuses)
    return decide(
      'pending',
      open.map(({ context }) => context),
    );
  const runs = await latestRuns(api, { owner, repo, sha });
  const broken = runs.filter(isBroken);
  if (broken.length > 0) return decide('red', broken.map(nameOf));
  // jobs that come later have no status yet, but their run is not over
  const unfinished = runs.filter((run) => run.status !== 'completed').map(nameOf);
  if (unfinished.length > 0) return decide('pending', unfinished);
  const judge = (branch: Branch | undefined): ChecksVerdict => {
    const patterns = branch?.status_check_contexts ?? [];
    const wanted = patterns.filter((pattern) => pattern !== queueContext);
    const asks = branch?.enable_status_check === true && (patterns.length === 0 || wanted.length > 0);
    const missing = asks ? missingIn(names, wanted) : [];
    if (missing.length > 0) return verdict('pending', missing);
    if (names.length > 0) return verdict('green', names);
    return verdict(asks ? 'pending' : 'none', []);
  };
  return Object.assign(judge, { isDecided: false });
}

/** On the server `*` also matches a slash. A pattern with more than that is left to the server, which checks it anyway. */
const missingIn = (names: readonly string[], patterns: readonly string[]): string[] =>
  patterns
    .filter((pattern) => !/[[\]{}\\!]/.test(pattern))
    .filter((pattern) => !names.some(compilePattern(pattern.replaceAll(/\*+/g, '**'), { caseSensitive: true })));

const passes: ReadonlySet<string> = new Set(['success', 'skipped']);
/** Runs that report statuses; one started by hand says nothing about a pull request. */
const reporting: ReadonlySet<string> = new Set(['push', 'pull_request', 'pull_request_target']);

interface Run {
  readonly id: number;
  readonly path: string;
  readonly event: string;
  readonly status: string;
  readonly conclusion?: string | undefined;
  readonly run_number: number;
  readonly head_sha: string;
}

/** Runs that ended badly for this commit. */
export async function brokenRuns(api: Pick<Api, 'runs'>, at: At & { readonly sha: string }): Promise<readonly Run[]> {
  return (await latestRuns(api, at)).filter(isBroken);
}

const isBroken = ({ status, conclusion }: Run) => status === 'completed' && !passes.has(conclusion ?? '');

const nameOf = ({ path }: Run) => path.replace(/@.*$/, '').replace(/^.*\//, '');

/** The newest of each workflow and event; none if this server does not list runs. */
async function latestRuns(api: Pick<Api, 'runs'>, { owner, repo, sha }: At & { readonly sha: string }): Promise<Run[]> {
  const found = await possible(
    gather(api.runs.list.each({ owner, repo, query: { head_sha: sha } }, { max: mostStatuses })),
  );
  const latest = new Map<string, Run>();
  for (const run of found ?? []) {
    const key = `${run.event} ${nameOf(run)}`;
    const before = latest.get(key);
    if (run.head_sha === sha && reporting.has(run.event) && (before?.run_number ?? -1) < run.run_number)
      latest.set(key, run);
  }
  return [...latest.values()];
}
