import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { type SandboxSlack, startSlack } from '@bellows/sandbox/slack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examine } from '../../src/cli/doctor.js';
import { policyFile } from '../support/policy-file.js';
import { type Fresh, freshRedis, testKeys } from '../support/redis.js';

const channels = Array.from({ length: 250 }, (_, at) => ({ id: `C0TEAM${1_000 + at}`, name: `team-${at}` }));
const outside = ['C0RISKY001', 'C0WRITE001', 'C0MERGE001', 'C0RULE0001', 'C0DEPLOY01'];
let forge: SandboxForge;
let slack: SandboxSlack;
let redis: Fresh;
beforeAll(async () => {
  const away = outside.map((id) => ({ id, name: id.toLowerCase(), bot: false }));
  [redis, forge, slack] = await Promise.all([
    freshRedis(),
    startForge(),
    startSlack({ seed: { channels: [...channels, ...away] } }),
  ]);
});
afterAll(() => Promise.all([redis.close(), forge.close(), slack.close()]));

const channelsSaid = async (...lines: string[]) => {
  const findings = await examine({
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    FORGE_URL: forge.url,
    FORGE_TOKEN: forge.account('bellows-bot').token(['all']),
    REDIS_URL: redis.url,
    BELLOWS_KEYS: testKeys,
    BELLOWS_CONFIG: policyFile(lines.join('\n')),
  });
  return findings.filter(({ says }) => says.startsWith('channels:'));
};

describe('the channels that bellows doctor checks', () => {
  it('are all that the bot is in, however many', async () => {
    const found = await channelsSaid(`approvals: { risky: { channel: ${channels.at(-1)?.id} } }`);
    expect(found).toMatchObject([{ level: 'ok', says: expect.stringContaining('channels: in 250: #team-0') }]);
  });

  it('include every one that approvals go to', async () => {
    const [risky, write, merge, rule, deploy] = outside;
    const found = await channelsSaid(
      'approvals:',
      `  risky: { channel: ${risky} }`,
      `  write: { channel: ${write} }`,
      `  commands: { pr merge: { channel: ${merge} } }`,
      `  rules: [{ repository: acme/engine, channel: ${rule} }]`,
      'deployments:',
      `  production: { repository: acme/engine, workflow: deploy.yml, refs: [main], channel: ${deploy} }`,
    );
    const cards = await channelsSaid(`queues: [{ repository: acme/engine, channel: ${risky} }]`);
    expect(cards.map(({ says }) => says)).toContain(
      `channels: the card of queues.0 goes to ${risky}, but the bot is not in that channel`,
    );
    expect(found.filter(({ level }) => level === 'failure').map(({ says }) => says)).toEqual(
      outside.map((id) => `channels: approvals go to ${id}, but the bot is not in that channel`),
    );
  });
});
