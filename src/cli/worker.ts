import { readConfig } from '../config.js';
import { serve } from '../http/server.js';
import { createLog } from '../log.js';
import { startWorker } from '../worker.js';
import { untilStopped } from './running.js';

export async function run(): Promise<number> {
  const config = readConfig(process.env);
  const log = createLog({ level: config.logLevel });
  const worker = await startWorker(config, log);
  const http = await serve({ ...config.http, log });
  log.info({ address: http.address }, 'worker is ready');
  return untilStopped([http, worker], log);
}
