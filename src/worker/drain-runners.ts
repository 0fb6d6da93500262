import { jobIdOf } from '../chat/act-job.js';
import { runButton } from '../chat/actions.js';
import type { Runtime } from '../chat/runtime.js';
import type { Services } from '../chat/session.js';
import { noticePlace } from '../feed/lanes.js';
import type { Api } from '../forge/index.js';
import { unlessAbsent } from '../forge/possible.js';
import type { Runner } from '../forge/schemas/runner.js';
import { patienceMs } from '../jobs/patience.js';
import { isRefused } from '../jobs/visible.js';
import type { Drain } from '../store/index.js';
import { type Blocks, section } from '../view/blocks.js';
import { doneCard } from '../view/cards/outcome.js';
import { message } from '../view/message.js';
import { bold, md } from '../view/text.js';
import { date } from '../view/when.js';
import type { AsPerson } from './as-person.js';
import { nextLookMs } from './tempo.js';

const holdMs = 30_000;
const longestMs = 31 * 86_400_000;
/** How long after its time a runner is still enabled: an older record may have been done and restored. */
const latestMs = 7 * 86_400_000;

/** Undefined if it no longer exists. */
async function seen({ admin }: Api, { runner }: Drain): Promise<Runner | 'refused' | undefined> {
  try {
    return await unlessAbsent(admin.getRunner({ runner_id: runner }));
  } catch (error) {
    if (isRefused(error)) return 'refused';
    throw error;
  }
}

/** Notifies the person who drained a runner when it is idle, and enables it again at their time, as their command. */
export function createDrainRunners(services: Services, as: AsPerson, enqueue: Runtime['enqueue'], everyMs: number) {
  const { store, slack, log } = services;

  async function post({ person }: Drain, id: string, blocks: Blocks): Promise<void> {
    const place = noticePlace({ team: person.team, channel: await slack.directMessage(person.user) });
    await store.outbox.append(place, [{ id, body: { type: 'message', message: message({ blocks }) } }]);
  }

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
    await post(drain, `drain-${id}:${since}`, blocks);
  }

  /** A refusal may pass, as that of a proxy; if it lasts, its person learns that the message won't come. */
  async function refused(id: string, drain: Drain, now: number): Promise<void> {
    const { since, enableAt, runner, name = String(runner), refusedSince = now } = drain;
    if (now - refusedSince < patienceMs) return goesOn(id, { ...drain, refusedSince }, now);
    const still =
      enableAt === undefined ? md`` : md` I’ll still try to enable it ${date(new Date(enableAt), services.now())}.`;
    const says = md`The forge no longer lets you see runner ${bold(name)}, so I can’t tell you when its jobs are done.${still}`;
    await post(drain, `drain-${id}:${since}:refused`, [section(says)]);
    return goesOn(id, { ...drain, tell: false }, now);
  }

  /** Looked at again when something promised may be due; over if nothing is promised. */
  function goesOn(id: string, drain: Drain, now: number): Promise<void> {
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
    const runner = api && (await seen(api, drain));
    if (runner === 'refused') return refused(id, drain, now);
    // it is gone, it was enabled in the meantime, it took too long, or there is nobody to notify
    const isOver = drain.tell && (!runner || runner.disabled === false);
    const isIdle = runner !== undefined && !isOver && !runner.busy;
    if (runner && isIdle) await tell(id, drain, runner);
    const { refusedSince: _, ...left } = { ...drain, tell: drain.tell && !isIdle && !isOver };
    return goesOn(id, left, now);
  }

  return async (): Promise<void> => {
    for (const { id, value } of await store.drains.due(holdMs)) {
      try {
        await look(id, value);
      } catch (error) {
        log.warn({ id, reason: String(error) }, 'could not check a drained runner for now');
      }
    }
  };
}
