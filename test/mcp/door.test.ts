import { beforeEach, describe, expect, it } from 'vitest';
import type { Acceptance, ActJob } from '../../src/chat/act-job.js';
import { within } from '../../src/deadline.js';
import { createAgentDoor } from '../../src/mcp/door.js';
import type { Agent } from '../../src/store/index.js';
import { team, useApprovals } from '../chat/approval/scene.js';

const scene = useApprovals();
const { at, rows } = scene;
const ada = 'U0ADA00001';
const accepted: { job: ActJob; id: string }[] = [];
/** What the worker makes of a call. */
let result: Parameters<typeof at.store.calls.put>[1] | undefined;
let accept: Acceptance | Error;
let lacking: string[];
let agent: Agent;

beforeEach(async () => {
  accepted.length = 0;
  result = { state: 'done', text: 'The vault is open.' };
  accept = 'accepted';
  lacking = [];
  scene.configure('', [
    scene.vault('vault open'),
    scene.vault('vault look', { risk: 'read', role: 'everyone' }),
    scene.vault('vault melt', { role: 'admin' }),
    scene.vault('vault crack', { hidden: true }),
    scene.vault('safe open'),
  ]);
  agent = (await made()).agent;
});

async function made(more: Partial<Agent> = {}) {
  const account = await at.store.accounts.get({ team, user: ada });
  return at.store.agents.put({
    ...{ id: 'aaaaaaaaaaaa', team, user: ada, name: 'Bot', may: ['vault *'], repos: [], meant: {}, pace: 60 },
    ...{ channel: 'C0ROOM0001', login: 'ada', forgeUserId: account?.forgeUserId ?? null },
    ...{ linkedAt: account?.linkedAt ?? 0, expiresAt: at.now() + 86_400_000 },
    ...more,
  });
}

function door() {
  const { deps } = scene;
  return createAgentDoor({
    services: deps.services,
    catalog: deps.catalog as Parameters<typeof createAgentDoor>[0]['catalog'],
    team,
    reading: async () => ({ now: new Date(at.now()), webUrl: '', slash: '/forge' }),
    async accept(job, id) {
      if (accept instanceof Error) throw accept;
      accepted.push({ job, id });
      const asked = job.answer.call;
      if (asked && result && accept === 'accepted') await at.store.calls.put(asked, result);
      return accept;
    },
    record: deps.record,
    lacks: ({ name }) => lacking.includes(name),
  });
}

/** A call that never ends is a failure long before the agent is told to ask later. */
const call = (...given: Parameters<ReturnType<typeof door>['call']>) =>
  within(5_000, door().call(...given), 'no answer');

describe('a token', () => {
  it('is its agent’s, in this workspace only', async () => {
    const { token, agent: mine } = await made();
    expect(await door().whose(token)).toEqual(mine);
    expect(await door().whose('bwa_nonsense')).toBeUndefined();
    const other = await made({ id: 'bbbbbbbbbbbb', team: 'T2' });
    expect(await door().whose(other.token)).toBeUndefined();
  });
});

describe('what an agent is offered', () => {
  const names = (given = agent) =>
    door()
      .tools(given)
      .map(({ name }) => name);

  it('is what it may call, its person’s role allows and agents get', () => {
    expect(names()).toEqual(['vault_open', 'vault_look']);
    expect(names({ ...agent, may: ['safe *'] })).toEqual(['safe_open']);
    expect(names({ ...agent, user: 'U0BOSS0001' })).toContain('vault_melt');
    expect(names({ ...agent, user: 'U0NOBODY01' })).toEqual(['vault_look']);
  });

  it('is not what the server lacks', () => {
    lacking = ['vault look'];
    expect(names()).toEqual(['vault_open']);
  });

  it('is nothing where agents are turned off', () => {
    expect(door().off).toBeUndefined();
    scene.configure('agents: false\n');
    expect(door().off).toContain('Agents are turned off.');
  });
});

describe('the status of an earlier call', () => {
  const status = (of = agent) => door().status(of, 'a1');
  const asked = (more: Partial<Agent> = {}) => scene.ask(ada, { agent: { ...agent, ...more } });
  beforeEach(() => scene.configure());

  it('is unknown for what this agent never called, or another one did', async () => {
    const none = { status: 'refused', text: 'This agent made no such request, or it was more than a day ago.' };
    expect(await status()).toEqual(none);
    await at.store.calls.put({ id: 'a1', agent: agent.id }, { state: 'done', text: 'Well' });
    expect(await status()).toEqual({ status: 'done', request: 'a1', text: 'Well', next: undefined });
    expect(await status({ ...agent, id: 'bbbbbbbbbbbb' })).toEqual(none);
    await asked();
    expect(await status({ ...agent, id: 'bbbbbbbbbbbb' })).toEqual(none);
  });

  it('is not that of an approval someone else requested', async () => {
    await scene.ask(ada);
    expect((await status()).text).toContain('This agent made no such request');
  });

  it('waits for a decision, and then runs', async () => {
    await asked();
    const waits = {
      request: 'a1',
      status: 'waiting_for_approval',
      text: expect.stringContaining('Nothing has run yet'),
    };
    expect(await status()).toEqual(waits);
    // the answer at request time is outdated
    await at.store.calls.put({ id: 'a1', agent: agent.id }, { state: 'done', text: 'Asked for approval' });
    expect(await status()).toEqual(waits);
    let seen: unknown;
    scene.world.run = async () => {
      seen = await status();
    };
    await scene.click('U0GRACE001', 'approve', { note: 'Go on' });
    expect(seen).toMatchObject({ status: 'running', text: 'Approved, and running now.' });
    expect(await status()).toMatchObject({ status: 'done', text: expect.stringContaining('vault') });
  });

  it('is running while its request is still being made', async () => {
    await asked();
    await at.store.calls.put({ id: 'a1', agent: agent.id }, { state: 'running', text: '' });
    expect(await status()).toMatchObject({ status: 'running', text: '' });
  });

  it.each([
    ['', 'Denied.'],
    ['Not today', 'Not today'],
  ])('says that it was denied, with the note “%s”', async (note, text) => {
    await asked();
    await scene.click('U0GRACE001', 'deny', { note });
    expect(await status()).toMatchObject({ status: 'denied', text });
  });

  it('says that its person withdrew it', async () => {
    await asked();
    await scene.click(ada, 'withdraw');
    expect(await status()).toMatchObject({
      status: 'withdrawn',
      text: 'The person this agent acts for withdrew it.',
    });
  });

  it('says that nobody decided in time', async () => {
    await asked();
    at.pass(8 * 86_400_000);
    await scene.sweep();
    expect(await status()).toMatchObject({ status: 'expired', text: 'Nobody decided in time, so it was not run.' });
  });

  it('says what changed since it was requested', async () => {
    await asked();
    scene.world.state = 'ajar';
    await scene.click('U0GRACE001');
    const { status: now, text } = await status();
    expect(now).toBe('refused');
    expect(text).not.toBe('');
  });
});

describe('a call', () => {
  it('is run for its person by a worker, and its answer returned', async () => {
    result = { state: 'done', text: 'The vault is open.', next: { from: 20 } };
    const outcome = await call(agent, 'vault_open', { why: 'fire' });
    const [first] = accepted;
    expect(first?.job).toMatchObject({
      kind: 'command',
      command: 'vault open',
      args: { why: 'fire' },
      dryRun: false,
      source: 'agent',
      person: { team, user: ada },
      agent: { id: agent.id, name: 'Bot' },
      channel: 'C0ROOM0001',
      answer: { call: { id: first?.id, agent: agent.id } },
    });
    expect(outcome).toEqual({ status: 'done', request: first?.id, text: 'The vault is open.', next: { from: 20 } });
    expect((await at.store.agents.lastUsed()).get(agent.id)).toBe(at.now());
    expect(rows).toEqual([]);
  });

  it('has no channel if its agent has none, and a dry run stays one', async () => {
    await call({ ...agent, channel: null }, 'vault_open', { dry_run: true });
    expect(accepted).toMatchObject([{ job: { dryRun: true } }]);
    expect(accepted[0]?.job).not.toMatchObject({ channel: expect.anything() });
  });

  it('is known as running from the moment it is accepted, and awaited', async () => {
    result = undefined;
    const calling = call(agent, 'vault_open', {});
    await expect.poll(() => accepted).toHaveLength(1);
    const { id = '' } = accepted[0] ?? {};
    expect(await door().status(agent, id)).toEqual({ status: 'running', request: id, text: '' });
    await at.store.calls.put({ id, agent: agent.id }, { state: 'failed', text: 'No key.' });
    expect(await calling).toEqual({ status: 'failed', request: id, text: 'No key.' });
  });

  it('is not reported as refused because its result cannot be read for a moment', async () => {
    const { get } = at.store.calls;
    let asked = 0;
    scene.deps.services.store.calls.get = async (id) => {
      asked += 1;
      if (asked < 3) throw new Error('Redis is down');
      return get(id);
    };
    expect(await call(agent, 'vault_open', {})).toMatchObject({ status: 'done' });
    expect(rows).toEqual([]);
  });

  const refused = async (name: string, given: Record<string, unknown> = {}, as = agent) => {
    const outcome = await call(as, name, given);
    expect(outcome.status).toBe('refused');
    expect(outcome).not.toHaveProperty('request');
    expect(rows.map(({ detail }) => detail)).toEqual([outcome.text]);
    return outcome.text;
  };

  it.each([
    ['it does not exist', 'vault_close'],
    ['agents do not get it', 'vault_crack'],
    ['its agent may not call it', 'safe_open'],
  ])('is refused and recorded without its arguments if %s', async (_, name) => {
    expect(await refused(name, { why: 'a secret' })).toBe(`This agent can’t use ${name}.`);
    expect(accepted).toEqual([]);
    expect(rows).toEqual([
      {
        person: { team, user: ada },
        agent: { id: agent.id, name: 'Bot' },
        login: 'ada',
        command: name.replace('_', ' '),
        args: {},
        operations: [],
        outcome: 'refused',
        detail: `This agent can’t use ${name}.`,
        durationMs: 0,
      },
    ]);
  });

  it('is refused in few words, however long its name is', async () => {
    expect(await refused('x_'.repeat(500))).toBe(`This agent can’t use ${'x_'.repeat(30)}.`);
    expect(rows[0]?.command).toBe('x '.repeat(30));
  });

  it('is refused if its person signed out, or lacks the role', async () => {
    expect(await refused('vault_melt')).toContain('admin');
    await scene.signOut(ada);
    rows.length = 0;
    expect(await refused('vault_open')).toBe('The person this agent acts for is no longer linked to the forge.');
    expect(accepted).toEqual([]);
  });

  it('is refused if its arguments cannot be read', async () => {
    expect(await refused('vault_open', { what: 'x' })).toBe('vault open has no argument what.');
  });

  it('is refused if it cannot be queued', async () => {
    accept = 'unstored';
    expect(await refused('vault_open')).toBe('Could not queue this call, so nothing ran. Try again in a minute.');
    accept = new Error('Redis at 10.0.0.1 is down');
    rows.length = 0;
    expect(await refused('vault_open')).toBe('Could not take this call, so nothing ran. Try again in a minute.');
  });

  it('is refused even if that cannot be recorded', async () => {
    scene.deps.record = async () => Promise.reject(new Error('Redis is full'));
    expect(await call(agent, 'vault_close', {})).toMatchObject({ status: 'refused' });
  });
});

describe('an agent’s pace', () => {
  it.each([
    [1, 1],
    [4, 2],
    [5, 3],
  ])('of %i calls per minute admits %i at once, and a refused call costs nothing else', async (pace, atOnce) => {
    const slow = { ...agent, pace };
    for (let nth = 0; nth < atOnce; nth += 1)
      expect(await call(slow, 'vault_look', {})).toMatchObject({ status: 'done' });
    at.pass(1_000);
    const { status, text } = await call(slow, 'vault_look', {});
    expect(status).toBe('refused');
    const [, limit, wait, unit] =
      /^This agent is limited to (\d+) calls per minute\. Try again in (\d+) (s|min)\.$/.exec(text) ?? [];
    expect(Number(limit)).toBe(pace);
    // the rest of the minute belongs to the other half of its calls
    const interval = 60 / Math.max(1, Math.floor(pace / 2));
    const seconds = Number(wait) * (unit === 'min' ? 60 : 1);
    expect(seconds).toBeGreaterThan(interval / 2);
    expect(seconds).toBeLessThanOrEqual(interval);
    expect((await door().status(slow, 'x')).text).toContain(`limited to ${pace} calls`);
    expect(accepted).toHaveLength(atOnce);
    expect(rows).toEqual([]);
    expect((await at.store.agents.lastUsed()).get(agent.id)).toBe(at.now() - 1_000);
    // another agent has its own
    expect(await call({ ...slow, id: 'bbbbbbbbbbbb' }, 'vault_look', {})).toMatchObject({ status: 'done' });
  });

  it('counts questions about earlier calls and refused calls too', async () => {
    const slow = { ...agent, pace: 4 };
    expect((await door().status(slow, 'x')).text).toContain('made no such request');
    expect((await call(slow, 'vault_close', {})).text).toContain('can’t use');
    expect((await call(slow, 'vault_look', {})).text).toContain('limited to 4 calls');
  });
});

it.each([
  ['is revoked', () => at.store.agents.remove('aaaaaaaaaaaa'), 'This agent was revoked.'],
  ['is limited to another repository', () => made({ repos: ['acme/other'] }), 'acme/engine'],
])('sends nothing more for an agent that %s while its command runs', async (_what, lose, says) => {
  const { agent: caller } = await made();
  const { api } = await scene.contextOf(ada, { agent: caller });
  const close = { owner: 'acme', repo: 'engine', index: 2, body: { state: 'closed' } } as const;
  await api.issues.edit(close);
  await lose();
  await expect(api.issues.edit(close)).rejects.toThrow(says);
  expect(scene.sent()).toHaveLength(1);
});
