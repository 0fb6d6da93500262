import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { type Request, request } from '../../chat/request.js';
import type { Runner } from '../../forge/schemas.js';
import { type Message, message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { runner, runnerWithButtons } from './runner.js';

interface Switched {
  readonly runner: Runner;
  /** It already was: nothing was sent. */
  readonly already: boolean;
}

const edit = (runner: number, disabled: boolean) =>
  request('admin.editRunner', { runner_id: runner, body: { disabled } });

export async function planSwitch(runner: number, disabled: boolean, { api }: Context): Promise<readonly Request[]> {
  const before = await api.admin.getRunner({ runner_id: runner });
  return before.disabled === disabled ? [] : [edit(runner, disabled)];
}

export async function switchRunner(runner: number, disabled: boolean, context: Context): Promise<Switched> {
  const before = await context.api.admin.getRunner({ runner_id: runner });
  if (before.disabled === disabled) return { runner: before, already: true };
  const after = await context.api.admin.editRunner({ runner_id: runner, body: { disabled } });
  context.offerUndo({
    says: `${disabled ? 'Enabled' : 'Disabled'} runner ${after.name} again.`,
    request: edit(runner, !disabled),
    guard: { request: request('admin.getRunner', { runner_id: runner }), expect: { disabled } },
  });
  return { runner: after, already: false };
}

function switchedMessage({ runner, already }: Switched, { now }: Context): Message {
  const word = runner.disabled ? 'disabled' : 'enabled';
  const done = runner.disabled ? md`Disabled` : md`Enabled`;
  const notes = runner.disabled && runner.busy ? [md`It finishes its current job and takes no new ones.`] : [];
  return message({ blocks: runnerWithButtons(runner, { now, says: already ? md`Already ${word}:` : done, notes }) });
}

export const runnerEnable = command({
  name: 'runner enable',
  summary: 'Allow a runner to take jobs again',
  examples: ['runner enable builder-1'],
  fields: { runner: runner() },
  role: 'admin',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'runner disable',
  operations: ['admin.editRunner', 'admin.getRunner', 'admin.listRunners'],
  needs: ['admin.editRunner'],
  plan: ({ runner }, context) => planSwitch(runner, false, context),
  run: ({ runner }, context) => switchRunner(runner, false, context),
  reply: (switched, _args, context) => switchedMessage(switched, context),
});

export const runnerDisable = command({
  name: 'runner disable',
  summary: 'Stop a runner from taking new jobs',
  examples: ['runner disable builder-1'],
  fields: { runner: runner() },
  role: 'admin',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'runner enable',
  operations: ['admin.editRunner', 'admin.getRunner', 'admin.listRunners'],
  needs: ['admin.editRunner'],
  plan: ({ runner }, context) => planSwitch(runner, true, context),
  run: ({ runner }, context) => switchRunner(runner, true, context),
  reply: (switched, _args, context) => switchedMessage(switched, context),
});
