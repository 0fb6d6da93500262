import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createRoles } from '../../../src/chat/admit.js';
import { askApproval } from '../../../src/chat/approval/ask.js';
import { decideApproval } from '../../../src/chat/approval/decide.js';
import { sweepApprovals } from '../../../src/chat/approval/run.js';
import { createCatalog } from '../../../src/chat/catalog.js';
import type { AnyCommand } from '../../../src/chat/command.js';
import type { SlackPort } from '../../../src/chat/context.js';
import type { ApprovalDeps, Entry, Notice } from '../../../src/chat/runtime.js';
import { openSession, type SessionOptions } from '../../../src/chat/session.js';
import { readPolicyFile } from '../../../src/config/file.js';
import { createForge, type Forge } from '../../../src/forge/index.js';
import { createLog } from '../../../src/log.js';
import type { Agent, ChannelFacts } from '../../../src/store/index.js';
import type { Message } from '../../../src/view/message.js';
import { readable } from '../../../src/view/text.js';
import { useStore } from '../../support/redis.js';
import { createVault, type World } from './vault.js';

export const team = 'T1';
const basicPolicy =
  'roles:\n  maintainer:\n    users: [U0ADA00001, U0GRACE001, U0LINUS001]\n  admin:\n    users: [U0BOSS0001]\n';

interface Asking {
  readonly id?: string;
  readonly channel?: string | null;
  readonly name?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly agent?: Agent;
}

/** Approvals without Slack and queues: real store, real forge client, ports in memory. */
export function useApprovals() {
  const at = useStore();
  let forge: SandboxForge;
  let client: Forge;
  let deps: ApprovalDeps;
  let catalog: AnyCommand[] = [];
  const world: World = { state: 'shut', observe: () => {}, run: () => {}, found: undefined, refusal: undefined };
  const posted: Notice[] = [];
  const answers: { user: string; text: string; rank?: string }[] = [];
  const rows: Entry[] = [];
  const channels = new Map<string, Partial<ChannelFacts>>();
  const members = new Map<string, readonly string[]>();
  const groups = new Map<string, readonly string[]>();
  const slackUsers = new Map<string, string>();
  /** What Slack knows about people who are not simply there. */
  const others = new Map<string, { readonly bot?: boolean; readonly deleted?: boolean }>();
  const relinks: typeof answers = [];

  const vault = createVault(world);

  beforeAll(async () => {
    forge = await startForge();
    client = createForge({ url: forge.url, retry: { attempts: 1 } });
  });
  afterAll(async () => {
    await client.close();
    await forge.close();
  });

  const notice: typeof at.store.outbox.append = async (place, entries) => {
    for (const { id, body } of entries) {
      const text = readable((body as unknown as { readonly message: Message }).message.text);
      (id.startsWith('relink:') ? relinks : answers).push({ user: place.channel, text });
    }
    return at.store.outbox.append(place, entries);
  };

  function configure(policyText = '', given: readonly AnyCommand[] = [vault('vault open')]): void {
    const policy = readPolicyFile(`${basicPolicy}${policyText}`, 'bellows.yaml');
    catalog = [...given];
    const slack: SlackPort = {
      channel: async (id) => {
        const facts = channels.get(id);
        return facts && { kind: 'public', shared: false, member: true, archived: false, checkedAt: 0, ...facts };
      },
      channelMembers: async (id) => members.get(id),
      userGroupMembers: async (id) => groups.get(id) ?? [],
      user: async (id) => {
        const other = others.get(id);
        return other && { id, name: id, zone: 0, bot: false, ours: true, deleted: false, away: false, ...other };
      },
      userByEmail: async () => undefined,
      undisturbedUntil: async () => undefined,
      permalink: async () => undefined,
      directMessage: async (user) => `D${user}`,
      isMember: async () => true,
    };
    const log = createLog({ level: 'silent' });
    deps = {
      lookMs: 100,
      services: {
        forge: client,
        store: { ...at.store, outbox: { ...at.store.outbox, append: notice } },
        slack,
        people: {
          loginOf: async () => undefined,
          slackUserOf: async (_team, login) => slackUsers.get(login),
          whoIs: async () => undefined,
          listKnown: async () => [],
        },
        roles: createRoles({ roles: policy.roles, team, groupMembers: slack.userGroupMembers }),
        commands: given,
        slash: '/forge',
        policy,
        service: client.as({ kind: 'token', token: forge.account('ada').token() }),
        log,
        now: () => new Date(at.now()),
      },
      catalog: createCatalog(catalog),
      answers: {
        answer: async ({ person: { user } }, { text }, { lasting } = {}) => {
          answers.push({ user, text: readable(text), rank: lasting ? 'unknown' : 'known' });
          return undefined;
        },
      },
      post: async (notice) => void posted.push(notice),
      record: async (entry) => void rows.push(entry),
      exposed: async (_repository, channel) => (channel === 'C0SHARED01' ? 'Not here.' : world.refusal),
    };
  }

  beforeEach(async () => {
    Object.assign(world, { state: 'shut', observe: () => {}, run: () => {}, found: undefined, refusal: undefined });
    for (const list of [posted, answers, rows, relinks]) list.length = 0;
    for (const map of [channels, members, groups, slackUsers, others]) map.clear();
    forge.faults.clear();
    channels.set('C0ROOM0001', {});
    forge.requests.clear();
    configure();
    for (const [user, login] of Object.entries({ U0ADA00001: 'ada', U0GRACE001: 'grace', U0LINUS001: 'linus' }))
      await link(user, login);
  });

  async function link(user: string, login: string, more: { verified?: boolean; forgeUserId?: number | null } = {}) {
    const token = forge.account(login).token();
    const id = forge.world.user(login)?.id ?? 0;
    const link = { login, forgeUserId: id, verified: true, credential: { kind: 'token', token }, ...more } as const;
    await at.store.accounts.put({ team, user }, link);
  }

  /** What a command of this person gets. */
  async function contextOf(user = 'U0ADA00001', more: Partial<SessionOptions> = {}, services = deps.services) {
    const person = { team, user };
    return openSession(services, {
      person,
      channel: undefined,
      account: await at.store.accounts.get(more.person ?? person),
      beforeWrite: async () => {},
      afterCall() {},
      progress: async () => {},
      offerUndo() {},
      ...more,
    });
  }

  return {
    at,
    world,
    posted,
    answers,
    rows,
    channels,
    members,
    groups,
    slackUsers,
    others,
    relinks,
    vault,
    configure,
    link,
    signOut: (user: string) => at.store.accounts.forget({ team, user }),
    get forge() {
      return forge;
    },
    get deps() {
      return deps;
    },
    sent: () => forge.requests.of('PATCH /repos/{owner}/{repo}/issues/{index}'),
    approval: (id = 'a1') => at.store.approvals.get(id),

    contextOf,

    async ask(user = 'U0ADA00001', given: Asking = {}) {
      const { id = 'a1', channel = 'C0ROOM0001', name = 'vault open', args = { why: 'fire' }, agent } = given;
      const asked = deps.catalog.get(name);
      if (!asked) throw new Error(`no command ${name}`);
      const context = await contextOf(user, { channel: channel ?? undefined, agent });
      const { person } = context;
      const common = {
        v: 1,
        kind: 'command',
        command: name,
        dryRun: false,
        source: 'typed',
        person,
        answer: {},
      } as const;
      const job = {
        ...common,
        args,
        acceptedAt: at.now(),
        ...(channel === null ? {} : { channel }),
      };
      const approval = await askApproval(deps, asked, args, context, job, id);
      return approval.needed ? approval.message : undefined;
    },

    click: (
      user: string,
      verdict: 'approve' | 'deny' | 'withdraw' = 'approve',
      { id = 'a1', of = team, note = '', at: acceptedAt = at.now() } = {},
    ) =>
      decideApproval(deps, {
        v: 1,
        kind: 'decision',
        approval: id,
        verdict,
        person: { team: of, user },
        answer: {},
        acceptedAt,
        ...(note === '' ? {} : { note }),
      }),

    sweep: () => sweepApprovals(deps),
  };
}
