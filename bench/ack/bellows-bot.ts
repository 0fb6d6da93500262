import { startBot } from '../../src/bot.js';
import { readConfig } from '../../src/config.js';
import { serve } from '../../src/http/server.js';
import { createLog } from '../../src/log.js';

const config = readConfig(process.env);
const log = createLog({ level: 'error' });
const bot = await startBot(config, log);
const http = await serve({ ...config.http, slack: bot.listener, log });
process.send?.({ url: `${http.address}/slack/events` });
