import { expect, it } from 'vitest';
import { runHere } from '../support/cli.js';
import { policyFile } from '../support/policy-file.js';
import { testKeys } from '../support/redis.js';

const env = (yaml: string) => ({
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  FORGE_URL: 'https://git.example.org',
  FORGE_TOKEN: 'secret',
  REDIS_URL: 'redis://127.0.0.1:6379',
  BELLOWS_KEYS: testKeys,
  BELLOWS_CONFIG: policyFile(yaml),
});

const listed = async (yaml: string, ...flags: string[]) => {
  const lines: string[] = [];
  expect(await runHere(['deploy', 'list', ...flags], env(yaml), (text) => lines.push(text))).toBe(0);
  return lines.join('\n');
};

it('lists each deployment with who asks, who approves and when it is frozen', async () => {
  const yaml = [
    'deployments:',
    '  production:',
    '    repository: acme/engine',
    '    workflow: deploy.yml',
    '    refs: [main, v*]',
    '    inputs: { environment: production }',
    '    askFor: [version]',
    '    ungated: [{ environment: staging }]',
    '    ask: maintainer',
    '    approve: { teams: [acme/release] }',
    '    count: 2',
    '    channel: C012AB3CD',
    '    freeze: [{ days: [fri], from: "16:00", zone: Europe/Berlin }]',
    '    breakGlass: { users: [U012AB3CD] }',
  ].join('\n');
  expect(await listed(yaml)).toBe(
    [
      'production',
      '  runs        deploy.yml in acme/engine',
      '  refs        main, v*',
      '  inputs      environment=production, version=?',
      '  by hand     environment=staging',
      '  requests    maintainer',
      '  approves    2 of acme/release in C012AB3CD',
      '  frozen      fri 16:00-24:00 Europe/Berlin',
      '  break glass U012AB3CD',
    ].join('\n'),
  );
  expect(JSON.parse(await listed(yaml, '--json'))).toMatchObject({ production: { repository: 'acme/engine' } });
});

it('says that there is none', async () => {
  expect(await listed('')).toBe('No deployments in bellows.yaml.');
});
