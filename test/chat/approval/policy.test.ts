import { beforeAll, describe, expect, it } from 'vitest';
import {
  askersWords,
  findRuledName,
  holdersOf,
  mayApprove,
  policyFor,
  ruledAs,
} from '../../../src/chat/approval/policy.js';
import type { AnyCommand } from '../../../src/chat/command.js';
import type { Args, Fields } from '../../../src/chat/fields.js';
import { ApiError } from '../../../src/forge/index.js';
import { createLog } from '../../../src/log.js';
import { team, useApprovals } from './scene.js';

const scene = useApprovals();

const issue = { owner: 'acme', repo: 'engine', index: 2 };
const pull = { owner: 'acme', repo: 'engine', index: 3 };
const site = { owner: 'acme', repo: 'site' };
const website = { owner: 'acme', repo: 'website' };

const readIssue = 'GET /repos/{owner}/{repo}/issues/{index}';
const readRepository = 'GET /repos/{owner}/{repo}';

beforeAll(() => scene.forge.world.renameRepo({ as: 'ada', repo: 'acme/website', name: 'site' }));

/** A command that says nothing about approvals. */
function plain(name: string, more: Partial<AnyCommand> = {}): AnyCommand {
  const { approval: _, ...rest } = scene.vault(name, more);
  return rest;
}

const closing = (more: Partial<AnyCommand> = {}) =>
  scene.vault('issue close', { risk: 'write', ...more, approval: { forPulls: 'pr close' } });

/** What `approvals` of this text decide. */
async function decide(command: AnyCommand, args: Args<Fields>, ...approvals: readonly string[]) {
  scene.configure(approvals.length === 0 ? '' : `approvals:\n${approvals.map((line) => `  ${line}\n`).join('')}`);
  return policyFor(command, args, await scene.contextOf());
}

describe('a command with the effect of another', () => {
  it('names it, depending on its arguments where it must', () => {
    const byVerdict = { ruledAs: ({ verdict }: Args<Fields>) => `pr ${verdict}` };
    expect(ruledAs(scene.vault('queue add', { approval: { ruledAs: 'pr merge' } }), {})).toBe('pr merge');
    expect(ruledAs(scene.vault('pr review', { approval: byVerdict }), { verdict: 'approve' })).toBe('pr approve');
    expect(ruledAs(scene.vault('vault open'), {})).toBeUndefined();
    expect(ruledAs(plain('vault open'), {})).toBeUndefined();
  });

  it.each([
    ['an issue that is a pull request', { issue: pull }, 'pr close'],
    ['an issue', { issue }, 'issue close'],
    ['a pull request named as one', { pull }, 'issue close'],
    ['a repository', { repository: site }, 'issue close'],
    ['nothing on the forge', {}, 'issue close'],
  ])('has its counterpart’s name only on pull requests: about %s', async (_about, args, name) => {
    expect(await findRuledName(closing(), args, await scene.contextOf())).toBe(name);
  });

  it('keeps its name on a pull request without a counterpart', async () => {
    const context = await scene.contextOf();
    expect(await findRuledName(scene.vault('issue pin'), { issue: pull }, context)).toBe('issue pin');
    expect(await findRuledName(plain('issue pin'), { issue: pull }, context)).toBe('issue pin');
  });

  it('keeps its name if the server cannot say what the item is', async () => {
    const missing = { text: '404 page not found\n', status: 404, type: 'text/plain' };
    scene.forge.faults.add({ on: readIssue, trouble: missing });
    expect(await findRuledName(closing(), { issue: pull }, await scene.contextOf())).toBe('issue close');
  });

  it.each([
    ['a rule', 'rules: [{ command: pr close, count: 2 }]', 'approvals.rules.0 (pr close)'],
    ['an entry', 'commands: { pr close: { count: 2 } }', 'approvals.commands.pr close'],
  ])('needs what %s for the other one says', async (_what, approvals, source) => {
    expect(await decide(closing(), { issue: pull }, approvals)).toMatchObject({ policy: { count: 2 }, source });
    expect(await decide(closing(), { issue }, approvals)).toMatchObject({ policy: undefined, source: undefined });
  });

  it.each([
    ['as many', 2, 2, 'approvals.rules.0 (pr merge)'],
    ['more', 3, 2, 'approvals.rules.0 (pr merge)'],
    ['fewer', 1, 2, 'approvals.rules.1 (queue add)'],
    ['none', 0, 1, 'approvals.rules.1 (queue add)'],
  ])('follows the stricter of both rules: the other one needs %s', async (_what, other, own, source) => {
    const queue = scene.vault('queue add', { risk: 'write', approval: { ruledAs: 'pr merge' } });
    const rules = `rules: [{ command: pr merge, count: ${other} }, { command: queue add, count: ${own} }]`;
    expect(await decide(queue, {}, rules)).toMatchObject({ policy: { count: Math.max(other, own) }, source });
  });

  it.each([
    ['a higher role', '{ approve: maintainer }', '{ approve: admin }'],
    ['a role, where anyone will do for the other', '{ approve: everyone }', '{ approve: maintainer }'],
    ['named people', '{ approve: maintainer }', '{ approve: { users: [U0ADA00001] } }'],
    ['another person', '{ requesterCounts: true, count: 1 }', '{ count: 1 }'],
    ['someone who did not write it', '{ count: 1 }', '{ authorsCount: false, count: 1 }'],
  ])('follows the stricter of two that need as many: %s', async (_what, lax, strict) => {
    const queue = scene.vault('queue add', { risk: 'write', approval: { ruledAs: 'pr merge' } });
    const ownIsStricter = `commands: { pr merge: ${lax}, queue add: ${strict} }`;
    expect(await decide(queue, {}, ownIsStricter)).toMatchObject({ source: 'approvals.commands.queue add' });
    const otherIsStricter = `commands: { pr merge: ${strict}, queue add: ${lax} }`;
    expect(await decide(queue, {}, otherIsStricter)).toMatchObject({ source: 'approvals.commands.pr merge' });
  });

  it.each([
    ['admin', '{ pr merge: { ask: admin } }'],
    ['admin', '{ pr merge: { ask: maintainer }, queue add: { ask: admin } }'],
    ['maintainer', '{ pr merge: { ask: everyone }, queue add: { ask: maintainer } }'],
  ])('may be requested by those who may request both: %ss', async (role, commands) => {
    const queue = scene.vault('queue add', { role: 'everyone', risk: 'write', approval: { ruledAs: 'pr merge' } });
    expect((await decide(queue, {}, `commands: ${commands}`)).asks).toBe(role);
  });

  it('is looked up only if something is said about any command', async () => {
    expect((await decide(closing(), { issue: pull })).policy).toBeUndefined();
    expect((await decide(closing(), { issue: pull }, 'write: { count: 1 }')).policy).toMatchObject({ count: 1 });
    expect(scene.forge.requests.of(readIssue)).toEqual([]);
    await decide(closing(), { issue: pull }, 'commands: { pr close: { count: 1 } }');
    expect(scene.forge.requests.of(readIssue)).toHaveLength(1);
  });
});

describe('a rule for a repository', () => {
  const ruled = 'rules: [{ repository: acme/site, count: 2 }]';

  it('covers it under its former name too', async () => {
    const { policy } = await decide(scene.vault('vault open'), { repository: website }, ruled);
    expect(policy).toMatchObject({ count: 2 });
  });

  it('needs the repository’s present name once', async () => {
    await decide(scene.vault('vault open'), { repository: site }, ruled);
    expect(scene.forge.requests.of(readRepository)).toHaveLength(1);
  });

  it('leaves others to their tier', async () => {
    const engine = { repository: { owner: 'acme', repo: 'engine' } };
    const decided = await decide(scene.vault('vault open'), engine, ruled, 'risky: { count: 3 }');
    expect(decided).toMatchObject({ policy: { count: 3 }, source: 'approvals.risky' });
  });
});

it('a rule for a branch leaves out commands that are not about one', async () => {
  const rules = 'rules: [{ branch: "*", count: 2 }]';
  expect(await decide(plain('vault open'), {}, rules)).toMatchObject({ policy: { count: 1 }, source: undefined });
});

describe('what a decision comes from', () => {
  const [own, other] = ['commands: { vault open: { count: 3 } }', 'commands: { vault shut: { count: 3 } }'];

  it.each([
    ['a rule', ['rules: [{ command: vault open, count: 4 }]', own], 4, 'approvals.rules.0 (vault open)'],
    ['its own entry', [own, 'risky: { count: 2 }'], 3, 'approvals.commands.vault open'],
    ['its tier', [other, 'risky: { count: 2 }'], 2, 'approvals.risky'],
    ['nothing but the risk', [other, 'write: { count: 2 }'], 1, undefined],
  ])('is said: %s', async (_what, approvals, count, source) => {
    const decided = await decide(scene.vault('vault open'), {}, ...approvals);
    expect([decided.policy?.count, decided.source]).toEqual([count, source]);
  });

  it.each([
    ['write: { approve: admin }', 'admin'],
    [
      'commands: { vault dust: { approve: { users: [U0GRACE001] } } }',
      { users: ['U0GRACE001'], groups: [], teams: [] },
    ],
    ['write: { channel: C0ROOM0001 }', 'maintainer'],
  ])('makes one approval necessary if it only says who or where: %s', async (approvals, approve) => {
    const { policy } = await decide(scene.vault('vault dust', { risk: 'write' }), {}, approvals);
    expect(policy).toMatchObject({ count: 1, approve });
  });

  it('makes none necessary if it only says for how long', async () => {
    expect((await decide(scene.vault('vault dust', { risk: 'write' }), {}, 'write: { expires: 2h }')).policy).toBe(
      undefined,
    );
  });
});

describe('a request may come from', () => {
  it.each([
    ['admin', 'admin'],
    ['maintainer', 'maintainer'],
    ['everyone', 'maintainer'],
  ])('whom the entry admits, if the command admits them too: %s means %s', async (ask, asks) => {
    expect((await decide(scene.vault('vault open'), {}, `risky: { ask: ${ask} }`)).asks).toBe(asks);
  });

  it('the same people if no approval is needed', async () => {
    expect((await decide(scene.vault('vault open'), {}, 'risky: { ask: admin, count: 0 }')).asks).toBe('admin');
  });

  it('whom the command’s own policy names, or else its role', async () => {
    const named = { users: ['U0GRACE001'], groups: [], teams: [] };
    const own = (asks?: typeof named) =>
      scene.vault('deploy', { approval: { policy: () => ({ said: { count: 2 }, source: 'deployments.live', asks }) } });
    const rules = 'rules: [{ command: deploy, count: 5 }]';
    const decided = { policy: { count: 2 }, source: 'deployments.live' };
    expect(await decide(own(named), {}, rules)).toMatchObject({ ...decided, asks: named });
    expect(await decide(own(), {}, rules)).toMatchObject({ ...decided, asks: 'maintainer' });
  });
});

describe('the people who may ask or decide', () => {
  const nobody = { users: [], groups: [], teams: [] };

  it.each([
    ['everyone' as const, 'people'],
    ['maintainer' as const, 'maintainers'],
    [{ ...nobody, users: ['U0ADA00001'] }, 'the people named in bellows.yaml'],
    [{ ...nobody, groups: ['S0ADMINS01'] }, 'the people named in bellows.yaml'],
    [{ users: ['U0ADA00001'], groups: ['S0ADMINS01'], teams: ['acme/ops'] }, 'the people named in bellows.yaml'],
    [{ ...nobody, teams: ['acme/ops', 'acme/leads'] }, 'members of acme/ops or acme/leads'],
  ])('are named: %j', (asks, words) => {
    expect(askersWords(asks)).toBe(words);
  });

  /** Slack knows every login here, and what is logged is kept. */
  function sources() {
    const logged: { team: string; msg: string }[] = [];
    const { services } = scene.deps;
    const log = createLog({ level: 'warn', destination: { write: (line) => void logged.push(JSON.parse(line)) } });
    const people = { ...services.people, slackUserOf: async (_team: string, login: string) => `U-${login}` };
    return { logged, services: { ...services, people, log } };
  }
  const ops = { users: ['U0BOSS0001'], groups: [], teams: ['acme/ops'] };

  beforeAll(() => void scene.forge.world.createTeam({ org: 'acme', name: 'Ops', members: ['grace', 'linus'] }));

  it('are those named and the team’s members, and nothing is logged about them', async () => {
    const { services, logged } = sources();
    expect(await holdersOf(services, team, ops)).toEqual(['U0BOSS0001', 'U-grace', 'U-linus']);
    expect(logged).toEqual([]);
  });

  it('are without a team that does not exist, which is logged', async () => {
    const { services, logged } = sources();
    expect(await holdersOf(services, team, { ...ops, teams: ['acme/nobody'] })).toEqual(['U0BOSS0001']);
    expect(logged).toMatchObject([{ team: 'acme/nobody', msg: expect.stringContaining('does not exist') }]);
  });

  it.each([403, 404])('are without a team that our account may not read, which is logged: %s', async (status) => {
    const { services, logged } = sources();
    scene.forge.faults.add({ on: /GET .*teams/, trouble: { status } });
    expect(await holdersOf(services, team, ops)).toEqual(['U0BOSS0001']);
    expect(logged).toMatchObject([{ team: 'acme/ops', msg: expect.stringContaining('cannot be read') }]);
  });

  it('are unknown while the forge is down', async () => {
    scene.forge.faults.add({ on: /GET .*teams/, trouble: { status: 500 } });
    await expect(holdersOf(sources().services, team, ops)).rejects.toThrow(ApiError);
  });

  it('are in no team without a user id of the forge, which need not be asked', async () => {
    const person = { team, user: 'U0GRACE001' };
    const inTeam = async () => mayApprove(scene.deps.services, person, await scene.at.store.accounts.get(person), ops);
    expect(await inTeam()).toBe(true);
    await scene.link(person.user, 'grace', { forgeUserId: null });
    scene.forge.faults.add({ on: /GET .*teams/, trouble: { status: 500 } });
    expect(await inTeam()).toBe(false);
  });
});
