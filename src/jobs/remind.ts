import type { Job } from 'bullmq';
import { z } from 'zod';
import { moreMenu } from '../chat/actions.js';
import type { People } from '../chat/context.js';
import { notify } from '../chat/notice.js';
import { groupOf } from '../config/file.js';
import type { PolicyFile } from '../config.js';
import { reasonOf } from '../errors.js';
import { laneMessage, readBotPull } from '../features/bots/show.js';
import { itemRow } from '../features/issues/card.js';
import { readsUnit } from '../features/repos/lookup.js';
import { readReport, reportBlocks } from '../features/reviews/report.js';
import { covers } from '../feed/covers.js';
import type { MessageDelivery, ReminderDelivery, ReminderPart } from '../feed/delivery.js';
import { isBot } from '../feed/item.js';
import { type Api, gather, isHidden } from '../forge/index.js';
import { isAbsent, unlessAbsent } from '../forge/possible.js';
import { withOpenRequests } from '../forge/review-requests.js';
import type { Issue, PullRequest, Repository } from '../forge/schemas.js';
import { splitFullName } from '../full-name.js';
import type { Log } from '../log.js';
import { type Connection, type Person, plainJson, type Reminder, redisTrouble, type Store } from '../store/index.js';
import { type Blocks, context as quiet, section } from '../view/blocks.js';
import { pullCard } from '../view/cards/pull.js';
import { count } from '../view/look.js';
import { type Message, message, say } from '../view/message.js';
import { bold, md, mention } from '../view/text.js';
import { localTime, momentOf } from '../wall-clock.js';
import { createQueue, createWorker } from './queues.js';
import { repeat } from './repeat.js';
import type { RepositoryName } from './sight.js';
import { createUnreadableLog } from './unreadable.js';
import { visible } from './visible.js';

interface Waiting {
  readonly repository: Repository;
  readonly pulls: readonly PullRequest[];
}

const mostRepositories = 50;
const mostListed = 5_000;
const mostPulls = 100;
/** Their checks are read, one by one. */
const mostBotPulls = 50;

interface Fits {
  readonly labels: readonly { readonly name: string }[];
  readonly created_at?: Date | undefined;
}

/** Old enough, with the wanted labels, and not a draft unless drafts are wanted. */
function fits(reminder: Reminder, item: Fits & { readonly draft: boolean }, now: number): boolean {
  const names = item.labels.map(({ name }) => name.toLowerCase());
  const has = (label: string) => names.includes(label.toLowerCase());
  if (item.draft && !reminder.drafts) return false;
  if (reminder.labels.length > 0 && !reminder.labels.some(has)) return false;
  if (reminder.without.some(has)) return false;
  const { olderThan } = reminder;
  return olderThan === undefined || now - (item.created_at?.getTime() ?? now) >= olderThan * 1_000;
}

const isAsked = (pull: PullRequest) => pull.requested_reviewers.length + pull.requested_reviewers_teams.length > 0;

interface Readers {
  readonly service: Api;
  /** The reminder's owner, who must see what it shows; undefined if no account is linked. */
  readonly owner: Api | undefined;
  /** A row has an unknown shape. */
  onUnreadable(why: string): void;
}

/** Open pull requests with requested reviews, by repository, as visible to the reminder's owner. */
async function waitingIn(reminder: Reminder, store: Store, as: Readers, now: number): Promise<Waiting[]> {
  const found: Waiting[] = [];
  for (const { id, fullName } of await repositoriesOf(reminder, store, as)) {
    const repository = await readRepository(fullName, as);
    // a name may now belong to another repository; the id decides
    if (repository?.id !== id || repository.archived) continue;
    const pulls = await pullsOf(reminder, fullName, as, now);
    if (pulls.length > 0) found.push({ repository, pulls });
  }
  return found;
}

/** Open pull requests of bots, by repository, as visible to the reminder's owner. */
async function botParts(
  reminder: Reminder,
  store: Store,
  as: Readers,
  named: PolicyFile['bots'],
): Promise<ReminderPart[]> {
  const found: ReminderPart[] = [];
  let read = 0;
  for (const { id, fullName } of await repositoriesOf(reminder, store, as)) {
    const repository = await readRepository(fullName, as);
    if (repository?.id !== id || repository.archived) continue;
    const query = { state: 'open', sort: 'oldest' } as const;
    const listed = as.service.pulls.list.each({ ...splitFullName(fullName), query }, { max: mostPulls });
    const pulls = (await unlessAbsent(gather(listed))) ?? [];
    const meant = pulls.filter(({ user }) => user && isBot(user, named)).slice(0, mostBotPulls - read);
    read += meant.length;
    const bots = await Promise.all(meant.map((pull) => readBotPull(pull, repository.full_name, as.service)));
    const repo = { id, fullName: repository.full_name, hidden: isHidden(repository) };
    if (bots.length > 0) found.push({ repo, total: bots.length, rows: [], bots });
  }
  return found;
}

/** None in a mirror, an empty repository or one without pull requests: the forge answers “not found” there. */
async function pullsOf(
  reminder: Reminder,
  fullName: string,
  { service, onUnreadable }: Readers,
  now: number,
): Promise<PullRequest[]> {
  const at = splitFullName(fullName);
  const query = { state: 'open', sort: 'oldest' } as const;
  const pulls: PullRequest[] = [];
  try {
    for await (const pull of service.pulls.list.each({ ...at, query }, { max: mostPulls, onUnreadable })) {
      if (!isAsked(pull) || !fits(reminder, pull, now)) continue;
      const present = await withOpenRequests(service, at, pull);
      if (isAsked(present)) pulls.push(present);
    }
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return pulls;
}

/** Without an account, only what everyone may see. */
async function readRepository(fullName: string, { owner, service }: Readers): Promise<Repository | undefined> {
  const repository = await visible(fullName, owner ?? service);
  if (!repository || !isHidden(repository)) return repository;
  return owner && (await readsUnit(owner, splitFullName(fullName), 'pulls')) ? repository : undefined;
}

/** What one person has to review, as visible to them. */
async function waitingFor(
  reminder: Reminder,
  api: Api,
  now: number,
  onUnreadable: Readers['onUnreadable'],
): Promise<Issue[]> {
  const found: Issue[] = [];
  const query = { state: 'open', type: 'pulls', review_requested: true } as const;
  for await (const item of api.issues.search.each({ query }, { max: mostPulls, onUnreadable })) {
    if (fits(reminder, { ...item, draft: item.pull_request?.draft ?? false }, now)) found.push(item);
  }
  return found;
}

async function repositoriesOf(
  reminder: Reminder,
  store: Store,
  { service, onUnreadable }: Readers,
): Promise<readonly RepositoryName[]> {
  const { team, channel, repositories } = reminder;
  if (repositories.length > 0) return repositories.map(nameRepository);
  const names = new Map<number, string>();
  for (const sub of await store.subscriptions.inChannel({ team, channel })) {
    const { target, paused } = sub;
    if (paused) continue;
    const name = await store.subscriptions.nameOf(target);
    if (target.kind === 'repo' && name !== undefined) names.set(target.id, name);
    if (target.kind === 'owner') {
      const query = { uid: target.id, exclusive: true };
      for await (const each of service.repos.search.each({ query }, { max: mostListed, onUnreadable })) {
        if (names.size >= mostRepositories) break;
        if (each.owner?.id === target.id && covers(sub, each.full_name)) names.set(each.id, each.full_name);
      }
    }
  }
  // not the channel's only subscription, which is paused if it was not found above
  const preset = await store.channels.chosenRepository({ team, channel });
  if (names.size === 0 && preset) return [nameRepository(preset)];
  return [...names].slice(0, mostRepositories).map(([id, fullName]) => ({ id, fullName }));
}

const nameRepository = ({ id, owner, name }: Reminder['repositories'][number]): RepositoryName => ({
  id,
  fullName: `${owner}/${name}`,
});

const mostRows = 15;

interface Look {
  readonly now: Date;
  /** The Slack user of a login; reviewers are mentioned, since that is what a reminder is for. */
  who(login: string): string | undefined;
  /** The Slack user group of a team `org/team`. */
  group(team: string): string | undefined;
}

/** One part per repository; the sender leaves out those that may no longer be shown. */
const reminderParts = (waiting: readonly Waiting[], look: Look): ReminderPart[] =>
  waiting.map(({ repository, pulls }) => ({
    repo: { id: repository.id, fullName: repository.full_name, hidden: isHidden(repository) },
    total: pulls.length,
    rows: pulls.slice(0, mostRows).map((pull) => row(pull, repository, look)),
  }));

const wait = (number: number) => (number === 1 ? 'waits' : 'wait');

/** The parts that may be shown, as one message. */
export function reminderMessage(parts: readonly ReminderPart[]): Message {
  const bots = parts.flatMap((part) => part.bots ?? []);
  if (bots.length > 0) return laneMessage(bots);
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  const said = `${count(total, 'pull request')} ${wait(total)} for review`;
  const rows = parts.flatMap((part) => part.rows).slice(0, mostRows);
  return frameReminder(said, total, rows.flat());
}

function row(pull: PullRequest, { id, owner, name, full_name }: Repository, { now, who, group }: Look) {
  const at = { owner: owner?.login ?? splitFullName(full_name).owner, repo: name, repoId: id };
  const ref = { ...at, index: pull.number };
  const menu = moreMenu([
    { text: 'Show', command: 'pr show', args: { pull: ref } },
    { text: 'Comment…', command: 'issue comment', args: { issue: ref }, form: true },
  ]);
  return pullCard({ ...pull, base: { ref: '', repo: { full_name } } }, { now, style: 'row', who, group, menu });
}

function ownReminder(items: readonly Issue[], now: Date): MessageDelivery {
  const said = `${count(items.length, 'pull request')} ${wait(items.length)} for your review`;
  const rows = items.slice(0, mostRows).flatMap((item) => itemRow(item, { now }));
  return { type: 'message', message: frameReminder(said, items.length, rows) };
}

function frameReminder(said: string, total: number, rows: Blocks): Message {
  const rest = total - mostRows;
  return message({
    text: said,
    blocks: [section(md`⏰ ${bold(said)}`), ...rows, rest > 0 ? quiet([`and ${rest} more`]) : undefined],
  });
}

type Times = Pick<Reminder, 'days' | 'time' | 'zone'>;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const workdays: ReadonlySet<string> = new Set(['mon', 'tue', 'wed', 'thu', 'fri']);

const isOn = (days: readonly string[], weekday: string): boolean =>
  days.includes('daily') || days.includes(weekday) || (days.includes('weekdays') && workdays.has(weekday));

/** @internal The minutes after `from`, up to `to`, at which a reminder is due. */
export function timesOf({ days, time, zone }: Times, from: number, to: number): number[] {
  // most looks are a few seconds long, and asking what a clock shows takes its time
  if (Math.floor(from / minuteMs) === Math.floor(to / minuteMs)) return [];
  const [hour = '0', minute = '0'] = time.split(':');
  const sinceMidnight = (Number(hour) * 60 + Number(minute)) * minuteMs;
  const found: number[] = [];
  const first = Math.floor(localTime(zone, from) / dayMs) * dayMs;
  for (let day = first; day <= localTime(zone, to); day += dayMs) {
    const at = momentOf(zone, day + sinceMidnight);
    if (at > from && at <= to && isOn(days, names[new Date(day).getUTCDay()] ?? '')) found.push(at);
  }
  return found;
}

interface RemindOptions {
  readonly connection: Connection;
  readonly store: Store;
  readonly service: Api;
  /** As a linked person; undefined if they are no longer linked. */
  as(person: Person): Promise<Api | undefined>;
  readonly people: Pick<People, 'slackUserOf'>;
  readonly policy: PolicyFile;
  readonly log: Log;
  readonly now?: () => number;
}

const RemindJob = z.object({ id: z.string(), at: z.number() });

/** A reminder this late helps nobody: the process was down at its time. */
const tooLateMs = 3 * 3_600_000;
const retryMs = 60_000;
const weekSeconds = 7 * 86_400;

/** The records say what is due and the shared time says when: a worker with a wrong clock changes nothing. */
export function createRemindJobs(options: RemindOptions) {
  const { store, log, now = Date.now } = options;
  const place = { connection: options.connection, forgeId: store.forgeId };
  const queue = createQueue('remind', place);
  queue.on('error', redisTrouble(log));
  const logUnreadable = createUnreadableLog(log);
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
    await store.reminders.recordLook(to);
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
    await notify(store, { team, channel }, `remind:${id}:${day}:failed`, message);
  }

  async function forOwner(reminder: Reminder): Promise<MessageDelivery[]> {
    const api = await options.as({ team: reminder.team, user: reminder.owner });
    if (reminder.report !== undefined) return api ? [await weekly(reminder.report, api)] : [];
    const items = api ? await waitingFor(reminder, api, now(), logUnreadable('reminder')) : [];
    return items.length === 0 ? [] : [ownReminder(items, new Date(now()))];
  }

  async function weekly(of: string, api: Api): Promise<MessageDelivery> {
    const at = { api, policy: options.policy, now: new Date(now()) };
    const blocks = reportBlocks(await readReport(of, weekSeconds, at), at.now);
    return { type: 'message', message: message({ text: `Reviews in ${of}`, blocks }) };
  }

  async function forChannel(reminder: Reminder): Promise<ReminderDelivery[]> {
    const owner = await options.as({ team: reminder.team, user: reminder.owner });
    const as = { service: options.service, owner, onUnreadable: logUnreadable('reminder') };
    if (reminder.bots) {
      const parts = await botParts(reminder, store, as, options.policy.bots);
      return parts.length === 0 ? [] : [{ type: 'reminder', owner: reminder.owner, parts }];
    }
    const waiting = await waitingIn(reminder, store, as, now());
    if (waiting.length === 0) return [];
    const users = await usersOf(reminder.team, waiting);
    const parts = reminderParts(waiting, {
      now: new Date(now()),
      who: (login) => users.get(login.toLowerCase()),
      group: (name) => groupOf(options.policy.teams, name),
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

    /** Looks this often for what is due. */
    async start(everyMs: number) {
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
      const watching = repeat(everyMs, log, 'could not schedule reminders', async () => {
        if (await store.intervals.take('remind', everyMs)) await look();
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
