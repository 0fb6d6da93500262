import { createMetrics } from '../http/metrics.js';
import { createLog } from '../log.js';
import { startWorker } from '../worker.js';
import { hearLibraries, untilStopped } from './running.js';
import { serving } from './serving.js';
import { readSettings } from './settings.js';

export async function run(): Promise<number> {
  const config = readSettings(process.env);
  const log = createLog({ level: config.logLevel });
  hearLibraries(log);
  const metrics = createMetrics();
  const worker = await startWorker(config, log, metrics);
  const http = await serving({ config, log, metrics, parts: [worker] });
  log.info({ address: http.address }, 'worker is ready');
  return untilStopped([http, worker], log);
}
