import { randomUUID } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Part } from './bot.js';
import { actionNames, Invocation } from './chat/actions.js';
import { sweepApprovals } from './chat/approval/run.js';
import { type AsPerson, asPerson } from './chat/as-person.js';
import { createCatalog } from './chat/catalog.js';
import type { Catalog } from './chat/command.js';
import type { Context } from './chat/context.js';
import { createFollower } from './chat/deploy/follow.js';
import { isHidden as isHiddenField } from './chat/fields.js';
import { bindButtons, fitBlocks } from './chat/fitted.js';
import { notify } from './chat/notice.js';
import { sweepAnswers } from './chat/outcome.js';
import { giveUp, perform } from './chat/perform.js';
import { createRecord } from './chat/record.js';
import { fullName } from './chat/references.js';
import type { Acted, Answers, Notice, Runtime } from './chat/runtime.js';
import type { Services } from './chat/session.js';
import { fieldsOf } from './chat/usage.js';
import type { Config } from './config.js';
import { reasonOf } from './errors.js';
import { commands } from './features/index.js';
import { createOfferAgain } from './features/pulls/take.js';
import { createQueueWork } from './features/queue/work.js';
import { createReviewWatch } from './features/reviews/clock.js';
import { createDrainRunners } from './features/runners/drain.js';
import { createFollowRuns } from './features/workflows/run.js';
import { exposure } from './feed/exposure.js';
import { issueState, itemThread, pullState } from './feed/item.js';
import { followItem, followNotification } from './feed/own-card.js';
import type { Poster } from './feed/ports.js';
import { threadMark } from './feed/sources/inbox.js';
import { sourceKey } from './feed/sources/source.js';
import { type Api, type Forge, isHidden } from './forge/index.js';
import { soon } from './forge/possible.js';
import { withOpenRequests } from './forge/review-requests.js';
import type { Metrics } from './http/metrics.js';
import { createActWorker } from './jobs/act.js';
import { createDepartures } from './jobs/departures.js';
import { createFeedJobs } from './jobs/feed.js';
import { createMeasure } from './jobs/measure.js';
import { createQueue } from './jobs/queues.js';
import { createRemindJobs } from './jobs/remind.js';
import { repeat } from './jobs/repeat.js';
import { sealJob } from './jobs/sealed-job.js';
import { visible } from './jobs/visible.js';
import type { Log } from './log.js';
import { joinSignIn, type OpenServices, openServices } from './services.js';
import { createAnswers } from './slack/answer.js';
import { createHome } from './slack/home.js';
import { createPoster } from './slack/post.js';
import { withReopen } from './slack/reopen.js';
import { createLinkCards } from './slack/unfurl.js';
import { close, connect, countUnopened, type Person, redisTrouble, type Store } from './store/index.js';
import { actionName } from './view/action.js';
import { type Message, say, withBlocks } from './view/message.js';
import { wholeText } from './view/plain.js';
import { md } from './view/text.js';
import { usualTempo, type WorkerTempo } from './worker/tempo.js';

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

const lookEveryMs = 60_000;

/** Handles the subscriptions and data of people who left, and asks Slack now and then who did. */
function watchDepartures({ services, identity }: OpenServices, config: Config, log: Log, followMs: number) {
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
  const processing = repeat(followMs, log, failure, () => departures.processAll());
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

const quietMs = 10 * 60_000;

/** Tells a person that a request in their name was not run; at most once in a while. */
const createDisown = (store: Store) => (person: Person) => {
  const says = md`A request from your account could not be verified, so it was not run. If it was yours, run it again.`;
  return notify(store, person, `disowned:${person.user}:${Math.floor(store.now() / quietMs)}`, say(says));
};

type Repository = { readonly owner: string; readonly repo: string };

/** The guard for approval cards: why this repository must not be shown there. */
function createExposed({ slack, service, policy }: Services) {
  return async (repository: Repository | undefined, channel: string): Promise<string | undefined> => {
    const audience = await slack.channel(channel);
    const found = repository && (await visible(fullName(repository), service));
    // what the bot's own account cannot see counts as hidden
    const hidden = repository !== undefined && (found === undefined || isHidden(found));
    const verdict = exposure({ hidden }, audience, policy.exposure);
    return verdict.allowed ? undefined : verdict.words;
  };
}

/** @internal Posts are adapted to the server like answers: no buttons for what it lacks, its own name on its links, ids behind names. */
export function fittingPoster(poster: Poster, catalog: Catalog, forge: Forge, service: Api): Poster {
  const suit = async (message: Message) => {
    const fit = await fitBlocks(message.blocks, catalog, forge);
    return withBlocks(
      message,
      await bindButtons(fit, catalog, async (named) => (await soon(service.repos.get(named)))?.id),
    );
  };
  return {
    ...poster,
    post: async (spot, posting) => poster.post(spot, { ...posting, message: await suit(posting.message) }),
    update: async (spot, ts, message) => poster.update(spot, ts, await suit(message)),
  };
}

/** Approval cards are posted once, then updated, whatever crashes in between. */
const createNotices =
  (store: Store, team: string) =>
  ({ key, channel, message, version, under }: Notice): Promise<void> =>
    notify(
      store,
      { team, channel, lane: 'notices' },
      `${key}:${version}`,
      message,
      under === undefined ? { card: key } : { under },
    );

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
  const lost = await countUnopened(store);
  if (lost.credentials + lost.approvals === 0) return;
  log.warn(
    { ...lost },
    'BELLOWS_KEYS cannot open some of what is stored: add the missing key back, or these people must link again',
  );
}

/** The same for signed records. Runs in the background: there may be many. */
async function resignAll({ seal, subscriptions, handovers, reminders, agents }: Store, log: Log): Promise<void> {
  if (seal.keyCount === 1) return;
  let moved = 0;
  for (const { resign } of [subscriptions, handovers, reminders, agents]) moved += await resign();
  if (moved > 0) log.info({ moved, under: seal.keyId }, 'records signed again with this key');
}

/** The process that does the work: commands, approvals, polls, deliveries. */
export async function startWorker(
  config: Config,
  log: Log,
  metrics?: Metrics,
  tempo: Partial<WorkerTempo> = {},
): Promise<Part> {
  const {
    sweepMs,
    tellMs,
    lookMs,
    followMs,
    queueMs,
    reviewsMs,
    remindMs,
    feed: feedTempo,
  } = { ...usualTempo, ...tempo };
  const open = await openServices({ config, log, metrics });
  const { services, client, redis, forgeId } = open;
  const { store, service, people, policy, slack, forge } = services;
  const now = () => services.now().getTime();
  const blocking = connect(config.redisUrl, { onError: redisTrouble(log) });
  const queue = createQueue('act', { connection: redis, forgeId });
  queue.on('error', redisTrouble(log));
  const catalog = createCatalog(commands);
  const home = createHome({ services, client, catalog });
  const answers = createAnswers({ client, services, home, apiUrl: config.slack.apiUrl });
  const as: AsPerson = (person) => asPerson(services, person);
  const feed = createFeedJobs({
    ...{ store, service, as, slack, people, policy, log, now, connection: blocking },
    has: (operation) => forge.capabilities.has(operation),
    poster: fittingPoster(createPoster(client, slack), catalog, forge, service),
    slash: config.command,
    team: open.identity.teamId,
    forgeNow: forge.now,
    hooked: config.forge.webhookSecret !== undefined,
    tempo: feedTempo,
    ...(metrics && { count: metrics.feed }),
  });
  const measure = createMeasure(metrics?.act);
  const record = createRecord({ store, catalog, log });
  const replies = withCalls(withReopen(answers, { services, client }), store.calls, catalog);
  const runtime: Runtime = {
    services,
    catalog,
    answers: replies,
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
        log.warn({ reason: reasonOf(error) }, 'cards in direct messages were not updated'),
      ),
    exposed: createExposed(services),
    lookMs,
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
        const recordEnd: typeof record = (entry) => {
          ended(entry.outcome);
          return record(entry);
        };
        return perform({ ...runtime, record: recordEnd }, job, id, held);
      }),
    giveUp: (job, id) => giveUp(runtime, job, id),
    disown: createDisown(store),
  });
  await Promise.all([act.waitUntilReady(), resealAll(store, log)]);
  void resignAll(store, log).catch((error: unknown) =>
    log.warn({ reason: reasonOf(error) }, 'could not check stored records'),
  );
  await feed.start();
  const reminders = createRemindJobs({
    ...{ store, service, as, people, policy, log, now },
    connection: blocking,
  });
  const reminding = await reminders.start(remindMs);
  const sweeping = repeat(sweepMs, log, 'open approvals could not be checked', () => sweepApprovals(runtime));
  const following = repeat(followMs, log, 'deployments could not be followed', createFollower(runtime, followMs));
  const telling = repeat(tellMs, log, 'answers could not be followed up', () => sweepAnswers(runtime));
  const runs = createFollowRuns(services, as, followMs);
  const watching = repeat(followMs, log, 'runs could not be followed', runs);
  const cards = createLinkCards({ services, catalog, client, team: open.identity.teamId, everyMs: followMs });
  const linking = repeat(followMs, log, 'cards under links could not be drawn again', cards);
  const drains = createDrainRunners(services, as, runtime.enqueue, followMs);
  const draining = repeat(followMs, log, 'drained runners could not be checked', drains);
  const offering = repeat(followMs, log, 'taken reviews could not be offered again', createOfferAgain(store));
  const queues = createQueueWork({ ...runtime, ...(metrics && { count: metrics.queue }) }, queueMs);
  // a webhook may wake them at any time
  const merging = repeat(queueMs / 4, log, 'merge queues could not be worked on', queues);
  const reviews = createReviewWatch(services, open.identity.teamId, reviewsMs);
  const reviewing = repeat(followMs, log, 'review times could not be checked', reviews);
  const leaving = watchDepartures(open, config, log, followMs);
  metrics?.watch(store);
  return {
    ready: open.ready,
    about: { workspace: open.identity.teamName, server: () => forge.capabilities.server() },
    signIn: joinSignIn(open, replies),
    wake: feed.wakeRepository,
    async stop() {
      await Promise.all(
        [sweeping, leaving, telling, following, watching, linking, draining, offering, merging, reviewing].map((each) =>
          each.stop(),
        ),
      );
      await Promise.all([act.close(), feed.stop(), reminding.stop()]);
      await queue.close();
      await close(blocking);
      await open.close();
    },
  };
}
