import type { Job } from 'bullmq';
import { z } from 'zod';
import type { People } from '../chat/context.js';
import { groupOf } from '../config/teams.js';
import type { PolicyFile } from '../config.js';
import { reasonOf } from '../errors.js';
import type { MessageDelivery, ReminderDelivery } from '../feed/delivery.js';
import type { Api } from '../forge/index.js';
import type { Log } from '../log.js';
import { type Connection, type Person, plainJson, type Reminder, redisTrouble, type Store } from '../store/index.js';
import { say } from '../view/message.js';
import { md, mention } from '../view/text.js';
import { createQueue, createWorker } from './queues.js';
import { ownReminder, reminderParts } from './remind/draw.js';
import { type Waiting, waitingFor, waitingIn } from './remind/read.js';
import { timesOf } from './remind/times.js';
import { repeat } from './repeat.js';
import { createStrange } from './strange.js';

export interface RemindOptions {
  readonly connection: Connection;
  readonly store: Store;
  readonly service: Api;
  /** As a linked person; undefined if they are no longer linked. */
  as(person: Person): Promise<Api | undefined>;
  readonly people: Pick<People, 'slackUserOf'>;
  readonly teams: PolicyFile['teams'];
  readonly log: Log;
  readonly now?: () => number;
  readonly followMs?: number;
}

const RemindJob = z.object({ id: z.string(), at: z.number() });

/** A reminder this late helps nobody: the process was down at its time. */
const tooLateMs = 3 * 3_600_000;
const retryMs = 60_000;

/** The records say what is due and the shared time says when: a worker with a wrong clock changes nothing. */
export function createRemindJobs(options: RemindOptions) {
  const { store, log, now = Date.now, followMs = 5_000 } = options;
  const place = { connection: options.connection, forgeId: store.forgeId };
  const queue = createQueue('remind', place);
  queue.on('error', redisTrouble(log));
  const strange = createStrange(log);
  let known: { readonly changes: number; readonly all: readonly Reminder[] } = { changes: -1, all: [] };

  async function records(): Promise<readonly Reminder[]> {
    const changes = await store.reminders.changes();
    if (changes !== known.changes) known = { changes, all: await store.reminders.all() };
    return known.all;
  }

  /** Everything that became due since the last look; safe to repeat after an interruption, as jobs are deduplicated. */
  async function look(): Promise<void> {
    const to = now();
    const last = (await store.reminders.lookedAt()) ?? to;
    const from = Math.max(last, to - tooLateMs);
    for (const reminder of await records()) {
      for (const at of timesOf(reminder, from, to)) {
        const jobId = `${reminder.id}-${at}`;
        await queue.add(
          'remind',
          { id: reminder.id, at },
          { jobId, attempts: tooLateMs / retryMs, backoff: { type: 'fixed', delay: retryMs } },
        );
      }
    }
    await store.reminders.looked(to);
  }

  async function remind(id: string, at: number): Promise<void> {
    const reminder = await store.reminders.get(id);
    if (!reminder) return;
    if (now() - at > tooLateMs) {
      log.info({ reminder: id }, 'a reminder was too late and was skipped');
      return;
    }
    const { team, channel } = reminder;
    const said = reminder.personal ? await forOwner(reminder) : await forChannel(reminder);
    const entries = said.map((body, part) => ({
      id: `remind:${id}:${at}:${part}`,
      // in a channel that takes nothing for days, the latest is enough
      card: `remind:${id}:${part}`,
      body: plainJson(body),
    }));
    await store.outbox.append({ team, channel }, entries);
  }

  /** The owner is notified where the reminder would have been posted. */
  async function apologize(id: string): Promise<void> {
    const reminder = await store.reminders.get(id);
    if (!reminder) return;
    const { team, channel, owner } = reminder;
    const message = say(
      md`${mention(owner)}, this reminder failed several times and was skipped. Ask an admin to check the logs.`,
    );
    const day = new Date(now()).toISOString().slice(0, 10);
    const body = plainJson({ type: 'message', message });
    await store.outbox.append({ team, channel }, [{ id: `remind:${id}:${day}:failed`, body }]);
  }

  async function forOwner(reminder: Reminder): Promise<MessageDelivery[]> {
    const api = await options.as({ team: reminder.team, user: reminder.owner });
    const items = api ? await waitingFor(reminder, api, now(), strange('reminder')) : [];
    return items.length === 0 ? [] : [ownReminder(items, new Date(now()))];
  }

  async function forChannel(reminder: Reminder): Promise<ReminderDelivery[]> {
    const owner = await options.as({ team: reminder.team, user: reminder.owner });
    const waiting = await waitingIn(
      reminder,
      store,
      { service: options.service, owner, strange: strange('reminder') },
      now(),
    );
    if (waiting.length === 0) return [];
    const users = await usersOf(reminder.team, waiting);
    const parts = reminderParts(waiting, {
      now: new Date(now()),
      who: (login) => users.get(login.toLowerCase()),
      group: (name) => groupOf(options.teams, name),
    });
    return [{ type: 'reminder', owner: reminder.owner, parts }];
  }

  async function usersOf(team: string, waiting: readonly Waiting[]): Promise<ReadonlyMap<string, string>> {
    const logins = waiting.flatMap(({ pulls }) =>
      pulls.flatMap(({ requested_reviewers }) => requested_reviewers.map(({ login }) => login)),
    );
    const users = new Map<string, string>();
    for (const login of new Set(logins)) {
      const user = await options.people.slackUserOf(team, login);
      if (user !== undefined) users.set(login.toLowerCase(), user);
    }
    return users;
  }

  const perform = async (job: Job): Promise<void> => {
    const { id, at } = RemindJob.parse(job.data);
    await remind(id, at);
  };

  return {
    queue,
    look,
    remind,

    async start() {
      const worker = createWorker('remind', place, perform, {
        concurrency: 4,
        stalledInterval: 5_000,
        maxStalledCount: 2,
      });
      worker.on('error', redisTrouble(log));
      worker.on('failed', (job, error) => {
        log.error({ job: job?.id, reason: error.message }, 'a reminder failed');
        const failed = job?.finishedOn === undefined ? undefined : RemindJob.safeParse(job.data).data;
        if (failed)
          apologize(failed.id).catch((reason: unknown) =>
            log.error({ reason: reasonOf(reason) }, 'could not notify the owner of a reminder'),
          );
      });
      const watching = repeat(followMs, log, 'could not schedule reminders', async () => {
        if (await store.beats.take('remind', followMs)) await look();
      });
      return {
        async stop(): Promise<void> {
          await watching.stop();
          await worker.close();
          await queue.close();
        },
      };
    },
  };
}
