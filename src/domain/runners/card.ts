import type { Button } from '@slack/types';
import { type CommandButton, moreMenu, runButton } from '../../chat/actions.js';
import type { Runner } from '../../forge/schemas/runner.js';
import { runnerCard } from '../../view/cards/fleet.js';
import type { Look } from '../../view/look.js';

const argsOf = ({ id }: Runner) => ({ runner: String(id) });

/** No button if the server does not say whether it is disabled. */
function toggle(runner: Runner): CommandButton | undefined {
  if (runner.disabled === undefined) return undefined;
  const args = argsOf(runner);
  return runner.disabled
    ? { text: 'Enable', command: 'runner enable', args }
    : { text: 'Disable', command: 'runner disable', args };
}

const removal = (runner: Runner): CommandButton => ({
  text: 'Remove',
  command: 'runner remove',
  args: argsOf(runner),
  style: 'danger',
});

/** `first`: an extra button before the usual ones. */
export function runnerWithButtons(runner: Runner, look: Look, first?: Button) {
  const flip = toggle(runner);
  return runnerCard(runner, { ...look, buttons: [first, flip && runButton(flip), runButton(removal(runner))] });
}

export function runnerRow(runner: Runner, now: Date) {
  const flip = toggle(runner);
  const show: CommandButton = { text: 'Show', command: 'runner show', args: argsOf(runner) };
  return runnerCard(runner, {
    now,
    style: 'row',
    menu: moreMenu([show, ...(flip ? [flip] : []), removal(runner)]),
  });
}
