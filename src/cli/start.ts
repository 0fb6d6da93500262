import { startBot } from '../bot.js';
import { wantsSandbox } from '../config.js';
import { createMetrics } from '../http/metrics.js';
import { createLog } from '../log.js';
import { startWorker } from '../worker.js';
import { hearLibraries, untilStopped } from './running.js';
import { sayReady } from './say-ready.js';
import { serving } from './serving.js';
import { readSettings } from './with-store.js';

/** The real bot if Slack and forge are configured, the sandbox if neither is; never a mixture. */
export async function run(): Promise<number> {
  if (wantsSandbox(process.env)) return (await import('./sandbox.js')).run();
  const config = readSettings(process.env);
  const log = createLog({ level: config.logLevel });
  hearLibraries(log);
  const metrics = createMetrics();
  const [bot, worker] = await Promise.all([startBot(config, log, metrics), startWorker(config, log, metrics)]);
  const http = await serving({ config, log, metrics, parts: [bot, worker], slack: bot.listener, agents: bot.agents });
  await sayReady(log, config, { name: 'bellows', part: bot, address: http.address });
  return untilStopped([http, bot, worker], log);
}
