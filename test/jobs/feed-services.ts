import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { type SandboxSlack, type SlackOptions, startSlack } from '@bellows/sandbox/slack';
import { afterEach, beforeEach } from 'vitest';
import { parseFilter } from '../../src/feed/filter.js';
import { type Api, createForge, type Forge } from '../../src/forge/index.js';
import { createFeedJobs, type FeedJobs } from '../../src/jobs/feed.js';
import type { FeedOptions, FeedTempo } from '../../src/jobs/feed-deps.js';
import { createLog } from '../../src/log.js';
import { createClient } from '../../src/slack/client.js';
import { createSlackFacts } from '../../src/slack/facts.js';
import { createPoster } from '../../src/slack/post.js';
import { type Person, plainJson, type Store } from '../../src/store/index.js';
import { quickPolicy } from '../support/quick.js';
import { useStore } from '../support/redis.js';

const fast: Partial<FeedTempo> = {
  confirmMs: 0,
  soonMs: 0,
  posts: { team: { intervalMs: 1, burst: 1_000 }, channel: { intervalMs: 1, burst: 1_000 } },
  updates: { intervalMs: 1, burst: 1_000 },
};

export interface FeedServices {
  readonly forge: SandboxForge;
  readonly slack: SandboxSlack;
  readonly store: Store;
  /** Where its Redis is. */
  readonly url: string;
  readonly jobs: FeedJobs;
  /** Simulates one more worker process. */
  another(): FeedJobs;
  readonly counts: Map<string, number>;
  pass(ms: number): void;
  /** From now on the forge's clock is off by this much. */
  setForgeClock(offMs: number): void;
  now(): number;
  service: Api;
  /** What its workers share with other parts of the product. */
  readonly shared: Pick<FeedOptions, 'slack' | 'people' | 'policy' | 'log'>;
  subscribe(channel: string, repo: string, words?: string): Promise<void>;
  /** Polls everything that is followed, due or not, and delivers the results. */
  round(): Promise<void>;
  poll(): Promise<void>;
  deliver(): Promise<void>;
  /** What everyone sees in the channel itself. */
  shown(channel: string): string[];
  replies(channel: string, ts: string | undefined): string[];
}

export interface ServicesOptions {
  readonly historyScopes?: boolean;
  readonly policy?: string;
  /** Not limited if absent. */
  readonly requestsPerSecond?: number;
  readonly tempo?: Partial<FeedTempo>;
  readonly flavor?: 'gitea-1.28' | 'gitea-1.26' | 'forgejo-11' | 'forgejo-15' | 'forgejo-16' | 'document';
  readonly people?: Readonly<Record<string, string>>;
  /** Of the bot's own token; all if absent. */
  readonly scopes?: readonly string[];
  /** The order of rows within one second of a feed. */
  readonly ties?: 'shuffled';
  readonly slack?: SlackOptions;
  /** The forge sends webhooks. */
  readonly hooked?: boolean;
}

/** Each poll would read the whole month before the test; its last acts, told to everyone concerned, are past enough. */
function shorten({ world: { state } }: SandboxForge): void {
  for (const repo of state.repos.values()) {
    const last = state.feed.ofRepo(repo).slice(-12);
    state.feed.forget(repo);
    for (const row of last) state.feed.add(row);
  }
}

/** Forge, Slack and Redis with the feed between them; the test takes the steps. */
export function useFeed(options: ServicesOptions = {}): FeedServices {
  const base = useStore();
  let open:
    | {
        forge: SandboxForge;
        slack: SandboxSlack;
        client: Forge;
        workers: FeedJobs[];
        service: Api;
        shared: FeedServices['shared'];
        another: () => FeedJobs;
      }
    | undefined;
  const counts = new Map<string, number>();
  let forgeOff = 0;
  const here = () => {
    if (!open) throw new Error('useFeed() gives its services inside tests only.');
    return open;
  };

  beforeEach(async () => {
    forgeOff = 0;
    counts.clear();
    const forge = await startForge({
      clock: () => base.now() + forgeOff,
      ...(options.flavor && { flavor: options.flavor }),
      ...(options.ties && { ties: options.ties }),
    });
    shorten(forge);
    const slack = await startSlack({
      clock: base.now,
      historyScopes: options.historyScopes ?? true,
      ...options.slack,
    });
    const client = createForge({ url: forge.url, retry: { attempts: 1 }, now: base.now });
    const service = client.as({ kind: 'token', token: forge.account('ada').token(options.scopes) });
    const web = createClient({
      botToken: slack.botToken,
      apiUrl: slack.apiUrl,
      mode: { kind: 'socket', appToken: '' },
    });
    const { store } = base;
    const people = options.people ?? {};
    const policy = quickPolicy(options.policy ?? '');
    const { requestsPerSecond = policy.feed.requestsPerSecond } = options;
    const workers: FeedJobs[] = [];
    const facts = createSlackFacts({ client: web, team: slack.teamId, store });
    const shared = {
      slack: facts,
      people: {
        slackUserOf: async (_team: string, login: string) => people[login],
        loginOf: async ({ user }: Person) => Object.entries(people).find(([, id]) => id === user)?.[0],
      },
      policy: { ...policy, feed: { ...policy.feed, requestsPerSecond } },
      log: createLog({ level: 'silent' }),
    };
    const another = () => {
      const made = createFeedJobs({
        store,
        connection: base.redis,
        service,
        has: (name) => client.capabilities.has(name),
        as: async ({ user }) => {
          const [login] = Object.entries(people).find(([, id]) => id === user) ?? [];
          return login === undefined ? undefined : client.as({ kind: 'token', token: forge.account(login).token() });
        },
        poster: createPoster(web, facts),
        ...shared,
        team: slack.teamId,
        now: base.now,
        forgeNow: client.now,
        random: () => 0.5,
        hooked: options.hooked ?? false,
        tempo: { ...fast, ...options.tempo },
        count: (name, amount = 1) => counts.set(name, (counts.get(name) ?? 0) + amount),
      });
      workers.push(made);
      return made;
    };
    another();
    open = { forge, slack, client, workers, service, shared, another };
  });

  afterEach(async () => {
    const { forge, slack, client, workers } = here();
    await Promise.all(workers.map((worker) => worker.stop()));
    await client.close();
    await Promise.all([forge.close(), slack.close()]);
  });

  const jobs = (): FeedJobs => {
    const [first] = here().workers;
    if (!first) throw new Error('no worker');
    return first;
  };
  const poll = async () => {
    const { store } = base;
    await jobs().steps.reconcile();
    for (const { source } of await store.sources.list()) await store.sources.wake(source);
    await pollDue();
  };
  const pollDue = async () => {
    for (const due of await base.store.sources.claimDue(1_000, 60_000)) await jobs().steps.poll(due);
  };
  const deliver = async () => {
    for (const place of await base.store.outbox.pending()) {
      for (let turns = 0; turns < 100; turns++) {
        const wait = await jobs().steps.deliver(place);
        if (wait === undefined) break;
        base.pass(wait);
      }
    }
  };
  return {
    get forge() {
      return here().forge;
    },
    get slack() {
      return here().slack;
    },
    get store() {
      return base.store;
    },
    get url() {
      return base.url;
    },
    get jobs() {
      return jobs();
    },
    another: () => here().another(),
    get service() {
      return here().service;
    },
    get shared() {
      return here().shared;
    },
    counts,
    pass: base.pass,
    setForgeClock(offMs) {
      forgeOff = offMs;
    },
    now: base.now,
    async subscribe(channel, repo, words = '') {
      const [owner = '', name = ''] = repo.split('/');
      const place = { team: here().slack.teamId, channel };
      const common = { place, owner: 'U0ADA00001', filter: plainJson(parseFilter(words)) };
      if (name.includes('*')) {
        const { id } = await here().service.users.get({ username: owner });
        await base.store.subscriptions.put({ ...common, target: { kind: 'owner', id, pattern: name } }, owner);
      } else {
        const { id } = await here().service.repos.get({ owner, repo: name });
        await base.store.subscriptions.put({ ...common, target: { kind: 'repo', id } }, repo);
      }
    },
    poll,
    deliver,
    async round() {
      // rows of the forge's current second may not be all
      base.pass(1_000);
      await poll();
      // a push is held back for one poll
      await pollDue();
      await deliver();
    },
    shown: (channel) =>
      here()
        .slack.state.messages(channel)
        .filter(({ threadTs }) => threadTs === undefined)
        .map(({ text }) => text),
    replies: (channel, ts) =>
      here()
        .slack.state.messages(channel)
        .filter(({ threadTs }) => ts !== undefined && threadTs === ts)
        .map(({ text }) => text),
  };
}
