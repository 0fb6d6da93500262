import { z } from 'zod';
import { jobIdOf } from '../../chat/act-job.js';
import { runButton } from '../../chat/actions.js';
import type { AsPerson } from '../../chat/as-person.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { flag, type Needed, plainField, toggle } from '../../chat/fields.js';
import { notify } from '../../chat/notice.js';
import type { Runtime } from '../../chat/runtime.js';
import type { Services } from '../../chat/session.js';
import { readDuration } from '../../duration.js';
import { reasonOf, UserError } from '../../errors.js';
import type { Api } from '../../forge/index.js';
import { isRefused, unlessAbsent } from '../../forge/possible.js';
import type { Runner } from '../../forge/schemas.js';
import { type Drain, nextLookMs } from '../../store/index.js';
import { section } from '../../view/blocks.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { bold, md } from '../../view/text.js';
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
  approval: { ruledAs: 'runner disable' },
  operations: ['admin.editRunner', 'admin.getRunner', 'admin.listRunners'],
  needs: ['admin.editRunner'],
  plan: ({ runner }, context) => planSwitch(runner, true, context),
  run: drainRunner,
  reply: drainedMessage,
});

const holdMs = 30_000;
const longestMs = 31 * 86_400_000;
/** A refusal that lasts so long is told. */
const patienceMs = 10 * 60_000;
/** How long after its time a runner is still enabled: an older record may have been done and restored. */
const latestMs = 7 * 86_400_000;

/** Undefined if it no longer exists. */
async function readRunner({ admin }: Api, { runner }: Drain): Promise<Runner | 'refused' | undefined> {
  try {
    return await unlessAbsent(admin.getRunner({ runner_id: runner }));
  } catch (error) {
    if (isRefused(error)) return 'refused';
    throw error;
  }
}

/** Notifies the person who drained a runner when it is idle, and enables it again at their time, as their command. */
export function createDrainRunners(services: Services, as: AsPerson, enqueue: Runtime['enqueue'], everyMs: number) {
  const { store, log } = services;

  async function tell(id: string, drain: Drain, { id: runner, name }: Runner): Promise<void> {
    const { since, enableAt } = drain;
    const now = services.now();
    const back = enableAt === undefined ? [] : [md`enabled again ${date(new Date(enableAt), now)}`];
    const enable = runButton({ text: 'Enable', command: 'runner enable', args: { runner: String(runner) } });
    const blocks = doneCard({
      says: md`Runner ${bold(name)} is idle: its jobs are done.`,
      facts: back,
      buttons: [enable],
    });
    await notify(store, drain.person, `drain-${id}:${since}`, message({ blocks }));
  }

  /** A refusal may pass, as that of a proxy; if it lasts, its person learns that the message won't come. */
  async function handleRefusal(id: string, drain: Drain, now: number): Promise<void> {
    const { since, enableAt, runner, name = String(runner), refusedSince = now } = drain;
    if (now - refusedSince < patienceMs) return keepDraining(id, { ...drain, refusedSince }, now);
    const still =
      enableAt === undefined ? md`` : md` I’ll still try to enable it ${date(new Date(enableAt), services.now())}.`;
    const says = md`The forge no longer lets you see runner ${bold(name)}, so I can’t tell you when its jobs are done.${still}`;
    await notify(store, drain.person, `drain-${id}:${since}:refused`, message({ blocks: [section(says)] }));
    return keepDraining(id, { ...drain, tell: false }, now);
  }

  /** Looked at again when something promised may be due; over if nothing is promised. */
  function keepDraining(id: string, drain: Drain, now: number): Promise<void> {
    const { tell, enableAt = Number.POSITIVE_INFINITY, since } = drain;
    if (!tell && drain.enableAt === undefined) return store.drains.drop(id);
    const untilThen = enableAt - now;
    return store.drains.put(id, drain, tell ? Math.min(untilThen, nextLookMs(now - since, everyMs)) : untilThen);
  }

  /** The usual path: admitted, run as that person, audited and answered. The same time gives the same job. */
  async function enable(id: string, { person, runner, enableAt }: Drain): Promise<void> {
    const job = {
      v: 1,
      kind: 'command',
      command: 'runner enable',
      args: { runner: String(runner) },
      dryRun: false,
      source: 'typed',
      person,
      answer: {},
      acceptedAt: services.now().getTime(),
    } as const;
    await enqueue(job, jobIdOf('drain', id, String(enableAt)));
    await store.drains.drop(id);
  }

  async function look(id: string, drain: Drain): Promise<void> {
    const now = services.now().getTime();
    if (drain.enableAt !== undefined && drain.enableAt <= now - latestMs) return store.drains.drop(id);
    if (drain.enableAt !== undefined && drain.enableAt <= now) return enable(id, drain);
    const isLate = now - drain.since > longestMs;
    const api = drain.tell && !isLate ? await as(drain.person) : undefined;
    const runner = api && (await readRunner(api, drain));
    if (runner === 'refused') return handleRefusal(id, drain, now);
    // it is gone, it was enabled in the meantime, it took too long, or there is nobody to notify
    const isOver = drain.tell && (!runner || runner.disabled === false);
    const isIdle = runner !== undefined && !isOver && !runner.busy;
    if (runner && isIdle) await tell(id, drain, runner);
    const { refusedSince: _, ...left } = { ...drain, tell: drain.tell && !isIdle && !isOver };
    return keepDraining(id, left, now);
  }

  return async (): Promise<void> => {
    for (const { id, value } of await store.drains.due(holdMs)) {
      try {
        await look(id, value);
      } catch (error) {
        log.warn({ id, reason: reasonOf(error) }, 'could not check a drained runner for now');
      }
    }
  };
}
