import type { KnownBlock } from '@slack/types';
import { moreMenu, openEntry, runButton } from '../../chat/actions.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { runCard } from '../../view/cards/run.js';
import { openButton } from '../../view/elements.js';
import type { Look } from '../../view/look.js';
import { isDone } from './read.js';

const argsOf = ({ owner, repo }: RepositoryRef, { id, repository }: WorkflowRun) => ({
  run: { owner, repo, run: id, ...(repository && { repoId: repository.id }) },
});
const placed = (run: WorkflowRun, at: RepositoryRef) => ({ ...run, repository: { full_name: fullName(at) } });

const asking = { title: 'Cancel this run?', text: 'Its jobs will stop.', confirm: 'Cancel run', deny: 'Keep running' };

/** How a button that stops a run looks, wherever it is. */
export const stops = {
  'run cancel': { style: 'danger', confirm: asking },
  'run force-cancel': {
    style: 'danger',
    confirm: { ...asking, title: 'Force-cancel this run?', text: 'It ends without waiting for its runner.' },
  },
} as const;

/** For a button that force-cancels this many. */
export const stopsAll = (runs: number) => {
  const one = stops['run force-cancel'];
  if (runs === 1) return one;
  const text = 'They end without waiting for their runners.';
  return {
    ...one,
    confirm: { ...one.confirm, title: `Force-cancel ${runs} runs?`, text, confirm: 'Cancel runs' },
  };
};

/** With a confirmation; nothing for a finished run. */
export const cancelButton = (run: WorkflowRun, at: RepositoryRef) =>
  isDone(run)
    ? undefined
    : runButton({ text: 'Cancel', command: 'run cancel', args: argsOf(at, run), ...stops['run cancel'] });

/** For a run that was asked to stop and has not. */
export const forceButton = (run: WorkflowRun, at: RepositoryRef) =>
  runButton({
    text: 'Force-cancel',
    command: 'run force-cancel',
    args: argsOf(at, run),
    ...stops['run force-cancel'],
  });

const didFail = ({ conclusion }: WorkflowRun) => conclusion === 'failure' || conclusion === 'cancelled';

/** Nothing for a run that did not fail. */
export const rerunButton = (run: WorkflowRun, at: RepositoryRef) =>
  didFail(run)
    ? runButton({ text: 'Rerun failed jobs', command: 'run rerun', args: { ...argsOf(at, run), failed: true } })
    : undefined;

export const logButton = (run: WorkflowRun, at: RepositoryRef) =>
  didFail(run) ? runButton({ text: 'Show log', command: 'run log', args: argsOf(at, run) }) : undefined;

export const showButton = (run: WorkflowRun, at: RepositoryRef, text = 'Show') =>
  runButton({ text, command: 'run show', args: argsOf(at, run) });

export const pageButton = (run: WorkflowRun) => openButton(run.html_url);

export function runBlocks(run: WorkflowRun, at: RepositoryRef, look: Look): KnownBlock[] {
  const own = didFail(run) ? [rerunButton(run, at), logButton(run, at)] : [cancelButton(run, at), showButton(run, at)];
  const buttons = [...own, pageButton(run)];
  return runCard(placed(run, at), { style: 'card', buttons, ...look });
}

/** A menu cannot confirm just one of its options, so canceling opens its form. */
export function runRow(run: WorkflowRun, at: RepositoryRef, now: Date): KnownBlock[] {
  const args = argsOf(at, run);
  const menu = moreMenu([
    { text: 'Show', command: 'run show', args },
    ...(didFail(run)
      ? [
          { text: 'Rerun failed jobs', command: 'run rerun' as const, args: { ...args, failed: true } },
          { text: 'Show log', command: 'run log' as const, args },
        ]
      : []),
    isDone(run) ? undefined : { text: 'Cancel run…', command: 'run cancel', args, form: true },
    openEntry(run.html_url),
  ]);
  return runCard({ ...run, repository: undefined }, { now, style: 'row', menu });
}
