import type { KnownBlock } from '@slack/types';
import { runButton } from '../../chat/actions.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { actions } from '../../view/blocks.js';
import { runCard } from '../../view/cards/run.js';
import { openButton } from '../../view/elements.js';
import type { Look } from '../../view/look.js';
import { isDone } from './read.js';

const argsOf = ({ owner, repo }: RepositoryRef, { id }: WorkflowRun) => ({ run: { owner, repo, run: id } });
const placed = (run: WorkflowRun, at: RepositoryRef) => ({ ...run, repository: { full_name: fullName(at) } });

const asking = { title: 'Cancel this run?', text: 'Its jobs will stop.', confirm: 'Cancel run', deny: 'Keep running' };

/** Asks once more; nothing for what is over. */
export const cancelButton = (run: WorkflowRun, at: RepositoryRef) =>
  isDone(run)
    ? undefined
    : runButton({ text: 'Cancel', command: 'run cancel', args: argsOf(at, run), style: 'danger', confirm: asking });

/** For one that was asked to stop and has not. */
export const forceButton = (run: WorkflowRun, at: RepositoryRef) =>
  runButton({
    text: 'Force-cancel',
    command: 'run force-cancel',
    args: argsOf(at, run),
    style: 'danger',
    confirm: { ...asking, title: 'Force-cancel this run?', text: 'It ends without waiting for its runner.' },
  });

const didFail = ({ conclusion }: WorkflowRun) => conclusion === 'failure' || conclusion === 'cancelled';

/** Nothing for what did not fail. */
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

/** Cancelling stands below the line: a menu cannot ask once more for one of its choices only. */
export function runRow(run: WorkflowRun, at: RepositoryRef, now: Date): KnownBlock[] {
  const row = runCard({ ...run, repository: undefined }, { now, style: 'row', buttons: [showButton(run, at)] });
  const cancel = actions(cancelButton(run, at));
  return cancel ? [...row, cancel] : row;
}
