import type { Context } from '../../chat/context.js';
import { type Request, request } from '../../chat/request.js';
import type { Runner } from '../../forge/schemas/runner.js';
import { type Message, message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { runnerWithButtons } from './card.js';

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

export function switchedMessage({ runner, already }: Switched, { now }: Context): Message {
  const word = runner.disabled ? 'disabled' : 'enabled';
  const done = runner.disabled ? md`Disabled` : md`Enabled`;
  const notes = runner.disabled && runner.busy ? [md`It finishes its current job and takes no new ones.`] : [];
  return message({ blocks: runnerWithButtons(runner, { now, says: already ? md`Already ${word}:` : done, notes }) });
}
