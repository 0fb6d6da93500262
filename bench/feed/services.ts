import { randomBytes } from 'node:crypto';
import { readPolicyFile } from '../../src/config/file.js';
import type { Api } from '../../src/forge/index.js';
import { createFeedJobs, type FeedJobs } from '../../src/jobs/feed.js';
import { createLog } from '../../src/log.js';
import { type Connection, close, connect, createSeal, createStore, ready, type Store } from '../../src/store/index.js';
import { startDurable } from '../redis.js';

export interface BenchServices {
  readonly store: Store;
  readonly redis: Connection;
  readonly jobs: FeedJobs;
  close(): Promise<void>;
}

export const benchTeam = 'T0BENCH001';
const nobody = () => Promise.reject(new Error('a benchmark posts nothing'));

/** The feed on its own Redis, without Slack; `service` is the forge. */
export async function openServices(service: Api, requestsPerSecond = 1_000_000): Promise<BenchServices> {
  const server = await startDurable();
  const redis = connect(server.url);
  await ready(redis);
  const seal = createSeal(`k1:${randomBytes(32).toString('base64')}`);
  const store = createStore({ redis, forgeId: 'bench', seal });
  const policy = readPolicyFile('', 'bellows.yaml');
  const jobs = createFeedJobs({
    store,
    connection: redis,
    service,
    has: async () => true,
    as: async () => service,
    poster: { post: nobody, update: nobody, find: nobody },
    slack: { channel: async () => undefined, user: async () => undefined, directMessage: nobody },
    people: { slackUserOf: async () => undefined, loginOf: async () => undefined },
    // usually the rate limit of the forge is not what is measured
    policy: { ...policy, feed: { ...policy.feed, requestsPerSecond } },
    team: benchTeam,
    hooked: true,
    log: createLog({ level: 'silent' }),
  });
  return {
    store,
    redis,
    jobs,
    async close() {
      await jobs.stop();
      await close(redis);
      await server.close();
    },
  };
}
