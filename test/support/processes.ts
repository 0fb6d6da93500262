import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { SandboxForge } from '@bellows/sandbox/forge';
import type { SandboxSlack } from '@bellows/sandbox/slack';
import type { Config } from '../../src/config.js';
import { program } from './program.js';

export interface Part {
  readonly child: ChildProcess;
  readonly logged: readonly string[];
  kill(signal?: NodeJS.Signals): Promise<void>;
}

interface Settings extends Pick<Config, 'redisUrl' | 'keys'> {
  readonly slack: Pick<Config['slack'], 'botToken' | 'apiUrl' | 'mode'>;
  readonly forge: Pick<Config['forge'], 'url' | 'token'>;
}

interface StandIns extends Pick<Config, 'redisUrl' | 'keys'> {
  readonly slack: SandboxSlack;
  readonly forge: SandboxForge;
}

type Variables = Readonly<Record<string, string>>;

/** Settings as the operator's environment variables. */
export function environmentOf({ slack, forge, redisUrl, keys }: Settings, more: Variables = {}): Variables {
  return {
    PATH: process.env['PATH'] ?? '',
    SLACK_BOT_TOKEN: slack.botToken,
    ...(slack.mode.kind === 'socket'
      ? { SLACK_APP_TOKEN: slack.mode.appToken }
      : { SLACK_SIGNING_SECRET: slack.mode.signingSecret }),
    ...(slack.apiUrl === undefined ? {} : { SLACK_API_URL: slack.apiUrl }),
    FORGE_URL: forge.url,
    FORGE_TOKEN: forge.token,
    REDIS_URL: redisUrl,
    BELLOWS_KEYS: keys,
    PORT: '0',
    LOG_LEVEL: 'info',
    ...more,
  };
}

/** The same for both stand-ins, over Socket Mode. */
export function environmentOn({ slack, forge, redisUrl, keys }: StandIns, more: Variables = {}): Variables {
  const { botToken, apiUrl, appToken } = slack;
  const own = { url: forge.url, token: forge.account('bellows-bot').token() };
  return environmentOf(
    { slack: { botToken, apiUrl, mode: { kind: 'socket', appToken } }, forge: own, redisUrl, keys },
    more,
  );
}

/** A real process of the product; resolves when it reports ready. */
export async function startPart(
  word: 'bot' | 'worker' | 'start',
  env: Variables,
  command?: readonly string[],
): Promise<Part> {
  const child = spawn(process.execPath, [...(command ?? program()), word], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const logged: string[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        logged.push(line);
        if (line.includes('is ready')) resolve();
      });
    }
    child.once('exit', (code) => reject(new Error(`${word} ended with ${code}:\n${logged.join('\n')}`)));
  });
  await ready;
  return {
    child,
    logged,
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
}
