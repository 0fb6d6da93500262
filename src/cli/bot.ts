import { startBot } from '../bot.js';
import { readConfig } from '../config.js';
import { serve } from '../http/server.js';
import { createLog } from '../log.js';
import { untilStopped } from './running.js';

export async function run(): Promise<number> {
  const config = readConfig(process.env);
  const log = createLog({ level: config.logLevel });
  const bot = await startBot(config, log);
  const http = await serve({ ...config.http, slack: bot.listener, log });
  log.info({ address: http.address }, 'bot is ready');
  return untilStopped([http, bot], log);
}
