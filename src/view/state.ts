// One emoji and one word for each state a forge can report.

export function issueState(state: string): string {
  if (state === 'open') return '🟢 Open';
  return state === 'closed' ? '🟣 Closed' : `⚪ ${state}`;
}

export interface PullState {
  readonly state: string;
  readonly merged?: boolean | null | undefined;
  readonly draft?: boolean | null | undefined;
}

export function pullState(pull: PullState): string {
  if (pull.merged) return '🟣 Merged';
  if (pull.state === 'closed') return '🔴 Closed';
  return pull.draft ? '⚪ Draft' : '🟢 Open';
}

const outcomes = new Map([
  ['success', '✅ Passed'],
  ['failure', '❌ Failed'],
  ['timed_out', '❌ Timed out'],
  ['cancelled', '🚫 Canceled'],
  ['skipped', '⏭️ Skipped'],
  ['neutral', '⏭️ Skipped'],
  ['action_required', '🟠 Needs approval'],
]);

const stages = new Map([
  ['queued', '⏳ Queued'],
  ['pending', '⏳ Waiting'],
  ['waiting', '⏳ Waiting'],
  ['requested', '⏳ Waiting'],
  ['in_progress', '🟡 Running'],
  ['running', '🟡 Running'],
]);

export interface RunState {
  readonly status?: string | null | undefined;
  readonly conclusion?: string | null | undefined;
}

export function runState(run: RunState): string {
  const outcome = outcomes.get(run.conclusion ?? '') ?? outcomes.get(run.status ?? '');
  return outcome ?? stages.get(run.status ?? '') ?? `⚪ ${run.conclusion || run.status || 'Unknown'}`;
}

export interface RunnerState {
  readonly status: string;
  readonly busy?: boolean | null | undefined;
  readonly disabled?: boolean | null | undefined;
}

export function runnerState(runner: RunnerState): string {
  if (runner.disabled) return '⏸️ Disabled';
  if (runner.status === 'offline') return '🔴 Offline';
  if (runner.busy || runner.status === 'active') return '🟡 Busy';
  return ['online', 'idle'].includes(runner.status) ? '🟢 Idle' : `⚪ ${runner.status}`;
}
