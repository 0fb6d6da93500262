import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { flag, toggle } from '../../chat/fields/index.js';
import { runnerWithButtons } from '../../domain/runners/card.js';
import { planSwitch, switchRunner } from '../../domain/runners/switch.js';
import { UserError } from '../../errors.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { date } from '../../view/when.js';
import { runner } from './reference.js';
import { moment } from './until.js';

const firstLookMs = 2_000;

export const runnerDrain = command({
  name: 'runner drain',
  summary: 'Stop a runner from taking new jobs until its jobs are done, or for a while',
  examples: ['runner drain builder-1', 'runner drain builder-1 --until-idle', 'runner drain builder-1 --until 18:00'],
  fields: {
    runner: runner(),
    untilIdle: toggle({ label: 'Until idle', text: 'Notify me when its jobs are done' }),
    until: flag(moment()),
  },
  role: 'admin',
  risk: 'write',
  effect: 'idempotent',
  operations: ['admin.editRunner', 'admin.getRunner', 'admin.listRunners'],
  needs: ['admin.editRunner'],
  plan: ({ runner }) => planSwitch(runner, true),
  async run({ runner, untilIdle, until }, context) {
    const { store, person, now } = context;
    const enableAt = until === undefined ? undefined : Date.parse(until);
    if (enableAt !== undefined && enableAt <= now.getTime())
      throw new UserError('That time has passed. Choose a later one.', { field: 'until' });
    const { runner: found } = await switchRunner(runner, true, context);
    const tell = untilIdle === true && found.busy;
    const id = `${person.team}-${person.user}-${runner}`;
    if (tell || enableAt !== undefined)
      await store.drains.put(id, { runner, person, tell, enableAt, since: now.getTime() }, firstLookMs);
    return { found, tell, enableAt };
  },
  reply({ found, tell, enableAt }, _args, { now }) {
    const busy = tell
      ? md`It is finishing its current job. You’ll get a direct message when it is idle.`
      : md`It is finishing its current job.`;
    const notes = [
      found.busy ? busy : md`It is idle.`,
      ...(enableAt === undefined ? [] : [md`It is enabled again ${date(new Date(enableAt), now)}.`]),
    ];
    const args = { runner: String(found.id), untilIdle: true };
    const follow = found.busy && !tell && runButton({ text: 'Notify me when idle', command: 'runner drain', args });
    return message({ blocks: runnerWithButtons(found, { now, says: md`Draining`, notes }, follow || undefined) });
  },
});
