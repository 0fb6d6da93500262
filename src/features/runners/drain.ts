import { z } from 'zod';
import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { flag, type Needed, plainField, toggle } from '../../chat/fields.js';
import { readDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { date } from '../../view/when.js';
import { strikes } from '../../wall-clock.js';
import { planSwitch, switchRunner } from './enable.js';
import { runner, runnerWithButtons } from './runner.js';

interface DrainWish {
  readonly runner: number;
  readonly untilIdle?: boolean | undefined;
  readonly until?: string | undefined;
}

const firstLookMs = 2_000;

async function drainRunner({ runner, untilIdle, until }: DrainWish, context: Context) {
  const { store, person, now } = context;
  const enableAt = until === undefined ? undefined : Date.parse(until);
  if (enableAt !== undefined && enableAt <= now.getTime())
    throw new UserError('That time has passed. Choose a later one.', { field: 'until' });
  const { runner: found } = await switchRunner(runner, true, context);
  const tell = untilIdle === true && found.busy;
  const id = `${person.team}-${person.user}-${runner}`;
  // the latest command decides: without a promise, an earlier one no longer counts
  await (tell || enableAt !== undefined
    ? store.drains.put(id, { runner, name: found.name, person, tell, enableAt, since: now.getTime() }, firstLookMs)
    : store.drains.drop(id));
  return { found, tell, enableAt };
}

function drainedMessage(
  { found, tell, enableAt }: Awaited<ReturnType<typeof drainRunner>>,
  _args: unknown,
  { now }: Context,
) {
  const busy = tell
    ? md`It is finishing its current job. You’ll get a direct message when it is idle.`
    : md`It is finishing its current job.`;
  const notes = [
    found.busy ? busy : md`It is idle.`,
    ...(enableAt === undefined ? [] : [md`It will be enabled again ${date(new Date(enableAt), now)}.`]),
  ];
  // the new record replaces the stored one, which may have promised a time
  const until = enableAt === undefined ? {} : { until: new Date(enableAt).toISOString() };
  const args = { runner: String(found.id), untilIdle: true, ...until };
  const follow = found.busy && !tell && runButton({ text: 'Notify me when idle', command: 'runner drain', args });
  return message({ blocks: runnerWithButtons(found, { now, says: md`Draining`, notes }, follow || undefined) });
}

const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const exact = z.iso.datetime();
const longest = 31 * 86_400_000;

/** @internal A moment: `18:00` in the person's time zone (the next one) or a duration from now. */
export function moment(): Needed<string> {
  return plainField(
    { hint: 'A time such as 18:00, or a length of time such as 2h.' },
    {
      label: 'Enable again',
      placeholder: '18:00|2h',
      input: { kind: 'text', max: 40 },
      schema: exact,
      read(text, { now, zone = 0 }) {
        const at = now.getTime();
        const [, hours, minutes] = clock.exec(text.trim()) ?? [];
        if (hours !== undefined)
          return new Date(strikes(zone, Number(hours) * 60 + Number(minutes), at).next).toISOString();
        // already in the form it is shown in
        if (exact.safeParse(text.trim()).success) return text.trim();
        const seconds = readDuration(text);
        if (seconds === undefined) throw new UserError('Write a time such as 18:00, or a length of time such as 2h.');
        if (seconds < 60 || seconds * 1_000 > longest) throw new UserError('Choose between a minute and 31 days.');
        return new Date(at + seconds * 1_000).toISOString();
      },
      show: (value) => value,
    },
  );
}

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
  ruledAs: 'runner disable',
  operations: ['admin.editRunner', 'admin.getRunner', 'admin.listRunners'],
  needs: ['admin.editRunner'],
  plan: ({ runner }, context) => planSwitch(runner, true, context),
  run: drainRunner,
  reply: drainedMessage,
});
