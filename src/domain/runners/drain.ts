import { runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { date } from '../../view/when.js';
import { runnerWithButtons } from './card.js';
import { switchRunner } from './switch.js';

interface DrainWish {
  readonly runner: number;
  readonly untilIdle?: boolean | undefined;
  readonly until?: string | undefined;
}

const firstLookMs = 2_000;

export async function drainRunner({ runner, untilIdle, until }: DrainWish, context: Context) {
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

export function drainedMessage(
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
