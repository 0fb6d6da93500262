import { existsSync } from 'node:fs';
import { isBare, readEnvironment } from '../config.js';
import { UserError } from '../errors.js';
import { createLog } from '../log.js';
import { untilStopped } from './running.js';

export async function run({ useRedisUrl }: { readonly useRedisUrl?: boolean } = {}): Promise<number> {
  const { startSandbox } = await loadSandbox();
  const env = readEnvironment(process.env);
  // Newcomers need the address, not the log; an explicit level still applies.
  const log = createLog({ level: process.env['LOG_LEVEL'] ? env.LOG_LEVEL : 'warn' });
  const sandbox = await startSandbox({
    port: env.PORT,
    log,
    redisUrl: useRedisUrl ? env.REDIS_URL : undefined,
    slash: env.BELLOWS_COMMAND,
  });
  const why = isBare(process.env)
    ? 'Neither Slack nor a forge is configured, so everything here is simulated.'
    : 'Your Slack and forge settings are not used: everything here is simulated.';
  // someone who filled it in expected more than a sandbox
  const unread = isBare(process.env) && existsSync('.env');
  console.log(
    [
      '',
      '  Bellows sandbox',
      '',
      `  Open   ${sandbox.address}`,
      '',
      `  ${why}`,
      ...(unread
        ? [
            '  Bellows does not read the .env file in this folder by itself. To use it, stop this and run:',
            '    set -a; . ./.env; set +a',
          ]
        : []),
      `  ${sandbox.redis}`,
      '  Stop with Ctrl+C.',
      '',
    ].join('\n'),
  );
  return untilStopped([sandbox], log);
}

/** It is not part of a production install or the image. */
async function loadSandbox() {
  try {
    return await import('@bellows/sandbox');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new UserError(
      'The sandbox is not part of a production install. To try it, clone the repository and run: npm ci && npm start.',
    );
  }
}
