import pMap from 'p-map';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { OutboxPlace, SourceLags, Store } from '../store/index.js';

interface Backlog {
  readonly entries: number;
  readonly oldestSeconds: number;
  readonly paused: number;
  /** Messages Slack refused in every form. */
  readonly aside: number;
  readonly sources: number;
  /** Pull requests in merge queues. */
  readonly queued: number;
  /** For how many milliseconds the most overdue source of each kind has waited. */
  readonly lags: SourceLags;
}

const atOnce = 50;

/** @internal What is pending, read from the records themselves: valid for all processes together. */
export async function readBacklog(store: Store, now: number): Promise<Backlog> {
  const [places, sources, lags, queues] = await Promise.all([
    store.outbox.pending(),
    store.sources.count(),
    store.sources.lags(),
    store.queues.list(),
  ]);
  let entries = 0;
  let paused = 0;
  let oldest = now;
  const view = (place: OutboxPlace) => store.outbox.view(place, 1);
  for (const { size, pause, entries: queued } of await pMap(places, view, { concurrency: atOnce })) {
    entries += size;
    if (pause) paused += 1;
    else oldest = Math.min(oldest, queued[0]?.at ?? now);
  }
  const asides = await pMap(await store.outbox.withAside(), view, { concurrency: atOnce });
  return {
    entries,
    paused,
    aside: asides.reduce((sum, each) => sum + each.aside, 0),
    oldestSeconds: (now - oldest) / 1_000,
    sources,
    lags,
    queued: queues.reduce((sum, each) => sum + each.entries.length, 0),
  };
}

/** Metrics for operators; every name below is documented. */
export interface Metrics {
  /** From Slack's request to our acknowledgement. */
  ack(door: string, seconds: number): void;
  /** From accepted to answered. */
  act(command: string, outcome: string, seconds: number): void;
  slackCall(method: string, result: string): void;
  forgeCall(operation: string, result: string): void;
  feed(what: string, amount?: number): void;
  /** A pull request left a merge queue. */
  queue(outcome: string): void;
  /** A record in Redis that someone else wrote was refused. */
  forged(kind: string): void;
  /** The backlog is read from this store on each scrape. */
  watch(store: Store): void;
  text(): Promise<{ readonly text: string; readonly type: string }>;
}

const fast = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
const slow = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export function createMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  let watched = false;
  const ack = new Histogram({
    name: 'bellows_ack_seconds',
    help: 'From a Slack request to its acknowledgement',
    labelNames: ['door'],
    buckets: fast,
    registers,
  });
  const act = new Histogram({
    name: 'bellows_act_seconds',
    help: 'From accepted to answered, by command and outcome',
    labelNames: ['command', 'outcome'],
    buckets: slow,
    registers,
  });
  const slack = counter('bellows_slack_calls_total', 'Calls to the Slack Web API', ['method', 'result']);
  const forge = counter('bellows_forge_calls_total', 'Calls to the forge', ['operation', 'result']);
  const feed = counter('bellows_feed_total', 'Polls, events and posts by result', ['what']);
  const queue = counter('bellows_queue_total', 'Pull requests that left a merge queue', ['outcome']);
  const forged = counter('bellows_forged_records_total', 'Records in Redis that Bellows did not write', ['kind']);

  function counter<const Label extends string>(name: string, help: string, labelNames: readonly Label[]) {
    return new Counter({ name, help, labelNames, registers });
  }

  return {
    ack: (door, seconds) => ack.observe({ door }, seconds),
    act: (command, outcome, seconds) => act.observe({ command, outcome }, seconds),
    slackCall: (method, result) => slack.inc({ method, result }),
    forgeCall: (operation, result) => forge.inc({ operation, result }),
    feed: (what, amount = 1) => feed.inc({ what }, amount),
    queue: (outcome) => queue.inc({ outcome }),
    forged: (kind) => forged.inc({ kind }),
    watch(store) {
      // Bot and worker in one process see the same records.
      if (!watched) watchBacklog(store, registers);
      watched = true;
    },
    text: async () => ({ text: await register.metrics(), type: register.contentType }),
  };
}

const gauges: Readonly<Record<string, { readonly help: string; readonly read: (backlog: Backlog) => number }>> = {
  bellows_outbox_entries: { help: 'Messages waiting to be posted', read: ({ entries }) => entries },
  bellows_outbox_age_seconds: {
    help: 'Age of the oldest waiting message that is not paused',
    read: ({ oldestSeconds }) => oldestSeconds,
  },
  bellows_outbox_paused: { help: 'Channels whose outbox is paused', read: ({ paused }) => paused },
  bellows_outbox_aside: {
    help: 'Messages of the last week that could not be posted; most are tried again',
    read: ({ aside }) => aside,
  },
  bellows_queue_entries: { help: 'Pull requests in merge queues', read: ({ queued }) => queued },
  bellows_sources: { help: 'Sources that are polled', read: ({ sources }) => sources },
  bellows_poll_lag_seconds: {
    help: 'How long the most overdue repository or owner has waited for its poll',
    read: ({ lags }) => lags.due / 1_000,
  },
  bellows_woken_lag_seconds: {
    help: 'How long the oldest wake-up has waited for its poll',
    read: ({ lags }) => lags.woken / 1_000,
  },
  bellows_inbox_lag_seconds: {
    help: 'How long the most overdue inbox has waited for its poll',
    read: ({ lags }) => lags.inboxes / 1_000,
  },
};

/** All gauges of one scrape share one read of Redis. */
function watchBacklog(store: Store, registers: Registry[]): void {
  let reading: Promise<Backlog> | undefined;
  const look = () => {
    reading ??= readBacklog(store, store.now()).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  for (const [name, { help, read }] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(read(await look()));
      },
    });
  }
}
