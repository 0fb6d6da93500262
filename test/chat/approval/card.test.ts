import { describe, expect, it } from 'vitest';
import { askerOf, cardOf, decidersOf, stateOf } from '../../../src/chat/approval/card.js';
import { shapeOf, wishOf } from '../../../src/chat/approval/shown.js';
import type { Approval, ApprovalState, Deployment } from '../../../src/store/index.js';
import { asked } from '../../support/asked.js';
import { deploymentOf } from '../../support/deployment.js';
import { createVault } from './vault.js';

const now = new Date('2026-07-01T12:00:00Z');
const who = (user: string, login: string | null) => ({ team: 'T1', user, login, forgeUserId: 7 });
const ada = who('U0ADA00001', 'ada');
const grace = who('U0GRACE001', 'grace');
const linus = who('U0LINUS001', null);

const shown = {
  line: 'vault open --why fire',
  summary: 'Open the vault',
  requests: [],
  observed: [['State', 'shut']],
  unobserved: false,
  channel: 'C1',
  again: '',
};
const { policy } = asked(now.getTime());
const approval = (more: Partial<Approval> = {}): Approval => ({
  id: 'a1',
  command: 'vault open',
  shape: 's',
  requester: ada,
  channel: 'C1',
  policy,
  bound: {},
  authors: [],
  shown,
  createdAt: now.getTime(),
  state: 'open',
  decisions: [],
  runs: 0,
  ...more,
});
const vote = (by: typeof ada, verdict: 'approve' | 'deny', note?: string) => ({
  by,
  verdict,
  at: 1,
  ...(note === undefined ? {} : { note }),
});
const words = (given: Approval, followed?: Deployment) => JSON.stringify(cardOf(given, now, followed).blocks);
const buttons = (given: Approval, followed?: Deployment) =>
  [...words(given, followed).matchAll(/"type":"button","text":\{"type":"plain_text","text":"([^"]+)"/g)].map(
    ([, text]) => text,
  );

describe('an approval card', () => {
  it('shows who wants what, the facts, who decides and by when, and the buttons', () => {
    const text = words(approval());
    for (const part of ['<@U0ADA00001>', 'vault open --why fire', 'State', 'shut', 'one other maintainer can decide'])
      expect(text).toContain(part);
    expect(text).not.toContain('undefined');
    expect(buttons(approval())).toEqual(['Approve', 'Deny', 'Details']);
    expect(cardOf(approval(), now).text).toBe('ada wants to run vault open --why fire: pending');
  });

  it('shows a fact of several lines on several lines', () => {
    const observed = [['Changes', ['2 commits', '#12 Fix <it>\n(ada)', '#13 More (grace)']]];
    const text = words(approval({ shown: { ...shown, observed } }));
    expect(text).toContain(String.raw`*Changes*\n2 commits\n#12 Fix &lt;it&gt; (ada)\n#13 More (grace)`);
  });

  it('names a person without a login by Slack only', () => {
    expect(cardOf(approval({ requester: linus }), now).text).toContain('Someone wants to');
    expect(askerOf(approval({ requester: linus })).source).not.toContain('undefined');
  });

  it('names an agent and its person', () => {
    const asked = approval({ agent: { id: 'g1', name: 'Release bot' } });
    expect(askerOf(asked).source).toContain('Release bot, agent of <@U0ADA00001>');
    expect(cardOf(asked, now).text).toContain('Release bot (agent of ada) wants to');
  });

  it('counts approvals, not denials', () => {
    const two = { ...policy, needed: 3 };
    const open = words(approval({ policy: two, decisions: [vote(grace, 'approve'), vote(linus, 'approve')] }));
    expect(open).toContain('2 of 3 approved: <@U0GRACE001>, <@U0LINUS001>');
    const denied = words(
      approval({ state: 'denied', policy: two, decisions: [vote(grace, 'approve'), vote(linus, 'deny', 'Not today')] }),
    );
    expect(denied).toContain('Denied by <@U0LINUS001> · Not today');
    expect(denied).not.toContain('U0GRACE001');
    const done = words(
      approval({ state: 'done', decisions: [vote(grace, 'approve')], result: { summary: 'Open now.', at: 2 } }),
    );
    expect(done).toContain('Approved by <@U0GRACE001> · Open now.');
    expect(buttons(approval({ state: 'done' }))).toEqual([]);
  });

  it('shows a denial without a reason', () => {
    const result = { summary: 'Told elsewhere.', at: 2 };
    expect(words(approval({ state: 'denied', decisions: [vote(grace, 'deny')], result }))).toContain('Told elsewhere.');
  });

  it('shows the command’s own wording, linked, and the reason', () => {
    const wants = { says: 'open vault 7', url: 'https://git.example.com/7', about: 'main' };
    const given = approval({ shown: { ...shown, wants, reason: 'Fire drill' } });
    expect(words(given)).toContain('<https://git.example.com/7|open vault 7> · main');
    expect(words(given)).toContain('Fire drill');
    expect(wishOf({ ...shown, observed: [], details: [] }).source).toBe('run `vault open --why fire`');
  });

  it.each([
    ['open', {}, 'pending'],
    ['approved', {}, 'running'],
    ['running', {}, 'running'],
    ['done', { result: { summary: 'x', at: 1 } }, 'done'],
    ['failed', {}, 'failed'],
    ['failed', { result: { summary: 'x', at: 1 } }, 'failed'],
    ['failed', { result: { summary: 'x', at: 1, refused: true } }, 'refused'],
    ['done', { result: { summary: 'x', at: 1, refused: true } }, 'done'],
    ['withdrawn', {}, 'withdrawn'],
    ['withdrawn', { result: { summary: 'x', at: 1 } }, 'changed'],
    ['expired', { result: { summary: 'x', at: 1 } }, 'expired'],
    ['unknown', {}, 'unknown'],
    ['denied', {}, 'denied'],
  ] as const)('is, when it is %s with %j, %s', (state: ApprovalState, more, says) => {
    expect(stateOf(approval({ state, ...more }))).toBe(says);
  });

  it('offers a deployment again once what was shown is outdated', () => {
    const again = JSON.stringify({ environment: 'production', ref: 'main' });
    const deploy = (state: ApprovalState, more: Partial<Approval> = {}) =>
      approval({ command: 'deploy', state, shown: { ...shown, again }, ...more });
    const refused = { result: { summary: 'x', at: 1, refused: true } };
    expect(buttons(deploy('expired'))).toEqual(['Ask again']);
    expect(buttons(deploy('failed', refused))).toEqual(['Ask again']);
    expect(buttons(deploy('withdrawn', { result: { summary: 'x', at: 1 } }))).toEqual(['Ask again']);
    for (const state of ['done', 'denied', 'withdrawn', 'failed', 'running'] as const)
      expect(buttons(deploy(state)), state).toEqual([]);
    expect(buttons(deploy('open'))).toEqual(['Approve', 'Deny', 'Details']);
    expect(buttons(deploy('expired', { command: 'pr merge' }))).toEqual([]);
    expect(buttons(deploy('expired', { shown: { ...shown, again: '' } }))).toEqual([]);
    const long = JSON.stringify({ environment: 'production', ref: 'x'.repeat(3_000) });
    expect(buttons(deploy('expired', { shown: { ...shown, again: long } }))).toEqual([]);
  });

  it('shows the deployment it started', () => {
    const deployment = deploymentOf({
      approvers: [grace],
      run: 9,
      rollback: 'v1.8',
      state: 'failed',
      startedAt: now.getTime() - 60_000,
      endedAt: now.getTime(),
    });
    const done = approval({ command: 'deploy', state: 'done', decisions: [vote(grace, 'approve')] });
    expect(words(done, deployment)).toContain('Deployment failed');
    expect(buttons(done, deployment)).toEqual(['Rerun failed jobs', 'Roll back to v1.8']);
    expect(words(done)).not.toContain('Deployment failed');
  });
});

describe('who can decide', () => {
  const deciders = (more: Partial<Approval['policy']>) =>
    decidersOf({ policy: { ...policy, ...more }, requester: ada }).source;

  it('is a role, or the people by name while they are few', () => {
    expect(deciders({})).toBe('one other maintainer');
    expect(deciders({ roles: ['admin'], needed: 2 })).toBe('2 other admins');
    expect(deciders({ roles: ['everyone'] })).toBe('one other person');
    expect(deciders({ roles: [], users: ['U1', 'U2'] })).toBe('<@U1>, <@U2>');
    expect(deciders({ roles: ['maintainer'], users: ['U1'] })).toBe('one other maintainer');
    expect(deciders({ roles: [], users: ['U1', 'U2', 'U3', 'U4', 'U5'] })).toContain('<@U5>');
    expect(deciders({ roles: [], users: ['U1', 'U2', 'U3', 'U4', 'U5', 'U6'] })).toBe('one other named approver');
  });

  it('is never the requester, unless the policy counts them', () => {
    const users = ['U0ADA00001', 'U1'];
    expect(deciders({ roles: [], users })).toBe('<@U1>');
    expect(deciders({ roles: [], users, requesterCounts: true })).toBe('<@U0ADA00001>, <@U1>');
    expect(deciders({ roles: [], users: ['U0ADA00001'] })).toBe('one other named approver');
  });

  it('is named approvers beside groups, and the team beside nobody', () => {
    expect(deciders({ roles: [], users: ['U1'], groups: ['S1'] })).toBe('one other named approver');
    expect(deciders({ roles: [], users: ['U1'], teams: ['acme/Release'] })).toBe('one other named approver');
    expect(deciders({ roles: [], groups: ['S1'], teams: ['acme/Release'] })).toBe('one other named approver');
    expect(deciders({ roles: [], teams: ['acme/Release'] })).toBe('one other member of acme/Release');
    expect(deciders({ roles: [], teams: ['acme/Release', 'acme/Ops'], needed: 2 })).toBe(
      '2 other members of acme/Release or acme/Ops',
    );
    expect(deciders({ roles: ['maintainer'], requesterCounts: true })).toBe('one maintainer');
  });
});

it('a command’s shape changes with its name, its fields, how they are typed and whether they are required', () => {
  const vault = createVault({ state: 'shut', observe: () => {}, run: () => {}, found: undefined });
  const plain = vault('vault open');
  const { why } = plain.fields;
  if (!why) throw new Error('the vault asks why');
  const shapes = [
    plain,
    vault('vault shut'),
    vault('vault open', { fields: {} }),
    vault('vault open', { fields: { reason: why } }),
    vault('vault open', { fields: { why: { ...why, required: !why.required } } }),
    vault('vault open', { fields: { why: { ...why, typed: why.typed === 'flag' ? 'word' : 'flag' } } }),
    vault('vault open', { fields: { why: { ...why, input: { kind: 'slackUsers' } } } }),
  ].map(shapeOf);
  expect(new Set(shapes).size).toBe(shapes.length);
  expect(shapeOf(vault('vault open', { summary: 'Other words' }))).toBe(shapes[0]);
});
