import { readEnvironment } from '../config/env.js';
import { isBare } from '../config.js';
import { createLog } from '../log.js';
import { startSandbox } from '../sandbox/start.js';
import { untilStopped } from './running.js';

export async function run(): Promise<number> {
  const env = readEnvironment(process.env);
  // A newcomer reads the address, not the log; who asks for a level gets it.
  const log = createLog({ level: process.env['LOG_LEVEL'] ? env.LOG_LEVEL : 'warn' });
  const sandbox = await startSandbox({
    port: env.PORT,
    log,
    redisUrl: env.REDIS_URL,
    slash: env.BELLOWS_COMMAND,
  });
  const why = isBare(process.env)
    ? 'No Slack and no forge are configured, so everything here is a stand-in.'
    : 'Your Slack and forge settings are left alone: everything here is a stand-in.';
  console.log(
    [
      '',
      '  Bellows sandbox',
      '',
      `  Open   ${sandbox.address}`,
      '',
      `  ${why}`,
      `  ${sandbox.redis}`,
      '  Stop with Ctrl+C.',
      '',
    ].join('\n'),
  );
  return untilStopped([sandbox], log);
}
