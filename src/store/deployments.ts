import { z } from 'zod';
import { checkSignature, signText } from './authentic.js';
import { type Ground, script, versionedCodec } from './ground.js';
import type { About } from './seal.js';

const Who = z.object({ team: z.string(), user: z.string(), login: z.string().nullable() });

const states = ['starting', 'running', 'succeeded', 'failed', 'canceled', 'unknown'] as const;
const State = z.enum(states);
const Deployment = z.object({
  id: z.string(),
  environment: z.string(),
  repository: z.object({ owner: z.string(), repo: z.string() }),
  workflow: z.string(),
  /** In full, as dispatched. */
  ref: z.string(),
  /** The approved commit. */
  sha: z.string(),
  /** The previous commit; null if unknown. */
  from: z.string().nullable(),
  by: Who,
  approvers: z.array(Who),
  /** For a deployment without the approval it should have had. */
  breakGlass: z.string().nullable(),
  channel: z.string(),
  /** The approval whose card shows it; null: it has its own card. */
  approval: z.string().nullable(),
  run: z.int().nullable(),
  /** The run's number on the forge's pages, once known. */
  number: z.int().optional(),
  /** Of the run: rerunning failed jobs continues the same deployment. */
  attempt: z.int().default(1),
  url: z.string(),
  /** The commit that actually runs, if it is a different one. */
  otherCommit: z.string().nullable(),
  /** What became of the run on that commit, which nobody approved; unable: this server cannot. */
  stop: z.object({ how: z.enum(['canceled', 'forced', 'failed', 'unable']), at: z.int() }).optional(),
  /** The ref of the previous version, for a rollback; null if there is none. */
  rollback: z.string().nullable(),
  state: State,
  startedAt: z.int(),
  endedAt: z.int().nullable(),
});
export type Deployment = z.infer<typeof Deployment>;
const deployment = versionedCodec(Deployment);

type Beginning = { readonly begun: true } | { readonly begun: false; readonly current: Deployment };

const Freeze = z.object({ by: Who, at: z.int(), until: z.int(), reason: z.string().optional() });
export type Freeze = z.infer<typeof Freeze>;
const freeze = versionedCodec(Freeze);

/** What the run deployed, approved or not. */
export const ranCommit = ({ otherCommit, sha }: Pick<Deployment, 'otherCommit' | 'sha'>): string => otherCommit ?? sha;

export const isOver = ({ state }: Pick<Deployment, 'state'>): boolean => state !== 'starting' && state !== 'running';

const mostKept = 200;

/** What was deployed where, and what is being deployed: one at a time per environment. Only Bellows' own records count. */
export function createDeployments({ redis, forge, keys, seal, now, alarm }: Ground) {
  const about = (environment: string, id: string): About => ['deployment', forge, environment, id];
  const freezeAbout = (environment: string): About => ['freeze', forge, environment];
  const reason = 'changed, copied or made by someone else, or its key is missing';

  const read = (environment: string, id: string, stored: string): Deployment | undefined => {
    const text = checkSignature(seal, stored, about(environment, id));
    if (text === undefined) alarm({ kind: 'deployment', id: `${environment} ${id}`, reason });
    return text === undefined ? undefined : deployment.decode(text);
  };
  const encodeRecord = (record: Deployment) =>
    signText(seal, deployment.encode(record), about(record.environment, record.id));
  const get = async (environment: string, id: string): Promise<Deployment | undefined> => {
    const stored = await redis.hget(keys.deployments({ environment }), id);
    return stored === null ? undefined : read(environment, id, stored);
  };
  /** Newest first. */
  const list = async (environment: string): Promise<Deployment[]> =>
    Object.entries(await redis.hgetall(keys.deployments({ environment })))
      .flatMap(([id, stored]) => read(environment, id, stored) ?? [])
      .sort((a, b) => b.startedAt - a.startedAt);
  const release = async (environment: string, id: string): Promise<void> => {
    await free(redis, [keys.deploying({ environment })], [id]);
  };
  /** The one in progress, or finished and not announced yet. */
  const current = async (environment: string): Promise<Deployment | undefined> => {
    const id = await redis.get(keys.deploying({ environment }));
    if (id === null) return undefined;
    const found = await get(environment, id);
    // an id without a record would block the environment forever
    if (!found) await release(environment, id);
    return found;
  };

  return {
    get,
    list,
    current,
    release,

    /** Begun: it may start, even again. */
    async begin(record: Deployment): Promise<Beginning> {
      const { environment, id } = record;
      const both = [keys.deploying({ environment }), keys.deployments({ environment })];
      for (;;) {
        const other = await current(environment);
        if (other && other.id !== id) return { begun: false, current: other };
        if ((await start(redis, both, [id, encodeRecord(record)])) === 1) break;
        // another one began in between: look again, it may have ended already
      }
      const old = (await list(environment)).slice(mostKept);
      if (old.length > 0) await redis.hdel(keys.deployments({ environment }), ...old.map((each) => each.id));
      return { begun: true };
    },

    async put(record: Deployment): Promise<void> {
      await redis.hset(keys.deployments({ environment: record.environment }), record.id, encodeRecord(record));
    },

    /** What is deployed now, as far as known: the last successful one other than this. */
    async last(environment: string, except?: string): Promise<Deployment | undefined> {
      return (await list(environment)).find(({ id, state }) => state === 'succeeded' && id !== except);
    },

    /** A later one whose outcome is unknown: it may be what is deployed now. */
    async unsure(environment: string): Promise<Deployment | undefined> {
      const latest = (await list(environment)).find(({ state }) => state === 'succeeded' || state === 'unknown');
      return latest?.state === 'unknown' ? latest : undefined;
    },

    async freeze(environment: string, frozen: Omit<Freeze, 'at'>): Promise<void> {
      const text = signText(seal, freeze.encode({ ...frozen, at: now() }), freezeAbout(environment));
      await redis.set(keys.freeze({ environment }), text, 'PXAT', frozen.until);
    },
    /** False: it was not frozen manually. */
    unfreeze: async (environment: string): Promise<boolean> => (await redis.del(keys.freeze({ environment }))) === 1,

    async freezeOf(environment: string): Promise<Freeze | undefined> {
      const stored = await redis.get(keys.freeze({ environment }));
      const text = stored === null ? undefined : checkSignature(seal, stored, freezeAbout(environment));
      if (stored !== null && text === undefined) alarm({ kind: 'deployment', id: `freeze of ${environment}`, reason });
      return text === undefined ? undefined : freeze.decode(text);
    },
  };
}

/** ARGV: the id, its record. If it was begun before, the record stays unchanged. */
const start = script(`
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2])
return 1`);

const free = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`);
