import { randomUUID } from 'node:crypto';
import type { Part } from './bot.js';
import { keepAndTell } from './chat/answer-once.js';
import { sweepApprovals } from './chat/approval/sweep.js';
import { createCatalog } from './chat/catalog.js';
import { createFollower } from './chat/deploy/follow.js';
import { giveUp, perform } from './chat/perform.js';
import { createRecord } from './chat/record.js';
import type { Runtime } from './chat/runtime.js';
import { sweepAnswers } from './chat/sweep-answers.js';
import { commands } from './commands/index.js';
import type { Config } from './config.js';
import { createMergeWaits } from './domain/pulls/wait.js';
import type { Metrics } from './http/metrics.js';
import { createActWorker } from './jobs/act.js';
import { createFeedJobs } from './jobs/feed.js';
import { createMeasure } from './jobs/measure.js';
import { createQueue } from './jobs/queues.js';
import { createRemindJobs } from './jobs/remind.js';
import { repeat } from './jobs/repeat.js';
import { sealJob } from './jobs/sealed-job.js';
import type { Log } from './log.js';
import { joinSignIn } from './services/sign-in.js';
import { openServices } from './services.js';
import { createAnswers } from './slack/answer.js';
import { createHome } from './slack/home.js';
import { createPoster } from './slack/post.js';
import { withReopen } from './slack/reopen.js';
import { close, connect, redisTrouble } from './store/index.js';
import { type AsPerson, asPerson } from './worker/as-person.js';
import { eventButtons } from './worker/buttons.js';
import { withCalls } from './worker/calls.js';
import { watchDepartures } from './worker/departures.js';
import { createDisown } from './worker/disown.js';
import { createDrainRunners } from './worker/drain-runners.js';
import { createExposed } from './worker/exposed.js';
import { fittingPoster } from './worker/fitting.js';
import { createFollowRuns } from './worker/follow-runs.js';
import { createLinkCards } from './worker/link-cards.js';
import { createNotices, createTellOnce } from './worker/notices.js';
import { followOwnCards } from './worker/own-cards.js';
import { resealAll, resignAll } from './worker/reseal.js';
import { usualTempo, type WorkerTempo } from './worker/tempo.js';

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
