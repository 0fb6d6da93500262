import type { SandboxForge } from '@bellows/sandbox/forge';
import type { SandboxSlack } from '@bellows/sandbox/slack';
import { testKeys } from '../../support/redis.js';

interface Surroundings {
  readonly forge: SandboxForge;
  readonly slack: SandboxSlack;
  readonly redisUrl: string;
  /** Path of bellows.yaml. */
  readonly config: string;
}

/** The environment of a real process on both stand-ins, with its own port. */
export const environmentOf = ({ forge, slack, redisUrl, config }: Surroundings) => ({
  PATH: process.env['PATH'] ?? '',
  SLACK_BOT_TOKEN: slack.botToken,
  SLACK_APP_TOKEN: slack.appToken,
  SLACK_API_URL: slack.apiUrl,
  FORGE_URL: forge.url,
  FORGE_TOKEN: forge.account('bellows-bot').token(),
  REDIS_URL: redisUrl,
  BELLOWS_KEYS: testKeys,
  BELLOWS_CONFIG: config,
  PORT: '0',
});
