import type { Button } from '@slack/types';
import { z } from 'zod';
import { type CommandButton, moreMenu, runButton } from '../../chat/actions.js';
import { askingField, type Needed } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import type { Api } from '../../forge/index.js';
import type { Runner } from '../../forge/schemas.js';
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

const mostRunners = 500;

/** By id or by name; the command receives the id. */
export function runner(): Needed<string, number> {
  return askingField<string, number>(
    {},
    {
      label: 'Runner',
      placeholder: 'id|name',
      input: { kind: 'text', max: 255 },
      schema: z.string().min(1).max(255),
      read: (text) => {
        const name = text.trim();
        if (name === '' || name.length > 255) throw new UserError('Write the runner’s ID or name.');
        return name;
      },
      show: (value) => value,
      lookUps: (id) => [
        {
          says: `I can’t find runner ${id}. See /forge runner list.`,
          ask: (api) => api.admin.getRunner({ runner_id: id }),
        },
      ],
      resolve: (value, { api }) => (/^\d{1,15}$/.test(value) ? Number(value) : findRunnerByName(value, api)),
    },
  );
}

async function findRunnerByName(name: string, api: Api): Promise<number> {
  const found = [];
  for await (const each of api.admin.listRunners.each({}, { max: mostRunners })) {
    if (each.name.toLowerCase() === name.toLowerCase()) found.push(each.id);
  }
  const [id, ...others] = found;
  if (id === undefined) throw new UserError(`I can’t find the runner ${name}. See /forge runner list.`);
  if (others.length === 0) return id;
  throw new UserError(`Several runners are called ${name}: ${found.join(', ')}. Use an ID instead.`);
}
