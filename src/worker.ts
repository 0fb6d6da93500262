import { randomUUID } from 'node:crypto';
import type { Button, KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Part } from './bot.js';
import { jobIdOf } from './chat/act-job.js';
import { actionNames, formButton, Invocation, type MenuEntry, moreMenu, runButton } from './chat/actions.js';
import { keepAndTell } from './chat/answer-once.js';
import { sweepApprovals } from './chat/approval/run.js';
import { createCatalog } from './chat/catalog.js';
import type { Catalog } from './chat/command.js';
import type { Context, SlackPort } from './chat/context.js';
import { createFollower } from './chat/deploy/follow.js';
import { isHidden as isHiddenField } from './chat/fields.js';
import { bindButtons, fitBlocks } from './chat/fitted.js';
import { sweepAnswers } from './chat/outcome.js';
import { giveUp, perform } from './chat/perform.js';
import { createRecord } from './chat/record.js';
import { fullName, type RunRef } from './chat/references.js';
import type { Acted, Answers, Notice, Runtime, Tells } from './chat/runtime.js';
import type { Services } from './chat/session.js';
import { fieldsOf } from './chat/usage.js';
import type { Config, PolicyFile } from './config.js';
import { commands } from './features/index.js';
import { createMergeWaits } from './features/pulls/wait.js';
import { isDone, runBlocks, stops } from './features/runs/read.js';
import type { Event, RunFacts } from './feed/event.js';
import { exposure } from './feed/exposure.js';
import { type InboxEvent, isInbox, isNamed, isReviewer } from './feed/inbox-why.js';
import { type ItemState, issueState, itemThread, pullState } from './feed/item.js';
import { noticePlace } from './feed/lanes.js';
import { followItem, followNotification } from './feed/own-card.js';
import type { Controls, Poster } from './feed/ports.js';
import { threadMark } from './feed/sources/inbox.js';
import { sourceKey } from './feed/sources/source.js';
import type { Standing } from './feed/standing.js';
import { type Api, type Forge, isHidden } from './forge/index.js';
import { isAbsent, soon, unlessAbsent } from './forge/possible.js';
import { withOpenRequests } from './forge/review-requests.js';
import type { Runner, WorkflowRun } from './forge/schemas.js';
import { splitFullName } from './full-name.js';
import type { Metrics } from './http/metrics.js';
import { createActWorker } from './jobs/act.js';
import { createDepartures } from './jobs/departures.js';
import { createFeedJobs } from './jobs/feed.js';
import { createMeasure } from './jobs/measure.js';
import { patienceMs } from './jobs/patience.js';
import { createQueue } from './jobs/queues.js';
import { createRemindJobs } from './jobs/remind.js';
import { repeat } from './jobs/repeat.js';
import { sealJob } from './jobs/sealed-job.js';
import { isRefused, visible } from './jobs/visible.js';
import type { Log } from './log.js';
import { joinSignIn, type OpenServices, openServices } from './services.js';
import { createAnswers } from './slack/answer.js';
import { createHome } from './slack/home.js';
import { platformError, transientCodes } from './slack/platform-error.js';
import { createPoster } from './slack/post.js';
import { withReopen } from './slack/reopen.js';
import { createUnfurl } from './slack/unfurl.js';
import {
  close,
  connect,
  type Drain,
  type Follow,
  type Person,
  redisTrouble,
  type Store,
  unopened,
} from './store/index.js';
import { actionName } from './view/action.js';
import { type Blocks, section } from './view/blocks.js';
import { doneCard } from './view/cards/outcome.js';
import { openButton } from './view/elements.js';
import { type Message, message, say, withBlocks } from './view/message.js';
import { wholeText } from './view/plain.js';
import { bold, md } from './view/text.js';
import { date } from './view/when.js';
import { type AsPerson, asPerson } from './worker/as-person.js';
import { nextLookMs, usualTempo, type WorkerTempo } from './worker/tempo.js';

/** @internal What the person who clicks can do about an event, with their own account. */
export function eventButtons(event: Event, { item, state, read, stage }: Standing): Controls {
  const at = { ...splitFullName(event.repo.fullName), repoId: event.repo.id };
  const { number } = event.item;
  if (isInbox(event) && event.threadId !== undefined) {
    // read, closed or merged: nothing left to do here
    if (read || state === 'closed' || state === 'merged') return {};
    const args = { thread: { thread: event.threadId }, as: 'read' };
    const done = { text: 'Mark as done', command: 'inbox mark', args } as const;
    if (number === undefined) return { buttons: [runButton(done)] };
    const ref = { ...at, index: number };
    const part = partOf(event, item);
    if (part === 'reviewer') return { buttons: reviewerButtons(ref, event.item.url), menu: moreMenu([done]) };
    const close = runButton({ text: 'Close issue', command: 'issue close', args: { issue: ref } });
    const closes = part === 'assignee' && event.item.kind === 'issue';
    return { buttons: [comment(ref), ...(closes ? [close] : []), runButton(done)] };
  }
  if ('run' in event) {
    const ref = { ...at, run: event.run.id };
    return { buttons: stage ? openRunButtons(event, ref, stage) : runButtons(event, ref) };
  }
  return number === undefined ? {} : sharedControls(event, { ...at, index: number }, item);
}

type RunEvent = Event & { readonly run: RunFacts };

function runButtons(event: RunEvent, run: RunRef): Button[] {
  const { rerun, log } = event.run.offers ?? {};
  const again = rerun && runButton({ text: 'Rerun failed jobs', command: 'run rerun', args: { run, failed: true } });
  const why = log
    ? runButton({ text: 'Show log', command: 'run log', args: { run } })
    : runButton({ text: 'Show run', command: 'run show', args: { run } });
  return [again, why, openButton(event.item.url)].filter((button) => button !== undefined);
}

/** For a run that needs approval or looks stuck; once it continues, nothing is left to do here. */
function openRunButtons(event: RunEvent, run: RunRef, stage: NonNullable<Standing['stage']>): Button[] {
  const { approve, cancel, force } = event.run.offers ?? {};
  const buttons = [
    stage === 'waiting' && approve
      ? runButton({ text: 'Approve run', command: 'run approve', args: { run }, style: 'primary' })
      : undefined,
    stage === 'stuck' && cancel
      ? runButton({ text: 'Cancel run', command: 'run cancel', args: { run }, ...stops['run cancel'] })
      : undefined,
    stage === 'stuck' && force
      ? runButton({ text: 'Force-cancel', command: 'run force-cancel', args: { run }, ...stops['run force-cancel'] })
      : undefined,
    openButton(event.item.url),
  ];
  return buttons.filter((button) => button !== undefined);
}

type Ref = { readonly owner: string; readonly repo: string; readonly index: number };

const comment = (ref: Ref) => formButton({ text: 'Comment', command: 'issue comment', args: { issue: ref } });

/** All its updates, even of kinds the channel is not subscribed to. */
const follow = (item: Ref): MenuEntry => ({ text: 'Follow', command: 'follow', args: { item } });

const reviewerButtons = (pull: Ref, url: string) => [
  runButton({ text: 'Approve', command: 'pr approve', args: { pull }, style: 'primary' }),
  formButton({ text: 'Request changes', command: 'pr request-changes', args: { pull } }),
  openButton(url),
];

/** The reader's part according to the item; if it could not be read, according to the message. */
function partOf({ kind, reader }: InboxEvent, item: ItemState | undefined): 'reviewer' | 'assignee' | undefined {
  const known = item && reader !== undefined;
  const asked = kind === 'inbox:review_requested';
  if (known ? isReviewer(item, reader, asked) : asked) return 'reviewer';
  return (known ? isNamed(item.assignees, reader) : kind === 'inbox:assigned') ? 'assignee' : undefined;
}

/** In a channel everyone sees the same card; people without permission get an explanation. */
function sharedControls(event: Event, ref: Ref, item: ItemState | undefined): Controls {
  const kind = item?.kind ?? event.item.kind;
  const open =
    item === undefined ? !event.kind.endsWith(':closed') && !event.kind.endsWith(':merged') : item.state === 'open';
  if (kind === 'issue') {
    const args = { issue: ref };
    if (!open) return { buttons: [comment(ref), runButton({ text: 'Reopen', command: 'issue reopen', args })] };
    return {
      buttons: [comment(ref), runButton({ text: 'Close', command: 'issue close', args })],
      menu: moreMenu([
        { text: 'Assign…', command: 'issue assign', args, form: true },
        { text: 'Edit…', command: 'issue edit', args, form: true },
        { text: 'Set due date…', command: 'issue due', args, form: true },
        follow(ref),
      ]),
    };
  }
  if (kind !== 'pull' || !open) return {};
  const args = { pull: ref };
  return {
    buttons: [
      runButton({ text: 'Approve', command: 'pr approve', args }),
      comment(ref),
      formButton({ text: 'Merge', command: 'pr merge', args }),
    ],
    menu: moreMenu([
      { text: 'Show details', command: 'pr show', args },
      { text: 'Request changes…', command: 'pr request-changes', args, form: true },
      { text: 'Request reviews…', command: 'pr review', args, form: true },
      { text: 'Edit…', command: 'pr edit', args, form: true },
      follow(ref),
    ]),
  };
}

/** @internal Answers to agents are stored for them and sent to nobody; all others are delivered. */
export function withCalls(answers: Answers, calls: Store['calls'], catalog: Catalog): Answers {
  return {
    ...answers,
    async answer(to, message, how = {}) {
      const { call } = to.answer;
      if (!call) return answers.answer(to, message, how);
      const state = how.lasting ? 'unknown' : how.failed ? 'failed' : 'done';
      await calls.put(call, { state, text: wholeText(message), next: nextIn(message.blocks, catalog) });
      return undefined;
    },
    progress: async (job, message) => (job.answer.call ? undefined : answers.progress(job, message)),
    wait: async (job, message, line) => (job.answer.call ? undefined : answers.wait(job, message, line)),
  };
}

const Turning = z.object({
  action_id: z.string().refine((id) => actionName(id) === actionNames.turn),
  value: z.string(),
});

/** Where the button below a list would continue. */
function nextIn(blocks: readonly KnownBlock[], catalog: Catalog): Record<string, unknown> | undefined {
  const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  for (const button of buttons) {
    const turning = Turning.safeParse(button);
    const asked = turning.success ? Invocation.safeParse(JSON.parse(turning.data.value)) : undefined;
    const command = asked?.success ? catalog.get(asked.data.c) : undefined;
    if (!asked?.success || !command) continue;
    const carried = fieldsOf(command).filter(([name, field]) => isHiddenField(field) && name in asked.data.a);
    if (carried.length > 0) return Object.fromEntries(carried.map(([name]) => [name, asked.data.a[name]]));
  }
  return undefined;
}

const processEveryMs = 2_000;
const lookEveryMs = 60_000;

/** Handles the subscriptions and data of people who left, and asks Slack now and then who did. */
function watchDepartures({ services, identity }: OpenServices, config: Config, log: Log) {
  const departures = createDepartures({
    store: services.store,
    slack: services.slack,
    team: identity.teamId,
    slash: config.command,
    log,
    now: () => services.now().getTime(),
  });
  const stopping = new AbortController();
  const failure = 'departures could not be checked';
  const processing = repeat(processEveryMs, log, failure, () => departures.processAll());
  const watching = repeat(lookEveryMs, log, failure, async () => {
    if (await services.store.intervals.take('departures', lookEveryMs)) await departures.look(stopping.signal);
  });

  return {
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([processing.stop(), watching.stop()]);
    },
  };
}

const people = 1_000;
const quietMs = 10 * 60_000;

/** Tells a person that a request in their name was not run; at most once in a while. */
function createDisown({ tell }: Tells) {
  const notified = new LRUCache<string, true>({ max: people, ttl: quietMs });
  return async (person: Person): Promise<void> => {
    const name = `${person.team}/${person.user}`;
    if (notified.has(name)) return;
    notified.set(name, true);
    await tell(
      person,
      say(md`A request from your account could not be verified, so it was not run. If it was yours, run it again.`),
    );
  };
}

const drainHoldMs = 30_000;
const longestDrainMs = 31 * 86_400_000;
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
function createDrainRunners(services: Services, as: AsPerson, enqueue: Runtime['enqueue'], everyMs: number) {
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
    if (now - refusedSince < patienceMs) return keepDraining(id, { ...drain, refusedSince }, now);
    const still =
      enableAt === undefined ? md`` : md` I’ll still try to enable it ${date(new Date(enableAt), services.now())}.`;
    const says = md`The forge no longer lets you see runner ${bold(name)}, so I can’t tell you when its jobs are done.${still}`;
    await post(drain, `drain-${id}:${since}:refused`, [section(says)]);
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
    const isLate = now - drain.since > longestDrainMs;
    const api = drain.tell && !isLate ? await as(drain.person) : undefined;
    const runner = api && (await readRunner(api, drain));
    if (runner === 'refused') return refused(id, drain, now);
    // it is gone, it was enabled in the meantime, it took too long, or there is nobody to notify
    const isOver = drain.tell && (!runner || runner.disabled === false);
    const isIdle = runner !== undefined && !isOver && !runner.busy;
    if (runner && isIdle) await tell(id, drain, runner);
    const { refusedSince: _, ...left } = { ...drain, tell: drain.tell && !isIdle && !isOver };
    return keepDraining(id, left, now);
  }

  return async (): Promise<void> => {
    for (const { id, value } of await store.drains.due(drainHoldMs)) {
      try {
        await look(id, value);
      } catch (error) {
        log.warn({ id, reason: String(error) }, 'could not check a drained runner for now');
      }
    }
  };
}

type Repository = { readonly owner: string; readonly repo: string };

/** The guard for approval cards: why this repository must not be shown there. */
function createExposed({ slack, service }: Services, policy: PolicyFile['exposure']) {
  return async (repository: Repository | undefined, channel: string): Promise<string | undefined> => {
    const audience = await slack.channel(channel);
    const found = repository && (await visible(fullName(repository), service));
    // what the bot's own account cannot see counts as hidden
    const hidden = repository !== undefined && (found === undefined || isHidden(found));
    const verdict = exposure({ hidden }, audience, policy);
    return verdict.allowed ? undefined : verdict.words;
  };
}

/** @internal Posts are adapted to the server like answers: no buttons for what it lacks, its own name on its links, ids behind names. */
export function fittingPoster(poster: Poster, catalog: Catalog, forge: Forge, service: Api): Poster {
  const suited = async (message: Message) => {
    const fit = await fitBlocks(message.blocks, catalog, forge);
    return withBlocks(
      message,
      await bindButtons(fit, catalog, async (named) => (await soon(service.repos.get(named)))?.id),
    );
  };
  return {
    ...poster,
    post: async (spot, posting) => poster.post(spot, { ...posting, message: await suited(posting.message) }),
    update: async (spot, ts, message) => poster.update(spot, ts, await suited(message)),
  };
}

const followHoldMs = 30_000;
const longestMs = 24 * 3_600_000;

const stateOf = ({ status, conclusion, run_attempt }: WorkflowRun) => `${run_attempt}-${status}-${conclusion ?? ''}`;

/** Shows a run's progress to the person who started it: one direct message, updated until the run ends. */
function createFollowRuns(services: Services, catalog: Catalog, as: AsPerson, everyMs: number) {
  const { store, slack, log } = services;

  async function show(id: string, { person, owner, repo }: Follow, run: WorkflowRun): Promise<void> {
    const card = `follow-${id}`;
    const drawn = message({ blocks: runBlocks(run, { owner, repo }, { now: services.now() }) });
    const fit = withBlocks(drawn, await fitBlocks(drawn.blocks, catalog, services.forge));
    const place = noticePlace({ team: person.team, channel: await slack.directMessage(person.user) });
    await store.outbox.append(place, [
      // a state that was there before is a change too
      { id: `${card}:${services.now().getTime()}`, card, body: { type: 'message', card, message: fit } },
    ]);
  }

  async function look(id: string, follow: Follow): Promise<void> {
    const lasted = services.now().getTime() - follow.since;
    const api = await as(follow.person);
    if (!api || lasted > longestMs) return store.follows.drop(id);
    const { owner, repo } = follow;
    const run = await api.runs.get({ owner, repo, run: follow.run });
    const state = stateOf(run);
    if (state !== follow.shown) await show(id, follow, run);
    if (isDone(run)) return store.follows.drop(id);
    return store.follows.put(id, { ...follow, shown: state }, nextLookMs(lasted, everyMs));
  }

  return async (): Promise<void> => {
    const due = await store.follows.due(followHoldMs);
    await Promise.all(
      due.map(async ({ id, value: follow }) => {
        try {
          await look(id, follow);
        } catch (error) {
          if (isAbsent(error)) await store.follows.drop(id);
          else log.warn({ id, reason: String(error) }, 'a run could not be followed for now');
        }
      }),
    );
  };
}

const itemsAtOnce = 5;
const holdMs = 60_000;
/** Slack gets some time after a temporary problem. */
const retryTurns = 5;

interface Options {
  readonly services: Services;
  readonly catalog: Catalog;
  readonly client: WebClient;
  readonly team: string;
  /** Between two turns. */
  readonly everyMs: number;
}

/** Cards under recent links are redrawn when their item changed. */
function createLinkCards({ services, catalog, client, team, everyMs }: Options) {
  const { store, log } = services;
  const { again } = createUnfurl({ services, catalog, client, team });
  return async (): Promise<void> => {
    for (const due of await store.links.due(itemsAtOnce, holdMs)) {
      const { item } = due;
      for (const link of await store.links.of(item)) {
        try {
          await again(item, link);
        } catch (error) {
          const code = platformError(error);
          // otherwise the message was deleted, or Slack no longer accepts a card there
          if (code === undefined || transientCodes.has(code)) await store.links.touch(item, retryTurns * everyMs);
          else await store.links.drop(item, link);
          log.debug({ item, reason: String(error) }, 'a card under a link stays as it is');
        }
      }
      await store.links.done(due);
    }
  };
}

/** Approval cards go through the outbox: recorded first, posted once, then updated, whatever crashes in between. */
function createNotices(store: Store, team: string) {
  return async ({ key, channel, message, version, under }: Notice): Promise<void> => {
    const place = noticePlace({ team, channel });
    const id = `${key}:${version}`;
    const entry =
      under === undefined
        ? { id, card: key, body: { type: 'message', card: key, message } }
        : { id, body: { type: 'message', under, message } };
    await store.outbox.append(place, [entry]);
  };
}

/** A message to one person that must not be lost: it waits for no backlog and no quiet hours. */
function createTellOnce(store: Store, slack: Pick<SlackPort, 'directMessage'>): Runtime['tellOnce'] {
  return async ({ team, user }, id, message) => {
    const place = noticePlace({ team, channel: await slack.directMessage(user) });
    await store.outbox.append(place, [{ id, body: { type: 'message', message } }]);
  };
}

/** What people do in their direct messages shows there at once: the forge does not notify people of their own actions. */
async function followOwnCards(context: Context, acted: readonly Acted[]): Promise<void> {
  const { api, store, slack, person, channel, forge } = context;
  // elsewhere the feed posts it
  const concerned = acted.filter(({ notification }) => notification !== undefined || channel?.startsWith('D'));
  if (concerned.length === 0) return;
  const place = { team: person.team, channel: await slack.directMessage(person.user) };
  for (const { notification, item } of concerned) {
    if (notification !== undefined) {
      const asOf = store.now();
      const found = await api.notifications.getThread({ id: notification });
      await store.marks.recordOwn(sourceKey({ kind: 'inbox', ...person }), [threadMark(found)]);
      await followNotification(store, place, found, asOf);
    }
    if (!item || channel !== place.channel || !(await forge.capabilities.has('issues.get'))) continue;
    const issue = await api.issues.get(item);
    const thread = issue.repository && itemThread(issue.repository.id, issue.number);
    if (thread === undefined || !(await store.threads.get(place, thread))) continue;
    const pull = issue.pull_request && (await forge.capabilities.has('pulls.get'));
    await followItem(
      store,
      place,
      thread,
      pull ? pullState(await withOpenRequests(api, item, await api.pulls.get(item))) : issueState(issue),
    );
  }
}

/** After a change of BELLOWS_KEYS: reseals every credential with the first key, so that the old one can be removed. */
async function resealAll(store: Store, log: Log): Promise<void> {
  for (const team of await store.accounts.teams()) {
    const moved = await store.accounts.reseal(team);
    if (moved > 0) log.info({ team, moved, under: store.seal.keyId }, 'tokens are now encrypted with this key');
  }
  const lost = await unopened(store);
  if (lost.credentials + lost.approvals === 0) return;
  log.warn(
    { ...lost },
    'BELLOWS_KEYS cannot open some of what is stored: add the missing key back, or these people must link again',
  );
}

/** The same for signed records. Runs in the background: there may be many. */
async function resignAll({ seal, subscriptions, handovers, agents }: Store, log: Log): Promise<void> {
  if (seal.keyCount === 1) return;
  const moved = (await subscriptions.resign()) + (await handovers.resign()) + (await agents.resign());
  if (moved > 0) log.info({ moved, under: seal.keyId }, 'records signed again with this key');
}

/** The process that does the work: commands, approvals, polls, deliveries. */
export async function startWorker(
  config: Config,
  log: Log,
  metrics?: Metrics,
  tempo: Partial<WorkerTempo> = {},
): Promise<Part> {
  const { sweepMs, tellMs, followMs, feed: feedTempo } = { ...usualTempo, ...tempo };
  const open = await openServices({ config, log, metrics });
  const { services, client, redis, forgeId } = open;
  const { store, service, people, teams, slack, forge } = services;
  const now = () => services.now().getTime();
  const blocking = connect(config.redisUrl, { onError: redisTrouble(log) });
  const queue = createQueue('act', { connection: redis, forgeId });
  queue.on('error', redisTrouble(log));
  const catalog = createCatalog(commands);
  const home = createHome({ services, client, catalog });
  const answers = createAnswers({ client, services, home, apiUrl: config.slack.apiUrl });
  const tellOnce = createTellOnce(store, slack);
  const as: AsPerson = (person) => asPerson(services, tellOnce, person);
  const feed = createFeedJobs({
    ...{ store, service, as, slack, people, log, now, connection: blocking },
    has: (operation) => forge.capabilities.has(operation),
    poster: fittingPoster(createPoster(client), catalog, forge, service),
    policy: config.policy,
    slash: config.command,
    team: open.identity.teamId,
    actions: eventButtons,
    forgeNow: forge.now,
    tempo: feedTempo,
    ...(metrics && { count: metrics.feed }),
  });
  const measure = createMeasure(metrics?.act);
  const record = createRecord({ store, catalog, log });
  const replies = withCalls(withReopen(answers, { services, client }), store.calls, catalog);
  const tell: Runtime['tell'] = (person, message, id = randomUUID(), rank = 'known') => {
    const to = { person: { team: person.team, user: person.user }, answer: {}, acceptedAt: now() };
    return keepAndTell({ services, answers: replies }, id, { to, message }, rank);
  };
  const exposed = createExposed(services, config.policy.exposure);
  const runtime: Runtime = {
    services,
    catalog,
    policies: config.policy.approvals,
    answers: replies,
    tell,
    post: createNotices(store, open.identity.teamId),
    enqueue: async (job, id) => {
      await queue.add(job.kind, sealJob(store, job, id), { jobId: id });
    },
    keepUndo: async (person, offer) => {
      const id = randomUUID();
      await store.undo.put(person, id, offer);
      return id;
    },
    record,
    acted: (context, about) =>
      void followOwnCards(context, about).catch((error: unknown) =>
        log.warn({ reason: String(error) }, 'cards in direct messages were not updated'),
      ),
    exposed,
    tellOnce,
  };
  const act = createActWorker({
    connection: blocking,
    forgeId,
    log,
    queue,
    store,
    now,
    perform: (job, id, held) =>
      measure(job, (ended) => {
        const recorded: typeof record = (entry) => {
          ended(entry.outcome);
          return record(entry);
        };
        return perform({ ...runtime, record: recorded }, job, id, held);
      }),
    giveUp: (job, id) => giveUp(runtime, job, id),
    disown: createDisown({ tell }),
  });
  await Promise.all([act.waitUntilReady(), resealAll(store, log)]);
  void resignAll(store, log).catch((error: unknown) =>
    log.warn({ reason: String(error) }, 'could not check stored records'),
  );
  await feed.start();
  const reminders = createRemindJobs({ ...{ store, service, as, people, teams, log, now }, connection: blocking });
  const reminding = await reminders.start();
  const sweeping = repeat(sweepMs, log, 'open approvals could not be checked', () => sweepApprovals(runtime));
  const following = repeat(followMs, log, 'deployments could not be followed', createFollower(runtime, followMs));
  const telling = repeat(tellMs, log, 'answers could not be followed up', () => sweepAnswers(runtime));
  const runs = createFollowRuns(services, catalog, as, followMs);
  const watching = repeat(followMs, log, 'runs could not be followed', runs);
  const cards = createLinkCards({ services, catalog, client, team: open.identity.teamId, everyMs: followMs });
  const linking = repeat(followMs, log, 'cards under links could not be drawn again', cards);
  const drains = createDrainRunners(services, as, runtime.enqueue, followMs);
  const draining = repeat(followMs, log, 'drained runners could not be checked', drains);
  const merges = repeat(followMs, log, 'waiting merges could not be checked', createMergeWaits(runtime, followMs));
  const leaving = watchDepartures(open, config, log);
  metrics?.watch(store);
  return {
    ready: open.ready,
    about: { workspace: open.identity.teamName, server: () => forge.capabilities.server() },
    signIn: joinSignIn(open, replies),
    wake: feed.wakeRepository,
    async stop() {
      await Promise.all(
        [sweeping, leaving, telling, following, watching, linking, draining, merges].map((each) => each.stop()),
      );
      await Promise.all([act.close(), feed.stop(), reminding.stop()]);
      await queue.close();
      await close(blocking);
      await open.close();
    },
  };
}
