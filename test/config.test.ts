import { describe, expect, it } from 'vitest';
import { knownCommands } from '../src/cli/with-store.js';
import { readPolicyFile } from '../src/config/file.js';
import { isBare, readConfig } from '../src/config.js';
import { ConfigError } from '../src/errors.js';
import { readAddress } from '../src/store/address.js';
import { policyFile } from './support/policy-file.js';
import { testKey } from './support/redis.js';

const key = `k1:${testKey(7)}`;
const signing = '8f742231b10e8888abcd99yyyzzz85a5';
const whole = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  FORGE_URL: 'https://git.example.org',
  FORGE_TOKEN: 'secret',
  REDIS_URL: 'redis://127.0.0.1:6379',
  BELLOWS_KEYS: key,
};

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('are complete with six variables; the rest has sensible defaults', () => {
    expect(readConfig(whole)).toMatchObject({
      slack: { mode: { kind: 'socket', appToken: 'xapp-1' } },
      command: '/forge',
      http: { host: '127.0.0.1', port: 3000 },
      logLevel: 'info',
    });
  });

  it('choose HTTP mode by the signing secret', () => {
    const { SLACK_APP_TOKEN: _, ...rest } = whole;
    expect(readConfig({ ...rest, SLACK_SIGNING_SECRET: signing }).slack.mode).toEqual({
      kind: 'http',
      signingSecret: signing,
    });
  });

  it('name everything that is missing at once, with what to set', () => {
    const problems = problemsOf(() => readConfig({ FORGE_URL: 'https://git.example.org' }));
    for (const name of ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'FORGE_TOKEN', 'REDIS_URL', 'BELLOWS_KEYS']) {
      expect(problems.find((line) => line.startsWith(`${name}:`))).toMatch(/set it/);
    }
    expect(problems.some((line) => line.startsWith('FORGE_URL'))).toBe(false);
  });

  it.each([
    ['SLACK_BOT_TOKEN', 'xapp-1'],
    ['SLACK_APP_TOKEN', 'xoxb-1'],
    ['FORGE_URL', 'git.example.org'],
    ['FORGE_URL', 'ftp://git.example.org'],
    ['FORGE_URL', 'https://ada:secret@git.example.org'],
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'unix:/run/redis.sock'],
    ['BELLOWS_KEYS', 'k1:short'],
    ['BELLOWS_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`],
    ['SLACK_SIGNING_SECRET', signing],
    ['HOST', 'http://127.0.0.1'],
    ['HOST', '300.1.1.1'],
    ['HOST', 'a b'],
    ['FORGE_CA_FILE', 'package.json'],
    ['FORGE_CA_FILE', 'nowhere.pem'],
    ['BELLOWS_COMMAND', 'forge'],
    ['PORT', 'http'],
    ['LOG_LEVEL', 'loud'],
    ['FORGE_WEBHOOK_SECRET', 'short'],
  ])('refuse %s = %s by name', (name, value) => {
    const problems = problemsOf(() => readConfig({ ...whole, [name]: value }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}: `));
  });

  it('refuse a signing secret that was cut', () => {
    const { SLACK_APP_TOKEN: _, ...rest } = whole;
    expect(problemsOf(() => readConfig({ ...rest, SLACK_SIGNING_SECRET: 'short' }))).toEqual([
      expect.stringContaining('SLACK_SIGNING_SECRET: is too short'),
    ]);
  });

  it('name a misspelled setting, and leave those of others alone', () => {
    const { BELLOWS_KEYS: _, ...rest } = whole;
    const problems = problemsOf(() => readConfig({ ...rest, BELLOWS_KEY: key, SLACK_WORKSPACE: 'acme' }));
    expect(problems).toContain('BELLOWS_KEY: is not a setting; did you mean BELLOWS_KEYS?');
    expect(problems.join()).not.toContain('SLACK_WORKSPACE');
    expect(problems.join()).not.toContain(key);
  });

  it.each(['redis', 'rediss', 'redis+sentinel', 'rediss+sentinel', 'redis+cluster', 'rediss+cluster'])(
    'accept every address that can be connected to: %s://',
    (scheme) => {
      const url = `${scheme}://a.example${scheme.endsWith('sentinel') ? '/main' : ''}`;
      expect(readConfig({ ...whole, REDIS_URL: url }).redisUrl).toBe(url);
      expect(readAddress(url).nodes).toHaveLength(1);
    },
  );

  it('never repeat a secret in an error', () => {
    const problems = problemsOf(() => readConfig({ ...whole, BELLOWS_KEYS: 'k1:c2VjcmV0', SLACK_BOT_TOKEN: 'hidden' }));
    expect(problems.join('\n')).not.toMatch(/c2VjcmV0|hidden/);
  });

  it('ignore whitespace around a value, such as the newline of a secret file', () => {
    const { SLACK_APP_TOKEN: app, ...rest } = whole;
    const padded = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, ` ${value}\n`]));
    expect(readConfig({ ...padded, SLACK_SIGNING_SECRET: `${signing}\n` })).toEqual(
      readConfig({ ...rest, SLACK_SIGNING_SECRET: signing }),
    );
    expect(readConfig({ ...rest, SLACK_APP_TOKEN: `${app}\n` }).slack.mode).toEqual({ kind: 'socket', appToken: app });
  });

  it('name a variable of nothing but whitespace as missing', () => {
    expect(problemsOf(() => readConfig({ ...whole, FORGE_TOKEN: '\n' }))).toEqual([
      expect.stringContaining('FORGE_TOKEN: missing; set it'),
    ]);
    expect(readConfig({ ...whole, FORGE_WEB_URL: ' ', BELLOWS_NAMESPACE: '\n' }).namespace).toBe('main');
  });

  it('treat an empty variable as absent', () => {
    expect(readConfig({ ...whole, FORGE_WEB_URL: '', PORT: '' })).toMatchObject({ http: { port: 3000 } });
  });

  it('are bare only where neither Slack nor forge is named', () => {
    expect(isBare({ REDIS_URL: 'redis://x' })).toBe(true);
    expect(isBare({ FORGE_URL: 'https://git.example.org' })).toBe(false);
    expect(isBare({ SLACK_BOT_TOKEN: 'xoxb-1' })).toBe(false);
  });
});

const deploying = (rest: string) =>
  `deployments:\n  production:\n    repository: acme/engine\n    workflow: deploy.yml\n    ${rest}\n`;

describe('bellows.yaml', () => {
  const read = (text: string) => readPolicyFile(text, 'bellows.yaml');

  it('is optional', () => {
    expect(read('')).toMatchObject({ roles: {}, matchEmail: false, exposure: { privateToPublic: 'refuse' } });
  });

  it('is read from BELLOWS_CONFIG, and must exist then', () => {
    const path = policyFile('roles:\n  admin:\n    users: [U012AB3CD]\n');
    const absent = `${path}.absent`;
    expect(problemsOf(() => readConfig({ ...whole, BELLOWS_CONFIG: absent }))[0]).toContain('BELLOWS_CONFIG');
    expect(readConfig({ ...whole, BELLOWS_CONFIG: path }).policy.roles.admin?.users).toEqual(['U012AB3CD']);
  });

  it('reads roles, people and approvals', () => {
    const policy = read(
      [
        'roles:',
        '  admin: { users: [U012AB3CD], groups: [S012AB3CD] }',
        'people: { ada: U012AB3CD }',
        'approvals:',
        '  risky: { approve: maintainer, count: 2, expires: 4h, channel: C012AB3CD }',
        '  commands:',
        '    run force-cancel: { count: 1, requesterCounts: true }',
      ].join('\n'),
    );
    expect(policy.approvals.risky).toEqual({ approve: 'maintainer', count: 2, expires: 14_400, channel: 'C012AB3CD' });
    expect(policy.approvals.commands['run force-cancel']).toEqual({ count: 1, requesterCounts: true });
  });

  it.each([
    ['roles:\n  owner:\n    users: [U012AB3CD]\n', 2, 'roles.owner'],
    ['roles:\n  admin:\n    users: [ada]\n', 3, 'roles.admin.users.0'],
    ['people:\n  ada: U012AB3CD\n  grace: grace\n', 3, 'people.grace'],
    ['teams:\n  acme/core: S012AB3CD\n  core: S034EF5GH\n', 3, 'teams.core: must be a team of the forge'],
    ['teams:\n  acme/core: core-team\n', 2, 'teams.acme/core: must be a Slack user group id'],
    ['approvals:\n  risky:\n    approve: boss\n', 3, 'approvals.risky.approve'],
    ['approvals:\n  risky:\n    expires: soon\n', 3, 'approvals.risky.expires'],
    ['approvals:\n  risky:\n    approve: { teams: [core] }\n', 3, 'approvals.risky.approve.teams.0'],
    ['approvals:\n  risky:\n    approve: { people: [] }\n', 3, 'approvals.risky.approve.people'],
    ['approvals:\n  risky:\n    approve: {}\n', 3, 'approvals.risky.approve'],
    ['approvals:\n  rules:\n    - count: 2\n', 3, 'approvals.rules.0: needs a command'],
    ['approvals:\n  rules:\n    - command: pr merge\n      conut: 2\n', 4, 'approvals.rules.0.conut'],
    ['approvals:\n  rules:\n    - repository: engine\n', 3, 'approvals.rules.0.repository'],
    ['approvals:\n  rules:\n    - branch: main\n    - branch: "v[0-9]"\n', 4, 'approvals.rules.1.branch'],
    ['approvals:\n  rules:\n    - branch: main\n    - branch: Main\n', 4, 'approvals.rules.1: selects the same'],
    ['approvals:\n  commands:\n    pr marge: { count: 1 }\n', 3, 'approvals.commands.pr marge: no command'],
    ['approvals:\n  rules:\n    - command: pr marge\n', 3, 'approvals.rules.0.command: no command'],
    ['approvals:\n  rules:\n    - command: issue close\n      branch: main\n', 4, 'approvals.rules.0.branch'],
    ['approvals:\n  commands:\n    deploy: { count: 2 }\n', 3, 'approvals.commands.deploy: its approvals are set'],
    ['approvals:\n  rules:\n    - command: deploy\n', 3, 'approvals.rules.0.command: its approvals are set'],
    [
      'approvals:\n  commands:\n    signin: { count: 1 }\n',
      3,
      'approvals.commands.signin: people do this to their own link',
    ],
    [
      'approvals:\n  commands:\n    signout: { count: 1 }\n',
      3,
      'approvals.commands.signout: people do this to their own link',
    ],
    [
      'approvals:\n  commands:\n    agents revoke: { count: 1 }\n',
      3,
      'approvals.commands.agents revoke: people do this to their own link',
    ],
    [
      'approvals:\n  commands:\n    signin confirm: { count: 1 }\n',
      3,
      'approvals.commands.signin confirm: people do this to their own link',
    ],
    ['deployments:\n  production:\n    repository: acme/engine\n', 2, 'deployments.production.workflow: is missing'],
    ['workingHours:\n  from: "18:00"\n', 1, 'workingHours.to: must be later than from'],
    ['workingHours:\n  holidays: [christmas]\n', 2, 'workingHours.holidays.0: must be a date such as'],
    ['queues:\n  - branch: main\n', 2, 'queues.0.repository: is missing'],
    ['queues:\n  - repository: acme/*\n    retries: 3\n', 3, 'queues.0.retries: must be at most 2'],
    ['queues:\n  - repository: acme/*\n    group: 21\n', 3, 'queues.0.group: must be at most 20'],
    ['queues:\n  - repository: acme/*\n    group: 4\n', 3, 'queues.0.group: needs way: branch if it is more than 1'],
    ['queues:\n  - repository: acme/*\n    timeLimit: 60\n', 3, 'queues.0.timeLimit: must be text'],
    ['queues:\n  - repository: acme/*\n    size: 4\n', 3, 'queues.0.size: is not known here'],
    ['reviews:\n  - team: acme/core\n    diff: false\n', 3, 'reviews.0.diff: is for all reviews of a repository'],
    ['reviews:\n  - escalate: C012AB3CD\n', 2, 'reviews.0.escalate: needs firstReview'],
    ['reviews:\n  - firstReview: 1h\n    remind: 2h\n', 3, 'reviews.0.remind: must be shorter than firstReview'],
    ['reviews:\n  - firstReview: 1h\n    escalate: lead\n', 3, 'reviews.0.escalate: must be the id of a Slack channel'],
    ['reviews:\n  - team: core\n', 2, 'reviews.0.team: must be a team of the forge'],
    [deploying('refs: []'), 5, 'deployments.production.refs'],
    [
      deploying('checks: any'),
      2,
      'deployments.production.refs: is missing: list the branches and tags that can be deployed',
    ],
    [
      deploying('refs: [main]\n    freeze: [{ days: [someday], zone: UTC }]'),
      6,
      'deployments.production.freeze.0.days.0',
    ],
    [deploying('refs: [main]\n    freeze: [{ zone: Europe/Nowhere }]'), 6, 'deployments.production.freeze.0.zone'],
    [deploying('refs: [main]\n    inputs: { a: 1 }\n    askFor: [a]'), 7, 'deployments.production.askFor.0'],
    [deploying('refs: [main]\n    inputs: { a: 1 }\n    ungated: [{ b: 2 }]'), 7, 'deployments.production.ungated.0'],
    [deploying('refs: [main]\n    ungated: [{}]'), 6, 'deployments.production.ungated.0'],
    [deploying('refs: [main]\n    aprove: admin'), 6, 'deployments.production.aprove'],
    ['deployments:\n  freeze:\n    repository: acme/engine\n', 2, 'deployments.freeze'],
    ['matchEmail: perhaps\n', 1, 'matchEmail'],
    ['color: red\n', 1, 'color: is not known here. Allowed: roles, people, '],
    ['matchEmial: true\n', 1, 'matchEmial: is not known here. Did you mean matchEmail? Allowed: '],
    ['matchEmail: "yes"\n', 1, 'matchEmail: must be true or false'],
    ['feed:\n  busySeconds: fast\n', 2, 'feed.busySeconds: must be a number'],
    ['feed: { digestAbove: 1 }\n', 1, 'feed.digestAbove: must be at least 5'],
    ['exposure: { privateToPublic: maybe }\n', 1, 'exposure.privateToPublic: must be refuse or allow'],
    ['people: [ada]\n', 1, 'people: must be a map of names and values'],
    ['approvals: { risky: { cuont: 2 } }\n', 1, 'approvals.risky.cuont: is not known here. Did you mean count?'],
    [
      `deployments:\n${['good', 'twin'].map((name) => `  ${name}: { repository: acme/engine, workflow: deploy.yml, refs: [main] }\n`).join('')}`,
      3,
      'deployments.twin: starts the same workflow with the same inputs as good. Give them different inputs, or make them one',
    ],
    [
      'approvals:\n  risky:\n    approve: { users: [U012AB3CD] }\n    count: 3\n',
      4,
      'approvals.risky.count: needs 3, but only one person can approve',
    ],
    [
      'roles:\n  admin: { users: [U012AB3CD, U012AB3CE] }\napprovals:\n  rules:\n    - { branch: main, approve: admin, count: 3 }\n',
      5,
      'approvals.rules.0.count: needs 3, but only 2 people can approve',
    ],
  ])('names line and key of what is wrong in %j', (text, line, path) => {
    const [problem] = problemsOf(() => readPolicyFile(text, 'bellows.yaml', knownCommands));
    expect(problem).toContain(`bellows.yaml line ${line}: ${path}`);
  });

  it('names the line if it is not YAML at all', () => {
    expect(problemsOf(() => read('roles:\n  admin: [\n'))[0]).toMatch(/^bellows\.yaml line \d+: /);
  });
});
