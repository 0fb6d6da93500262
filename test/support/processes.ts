import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Config } from '../../src/config.js';
import { program } from './program.js';

export interface Part {
  readonly child: ChildProcess;
  readonly logged: readonly string[];
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** A config as the operator's environment variables. */
export function environmentOf(config: Config, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { slack, forge } = config;
  return {
    PATH: process.env['PATH'] ?? '',
    SLACK_BOT_TOKEN: slack.botToken,
    ...(slack.mode.kind === 'socket'
      ? { SLACK_APP_TOKEN: slack.mode.appToken }
      : { SLACK_SIGNING_SECRET: slack.mode.signingSecret }),
    ...(slack.apiUrl === undefined ? {} : { SLACK_API_URL: slack.apiUrl }),
    FORGE_URL: forge.url,
    FORGE_TOKEN: forge.token,
    REDIS_URL: config.redisUrl,
    BELLOWS_KEYS: config.keys,
    PORT: '0',
    LOG_LEVEL: 'info',
    ...more,
  };
}

/** A real process of the product; resolves when it reports ready. */
export async function startPart(
  word: 'bot' | 'worker' | 'start',
  env: Readonly<Record<string, string>>,
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
