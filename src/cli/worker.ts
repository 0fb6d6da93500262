import { createMetrics } from '../http/metrics.js';
import { createLog } from '../log.js';
import { startWorker } from '../worker.js';
import { hearLibraries, untilStopped } from './running.js';
import { sayReady } from './say-ready.js';
import { serving } from './serving.js';
import { readSettings } from './with-store.js';

export async function run(): Promise<number> {
  const config = readSettings(process.env);
  const log = createLog({ level: config.logLevel });
  hearLibraries(log);
  const metrics = createMetrics();
  const worker = await startWorker(config, log, metrics);
  const http = await serving({ config, log, metrics, parts: [worker] });
  await sayReady(log, config, { name: 'worker', part: worker, address: http.address });
  return untilStopped([http, worker], log);
}
