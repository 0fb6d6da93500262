import type { KnownBlock } from '@slack/types';
import { moreMenu, runButton } from '../../chat/actions.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { runCard } from '../../view/cards/run.js';
import { linkButton } from '../../view/elements.js';
import type { Look } from '../../view/look.js';
import { isDone } from './read.js';

const argsOf = ({ owner, repo }: RepositoryRef, { id }: WorkflowRun) => ({ run: { owner, repo, run: id } });
const placed = (run: WorkflowRun, at: RepositoryRef) => ({ ...run, repository: { full_name: fullName(at) } });

export function runBlocks(run: WorkflowRun, at: RepositoryRef, look: Look): KnownBlock[] {
  const args = argsOf(at, run);
  const confirm = { title: 'Cancel this run?', text: 'Its jobs are stopped.', confirm: 'Cancel it', deny: 'Leave it' };
  const cancel = runButton({ text: 'Cancel', command: 'run cancel', args, style: 'danger', confirm });
  const show = runButton({ text: 'Show', command: 'run show', args });
  const buttons = [isDone(run) ? undefined : cancel, show, linkButton('Open on the forge', run.html_url)];
  return runCard(placed(run, at), { style: 'card', buttons, ...look });
}

export function runRow(run: WorkflowRun, at: RepositoryRef, now: Date): KnownBlock[] {
  const args = argsOf(at, run);
  const choices = [{ text: 'Show', command: 'run show', args }];
  const menu = moreMenu(isDone(run) ? choices : [...choices, { text: 'Cancel', command: 'run cancel', args }]);
  return runCard(placed(run, at), { now, style: 'row', menu });
}
