import { startBot } from '../../src/bot.js';
import { readConfig } from '../../src/config.js';
import { serve } from '../../src/http/server.js';
import { createLog } from '../../src/log.js';
import { startWorker } from '../../src/worker.js';

/** As `bellows start`: everything in one process. */
const config = readConfig(process.env);
const log = createLog({ level: 'error' });
const [bot] = await Promise.all([startBot(config, log), startWorker(config, log)]);
const http = await serve({ ...config.http, slack: bot.listener, log });
process.send?.({ url: `${http.address}/slack/events` });
