import { startBot } from '../bot.js';
import { createMetrics } from '../http/metrics.js';
import { createLog } from '../log.js';
import { hearLibraries, untilStopped } from './running.js';
import { sayReady } from './say-ready.js';
import { serving } from './serving.js';
import { readSettings } from './with-store.js';

export async function run(): Promise<number> {
  const config = readSettings(process.env);
  const log = createLog({ level: config.logLevel });
  hearLibraries(log);
  const metrics = createMetrics();
  const bot = await startBot(config, log, metrics);
  const http = await serving({ config, log, metrics, parts: [bot], slack: bot.listener, agents: bot.agents });
  await sayReady(log, config, { name: 'bot', part: bot, address: http.address });
  return untilStopped([http, bot], log);
}
