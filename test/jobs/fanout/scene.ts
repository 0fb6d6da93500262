import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { readPolicyFile } from '../../../src/config/file.js';
import type { Event, RepoRef, Unit } from '../../../src/feed/event.js';
import { parseFilter } from '../../../src/feed/filter.js';
import { type Source, sourceKey } from '../../../src/feed/sources/source.js';
import { createForge, type Forge, type OperationName } from '../../../src/forge/index.js';
import { createChecksWatch } from '../../../src/jobs/checks-watch.js';
import { createFanout, type Fanout } from '../../../src/jobs/fanout.js';
import { type FeedDeps, withDefaults } from '../../../src/jobs/feed-deps.js';
import { createGate } from '../../../src/jobs/gate.js';
import { createRepoFacts } from '../../../src/jobs/repo-facts.js';
import { createLog } from '../../../src/log.js';
import { type LoggedEvent, type OutboxPlace, type Place, plainJson, type Target } from '../../../src/store/index.js';
import type { Zone } from '../../../src/wall-clock.js';
import { events } from '../../feed/samples/events.js';
import { useStore } from '../../support/redis.js';

export const team = 'T1';
export const room: Place = { team, channel: 'C0ROOM0001' };
const people: Readonly<Record<string, string>> = { ada: 'U0ADA00001', grace: 'U0GRACE001', linus: 'U0LINUS001' };
export const userOf = (login: string): string => people[login] ?? '';

/** Fan-out between a real store and a forge; Slack and the log are ports in memory. */
export function useFanout() {
  const at = useStore();
  let forge: SandboxForge;
  let client: Forge;
  let made: { readonly deps: FeedDeps; readonly fanout: Fanout } | undefined;
  const world = {
    /** Operations this forge lacks. */
    lacks: new Set<OperationName>(),
    sees: true as boolean | undefined,
    /** The parts of a repository that everyone sees; all if absent. */
    units: undefined as readonly Unit[] | undefined,
    /** What asking whether someone may see it fails with. */
    fails: undefined as Error | undefined,
    deleted: false,
    /** Of everyone in Slack. */
    zone: 0 as Zone,
    linked: true,
    /** Slack users who linked another account since. */
    relinked: {} as Readonly<Record<string, string>>,
  };
  const here = () => {
    if (!made) throw new Error('useFanout() gives its services inside tests only.');
    return made;
  };

  beforeAll(async () => {
    forge = await startForge();
    client = createForge({ url: forge.url, retry: { attempts: 1 } });
  });
  afterAll(async () => {
    await client.close();
    await forge.close();
  });

  beforeEach(() => {
    Object.assign(world, {
      lacks: new Set(),
      sees: true,
      units: undefined,
      fails: undefined,
      deleted: false,
      zone: 0,
      linked: true,
      relinked: {},
    });
    forge.faults.clear();
    forge.requests.clear();
    const apiOf = (login: string) => client.as({ kind: 'token', token: forge.account(login).token() });
    const loginOf = (user: string) => Object.keys(people).find((login) => people[login] === user);
    const deps = withDefaults({
      store: at.store,
      connection: at.redis,
      service: apiOf('ada'),
      has: async (name) => !world.lacks.has(name),
      as: async ({ user }) => {
        const login = loginOf(user);
        return world.linked && login !== undefined ? apiOf(login) : undefined;
      },
      poster: {
        post: () => Promise.reject(new Error('fan-out posts nothing')),
        update: () => Promise.reject(new Error('fan-out posts nothing')),
        find: async () => 'absent',
      },
      slack: {
        channel: async (id) => ({
          kind: id.startsWith('D') ? 'dm' : 'public',
          shared: false,
          member: true,
          archived: false,
          checkedAt: 0,
        }),
        user: async () => ({ zone: world.zone, deleted: world.deleted }),
        directMessage: async (user) => `D${user}`,
      },
      people: {
        slackUserOf: async (_team, login) => people[login.toLowerCase()],
        loginOf: async ({ user }) => world.relinked[user] ?? loginOf(user),
      },
      policy: readPolicyFile('', 'bellows.yaml'),
      team,
      log: createLog({ level: 'silent' }),
      now: at.now,
    });
    const repos = createRepoFacts(deps);
    const gate = createGate(deps, repos, async (_who, _repo, unit) => {
      if (world.fails) throw world.fails;
      return unit && world.units ? world.units.includes(unit) : world.sees;
    });
    made = { deps, fanout: createFanout(deps, { repos, gate, checks: createChecksWatch(deps, repos) }) };
  });

  const repo = (name: string): RepoRef => {
    const { id } = forge.world.repo(name);
    return { id, fullName: name, url: `${forge.url}/${name}`, hidden: false };
  };

  return {
    at,
    world,
    repo,
    get forge() {
      return forge;
    },
    get deps() {
      return here().deps;
    },

    /** An existing issue, and its event. */
    opened(title: string, name = 'acme/engine', more: object = {}): Event & { readonly kind: 'issues:opened' } {
      const { index } = forge.world.openIssue({ as: 'grace', repo: name, title, ...more });
      const where = repo(name);
      const url = `${where.url}/issues/${index}`;
      const item = { kind: 'issue', number: index, title, url, thread: `r${where.id}-n${index}` } as const;
      const common = { ...events['issues:opened'], id: `e-${title}`, at: new Date(at.now()).toISOString() };
      return { ...common, repo: where, item, actor: { id: 2, login: 'grace', bot: false } };
    },

    async follow(words: string, target?: Target, place: Place = room, owner = userOf('ada')) {
      const filter = plainJson(parseFilter(words));
      const of = target ?? { kind: 'repo', id: repo('acme/engine').id };
      return at.store.subscriptions.put({ place, target: of, owner, filter }, 'acme/engine');
    },

    async link(login: string) {
      const token = forge.account(login).token();
      const forgeUserId = forge.world.user(login)?.id ?? 0;
      const link = { login, forgeUserId, verified: true, credential: { kind: 'token', token } } as const;
      await at.store.accounts.put({ team, user: userOf(login) }, link);
    },

    /** Fans out what a poll of this source wrote. */
    async fan(source: Source, given: readonly Event[], about: object = {}) {
      const written: LoggedEvent[] = given.map((event, at) => ({
        seq: at + 1,
        id: event.id,
        body: plainJson(event),
      }));
      await here().fanout.run(source, { owner: 'acme', ...about }, written);
    },
    again: (source: Source, given: readonly Event[], late: boolean) =>
      here().fanout.again(source, { owner: 'acme' }, given, late),
    log: async (source: Source, given: readonly Event[], between: () => Promise<unknown> = async () => {}) => {
      const key = sourceKey(source);
      const opened = await at.store.marks.open(key, 10_000);
      if (!opened) throw new Error('nobody else polls');
      const rows = given.map((event) => ({ id: event.id, body: plainJson(event) }));
      await at.store.marks.commit(key, opened.token, { time: 1, seen: [] }, rows);
      await between();
      await here().fanout.run(source, { owner: 'acme' });
      return at.store.marks.unread(key);
    },

    waiting: async (place: OutboxPlace = room) => (await at.store.outbox.view(place, 100)).entries,
    ids: async (place: OutboxPlace = room) => (await at.store.outbox.view(place, 100)).entries.map(({ id }) => id),
    dm: (login: string): Place => ({ team, channel: `D${userOf(login)}` }),
    why: async (event: Event) =>
      (await at.store.decisions.about(event.item.url)).map(({ kept, clause }) => [kept, clause]),
  };
}
