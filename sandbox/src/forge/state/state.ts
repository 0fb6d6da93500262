import type { Job, Run, Runner } from './actions.js';
import { createFeed, type Feed } from './feed.js';
import { createOAuthState, type OAuthState } from './oauth.js';
import type { Team, Token, User } from './people.js';
import type { CronTask, Hook, Key, Package, Project, Thread } from './records.js';
import type { Comment, Issue, Repo, TrackedTime } from './repo.js';
import type { Site } from './site.js';

export interface Change {
  readonly what: 'feed' | 'notification' | 'run' | 'runner' | 'repository' | 'issue';
  readonly repo?: string;
}

/** One hook delivery, as in the forge's log. */
interface Delivery {
  readonly hook: number;
  readonly event: string;
  readonly url: string;
  /** Undefined: no answer. */
  readonly status: number | undefined;
}

export interface State {
  readonly site: Site;
  /** Whole seconds, as the forge stores them. */
  readonly now: () => number;
  /** Does `work` as if it were then. */
  readonly at: <T>(seconds: number, work: () => T) => T;
  readonly nextId: (kind: string) => number;
  readonly users: Map<number, User>;
  readonly teams: Map<number, Team>;
  readonly tokens: Map<string, Token>;
  readonly oauth: OAuthState;
  readonly repos: Map<number, Repo>;
  /** The last repository found under each name: with thousands of them, a search for each request takes too long. */
  readonly repoNames: Map<string, Repo>;
  readonly stars: Map<User, Set<Repo>>;
  readonly issues: Map<number, Issue>;
  readonly comments: Map<number, Comment>;
  readonly times: TrackedTime[];
  readonly feed: Feed;
  readonly threads: Map<number, Thread>;
  readonly runs: Map<number, Run>;
  readonly jobs: Map<number, Job>;
  readonly runners: Map<number, Runner>;
  readonly cron: CronTask[];
  readonly hooks: Map<number, Hook>;
  readonly deliveries: Delivery[];
  readonly pending: Set<Promise<void>>;
  readonly packages: Package[];
  readonly projects: Map<number, Project>;
  readonly keys: Map<number, Key>;
  readonly listeners: Set<(change: Change) => void>;
}

export function createState(site: Site, clock: () => number): State {
  const counters = new Map<string, number>();
  let pinned: number | undefined;
  return {
    site,
    now: () => pinned ?? Math.floor(clock() / 1000),
    at: (seconds, work) => {
      const before = pinned;
      pinned = Math.floor(seconds);
      try {
        return work();
      } finally {
        pinned = before;
      }
    },
    nextId: (kind) => {
      const id = (counters.get(kind) ?? 0) + 1;
      counters.set(kind, id);
      return id;
    },
    users: new Map(),
    teams: new Map(),
    tokens: new Map(),
    oauth: createOAuthState(),
    repos: new Map(),
    repoNames: new Map(),
    stars: new Map(),
    issues: new Map(),
    comments: new Map(),
    times: [],
    feed: createFeed(),
    threads: new Map(),
    runs: new Map(),
    jobs: new Map(),
    runners: new Map(),
    cron: [],
    hooks: new Map(),
    deliveries: [],
    pending: new Set(),
    packages: [],
    projects: new Map(),
    keys: new Map(),
    listeners: new Set(),
  };
}

export function changed(state: State, what: Change['what'], repo?: Repo): void {
  for (const listener of state.listeners) {
    listener(repo === undefined ? { what } : { what, repo: `${repo.owner.login}/${repo.name}` });
  }
}
