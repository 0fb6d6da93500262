import { dirname } from 'node:path';
import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import type { SandboxRedis } from '@bellows/sandbox/redis.js';
import { type SandboxSlack, startSlack } from '@bellows/sandbox/slack';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examine, report } from '../../src/cli/doctor.js';
import { events as manifestEvents, optionalScopes, scopes } from '../../src/slack/manifest.js';
import { cliHere } from '../support/cli.js';
import { policyFile } from '../support/policy-file.js';
import { environmentOn } from '../support/processes.js';
import { ownRedis, testKeys } from '../support/redis.js';

const wanted = [...Object.keys(scopes), ...Object.keys(optionalScopes)];
const reading = ['read:repository', 'read:issue', 'read:user', 'read:organization'];
let redis: SandboxRedis;
let forge: SandboxForge;
let slack: SandboxSlack;
/** Each waits three seconds for Redis, so they start before the other tests. */
let withoutRedis: ReturnType<typeof examine>;
let withoutAnything: ReturnType<typeof examine>;
beforeAll(async () => {
  [redis, forge, slack] = await Promise.all([
    ownRedis(['--appendonly', 'yes', '--maxmemory-policy', 'noeviction']),
    startForge(),
    startSlack({ scopes: wanted, seed: { userGroups: [{ id: 'S0CORE0001', handle: 'core', users: [] }] } }),
  ]);
  const REDIS_URL = 'redis://127.0.0.1:1';
  withoutRedis = examine(env({ REDIS_URL }));
  withoutAnything = examine(env({ REDIS_URL, FORGE_URL: `${forge.url}/nowhere` }));
});
afterAll(() => Promise.all([redis.close(), forge.close(), slack.close()]));

const env = (others: Record<string, string | undefined> = {}) => ({
  ...environmentOn({ slack, forge, redisUrl: redis.url, keys: testKeys }),
  FORGE_TOKEN: forge.account('bellows-bot').token(reading),
  ...others,
});
/** Without an installed Redis, the built-in one keeps nothing: that is expected here. */
const isNews = ({ area }: { area: string }) => area !== 'redis' || redis.kind !== 'built-in';
const troubles = async (others: Record<string, string | undefined>, levels = ['failure', 'warning']) =>
  (await examine(env(others))).filter((each) => levels.includes(each.level) && isNews(each));

describe('bellows doctor', () => {
  it('finds nothing to fix if everything works', async ({ skip }) => {
    skip(redis.kind === 'built-in', 'the built-in one keeps nothing');
    const findings = await examine(env());
    expect(findings.filter(({ level }) => level !== 'ok' && level !== 'note')).toEqual([]);
    expect(new Set(findings.map(({ area }) => area))).toEqual(new Set(['config', 'redis', 'forge', 'slack']));
    const said = findings.map(({ says }) => says).join('\n');
    for (const word of ['append-only file', 'noeviction', 'service account: bellows-bot', 'Socket Mode: connected'])
      expect(said).toContain(word);
  });

  it('checks the rest if a setting is wrong', async () => {
    const findings = await examine(env({ LOG_LEVEL: 'loud', SLACK_BOT_TOKEN: undefined }));
    const lines = findings.map(({ area, level, says }) => `${area} ${level} ${says}`);
    expect(lines).toContain('config failure LOG_LEVEL: must be fatal, error, warn, info, debug, trace or silent');
    expect(lines).toContain('config note not checked: slack');
    expect(lines.some((line) => line.startsWith('forge ok connected'))).toBe(true);
    expect(lines.some((line) => line.startsWith('redis ok connected'))).toBe(true);
    expect(lines.some((line) => line.startsWith('slack'))).toBe(false);
  });

  it.each([
    [
      'TLS where there is none',
      () => ({ FORGE_URL: forge.url.replace('http:', 'https:') }),
      /does not speak TLS.*http:/,
    ],
    ['a dead proxy', () => ({ FORGE_PROXY: 'http://127.0.0.1:9' }), /Could not reach the forge.*FORGE_PROXY/],
    [
      'an unreachable Slack',
      () => ({ SLACK_API_URL: 'http://127.0.0.1:65534' }),
      /Could not reach Slack \(ECONNREFUSED\)/,
    ],
  ])('names the cause: %s', async (_what, others, words) => {
    const found = await troubles(others(), ['failure']);
    expect(found).toHaveLength(1);
    expect(`${found[0]?.says} ${found[0]?.remedy}`).toMatch(words);
  });

  it('asks the provider whether people can sign in at the forge', async () => {
    const url = 'https://bellows.example.org';
    const app = forge.world.registerApp({
      as: 'ada',
      name: 'Bellows',
      redirectUris: [`${url}/oauth/callback`],
      confidential: true,
    });
    const found = async (others: Record<string, string>) => {
      const given = {
        BELLOWS_PUBLIC_URL: url,
        FORGE_OAUTH_CLIENT_ID: app.clientId,
        FORGE_OAUTH_CLIENT_SECRET: app.secret,
      };
      const { level, says, remedy } = (await examine(env({ ...given, ...others }))).find((each) =>
        each.says.startsWith('sign-in'),
      ) ?? { level: 'none', says: '', remedy: '' };
      return `${level}: ${says} → ${remedy}`;
    };
    expect(await found({})).toContain('ok: sign-in: the forge accepts Bellows');
    expect(await found({ FORGE_OAUTH_CLIENT_SECRET: 'wrong' })).toMatch(
      /failure: .*invalid client secret.*FORGE_OAUTH_CLIENT_SECRET/,
    );
    expect(await found({ FORGE_OAUTH_CLIENT_ID: 'wrong' })).toMatch(/failure: .*cannot load client/);
    expect(await found({ BELLOWS_PUBLIC_URL: 'https://other.example.org' })).toMatch(
      /failure: .*unexpected redirect URI.*https:\/\/other\.example\.org\/oauth\/callback/,
    );
    forge.faults.add({ on: /openid-configuration/, trouble: { html: 404 } });
    expect(await found({})).toContain('failure: sign-in: the forge has no OAuth2 provider');
    expect(await found({ FORGE_OAUTH_CLIENT_ID: '', FORGE_OAUTH_CLIENT_SECRET: '' })).toContain('note: sign-in');
  });

  it('checks whether repositories, workflows and teams in bellows.yaml exist', async () => {
    const deployment = (repository: string, workflow: string) =>
      `{ repository: ${repository}, workflow: ${workflow}, refs: [main], approve: { teams: [acme/core, acme/nobody] } }`;
    const path = policyFile(
      [
        'teams: { acme/core: S0CORE0001, acme/absent: S0NOBODY01 }',
        'deployments:',
        `  good: ${deployment('acme/engine', 'deploy.yml')}`,
        `  file: ${deployment('acme/engine', 'nosuch.yml')}`,
        `  repo: ${deployment('acme/nosuch', 'deploy.yml')}`,
        'queues: [{ repository: acme/* }, { repository: acme/engine }, { repository: acme/gone }]',
      ].join('\n'),
    );
    const unseen = 'team acme/core: the service account can’t see it';
    const before = await examine(env({ BELLOWS_CONFIG: path }));
    expect(before.map(({ says }) => says)).toContain(unseen);
    forge.world.addTeamMember({ org: 'acme', team: 'core', login: 'bellows-bot' });
    const findings = await examine(env({ BELLOWS_CONFIG: path }));
    const failures = findings.filter(({ level }) => level === 'failure').map(({ says }) => says);
    expect(failures).toEqual([
      'deployments.file: acme/engine has no workflow nosuch.yml on its default branch',
      'deployments.repo: the service account can’t see acme/nosuch',
      'queues.2: the service account can’t see acme/gone',
      'team acme/nobody: the service account can’t see it',
      'team acme/absent: the service account can’t see it',
      'user groups: S0NOBODY01 cannot be read (no_such_subteam)',
    ]);
    expect(findings.map(({ says }) => says)).toContain('deployments.good: deploy.yml in acme/engine');
  });

  it('says that git is missing for queues that make branches', async () => {
    const path = policyFile('queues: [{ repository: acme/engine, way: branch }]');
    const here = process.env['PATH'];
    process.env['PATH'] = dirname(path);
    const findings = await examine(env({ BELLOWS_CONFIG: path })).finally(() => {
      process.env['PATH'] = here;
    });
    expect(findings).toContainEqual(
      expect.objectContaining({ level: 'failure', says: expect.stringContaining('way: branch needs git 2.38') }),
    );
  });

  it('checks the user groups of approvals and deployments too', async () => {
    const text = [
      'approvals:',
      '  risky: { approve: { groups: [S0CORE0001, S0RISKY001] } }',
      '  rules: [{ command: pr merge, approve: { groups: [S0RULE0001] } }]',
      'deployments:',
      '  production:',
      '    repository: acme/engine',
      '    workflow: deploy.yml',
      '    refs: [main]',
      '    approve: { groups: [S0APPROVE1] }',
      '    ask: { groups: [S0ASK00001] }',
      '    breakGlass: { groups: [S0GLASS001] }',
    ];
    const failures = await troubles({ BELLOWS_CONFIG: policyFile(text.join('\n')) }, ['failure']);
    const missing = ['S0RISKY001', 'S0RULE0001', 'S0APPROVE1', 'S0ASK00001', 'S0GLASS001'];
    expect(failures.map(({ says }) => says)).toEqual(
      missing.map((group) => `user groups: ${group} cannot be read (no_such_subteam)`),
    );
  });

  it('leaves no connection of its own behind', async () => {
    await examine(env());
    await slack.until(() => slack.socket.connections === 0);
  });

  it('names every missing setting with what to write', async () => {
    const findings = await troubles({ REDIS_URL: '', FORGE_TOKEN: undefined });
    expect(findings.map(({ says }) => says)).toEqual(['FORGE_TOKEN: missing', 'REDIS_URL: missing']);
    expect(findings.every(({ remedy }) => remedy !== undefined)).toBe(true);
  });

  it('warns about a Redis that persists nothing or evicts keys', async () => {
    const forgetful = await ownRedis();
    const admin = new Redis(forgetful.url);
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await admin.quit();
    const findings = await examine(env({ REDIS_URL: forgetful.url }));
    await forgetful.close();
    const wrong = findings.filter(({ level }) => level === 'failure' || level === 'warning');
    expect(wrong.map(({ level, says }) => [level, says.split(':')[0]])).toEqual([
      ['failure', 'eviction'],
      ['warning', 'persistence'],
    ]);
  });

  it('says in words that the forge cannot be reached', async () => {
    const findings = await examine(env({ FORGE_URL: 'http://127.0.0.1:1' }));
    const [wrong] = findings.filter(({ area, level }) => area === 'forge' && level === 'failure');
    expect(wrong?.says).toMatch(/^Could not reach the forge: .+ \(\w+\)\.$/);
  });

  it('says when the forge does not accept the token, or it may not read enough', async () => {
    const [refused] = await troubles({ FORGE_TOKEN: 'no-such-token' });
    expect(refused).toMatchObject({ area: 'forge', level: 'failure' });
    const narrow = await troubles({
      FORGE_TOKEN: forge.account('bellows-bot').token(['read:repository', 'read:user']),
    });
    expect(narrow.map(({ says }) => says)).toContain('token scopes: missing read:issue, read:organization');
  });

  it('warns about a service account that may do more than read', async () => {
    const findings = await troubles({ FORGE_TOKEN: forge.account('ada').token(['all']) });
    expect(findings.map(({ says }) => says).join('\n')).toMatch(/forge admin[\s\S]*can write/);
  });

  it('names the operations an old forge lacks and the commands it does not offer', async () => {
    const old = await startForge({ flavor: 'gitea-1.26' });
    const findings = await troubles({ FORGE_URL: old.url, FORGE_TOKEN: old.account('bellows-bot').token(['all']) }, [
      'note',
    ]);
    await old.close();
    const lacking = findings.find(({ says }) => says.startsWith('operations:'));
    expect(lacking?.says).toContain('Gitea 1.26.0 lacks');
    expect(lacking?.remedy).toContain('commands are not offered here');
    expect(lacking?.rows).toContainEqual(['run force-cancel', 'it needs Gitea 1.28 or later']);
    expect(report(findings)).toMatch(/project create +it needs Gitea 1\.28 or later/);
  });

  it('works with a forge that has nothing beyond the document', async () => {
    const bare = await startForge({ flavor: 'document' });
    const token = bare.account('bellows-bot').token(['all']);
    expect(await troubles({ FORGE_URL: bare.url, FORGE_TOKEN: token })).toEqual([]);
    await bare.close();
  });

  it('names each scope the Slack app lacks and what does not work without it', async () => {
    const poor = await startSlack({ scopes: wanted.filter((scope) => scope !== 'im:write') });
    const findings = await troubles({ SLACK_API_URL: poor.apiUrl });
    await poor.close();
    expect(findings).toMatchObject([
      { area: 'slack', says: 'scopes: im:write is missing; it is needed for direct messages' },
    ]);
  });

  it('names each event the Slack app is not subscribed to and what does not work without it', async () => {
    const events = [...manifestEvents];
    const asked = { SLACK_CONFIG_TOKEN: 'xoxe.xoxp-sandbox' };
    const poor = await startSlack({ scopes: wanted, events: events.filter((event) => event !== 'app_mention') });
    const findings = await troubles({ ...asked, SLACK_API_URL: poor.apiUrl });
    const wrong = await troubles({ SLACK_CONFIG_TOKEN: 'xoxe.wrong', SLACK_API_URL: poor.apiUrl });
    await poor.close();
    expect(findings.map(({ says }) => says)).toEqual([
      'events: app_mention is missing; it is needed for commands that mention the bot',
    ]);
    expect(wrong.map(({ says }) => says)).toEqual(['events: Slack answered invalid_auth']);
    const rich = await startSlack({ scopes: wanted, events });
    const fine = await examine(env({ ...asked, SLACK_API_URL: rich.apiUrl }));
    await rich.close();
    expect(fine.map(({ says }) => says)).toContain('events: all subscribed');
    expect(fine.map(({ says }) => says)).toContain(
      'events: message.channels is missing; it is optional and needed for replies as comments (thread:sync)',
    );
    const blind = (await examine(env())).find(({ says }) => says.startsWith('events: the bot token cannot show'));
    expect(blind?.says).toContain('app_mention');
  });

  it('wants the scope for email addresses only if bellows.yaml matches people by them', async () => {
    const findings = await troubles({ BELLOWS_CONFIG: policyFile('matchEmail: true\n') });
    expect(findings.map(({ says }) => says)).toEqual([
      'scopes: users:read.email is missing; it is needed for matching people by email',
    ]);
  });

  it('says when a Slack token does not work', async () => {
    const [bot] = await troubles({ SLACK_BOT_TOKEN: 'xoxb-wrong' });
    expect(bot).toMatchObject({ area: 'slack', says: 'token: Slack answered invalid_auth' });
    const [app] = await troubles({ SLACK_APP_TOKEN: 'xapp-wrong' });
    expect(app).toMatchObject({ area: 'slack', says: 'Socket Mode: invalid_auth' });
  });

  it('prints no secret, exits with 1 on a failure and can print JSON', async () => {
    const { code, stdout, stderr } = await cliHere(
      { ...env(), FORGE_TOKEN: 'a-wrong-and-secret-token' },
      'doctor',
      '--json',
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false });
    for (const secret of ['a-wrong-and-secret-token', slack.botToken, slack.appToken, testKeys])
      expect(stdout + stderr).not.toContain(secret);
  });

  it('says when Redis does not answer, and still checks the rest', async () => {
    const findings = await withoutRedis;
    expect(findings.filter(({ level }) => level === 'failure').map(({ area }) => area)).toEqual(['redis']);
    expect(findings.some(({ area, level }) => area === 'slack' && level === 'ok')).toBe(true);
  });

  it('says each thing once, and what to do about an address that is not a forge', async () => {
    const findings = await withoutAnything;
    const [redis] = findings.filter(({ area }) => area === 'redis');
    expect(redis?.says).not.toContain('Check REDIS_URL');
    expect(redis?.remedy).toBe('Check REDIS_URL and that Redis is running.');
    const stop = forge.faults.add({ on: /repos\/search/, trouble: { status: 404, message: '404 Not Found' } });
    for (const found of [findings, await examine(env())]) {
      const [wrong] = found.filter(({ area, level }) => area === 'forge' && level === 'failure');
      expect(wrong?.says).toBe('connected, but there is no Gitea or Forgejo API at this address');
      expect(wrong?.remedy).toContain('Set FORGE_URL');
    }
    stop();
  });
});
