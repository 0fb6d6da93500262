import type { AddressInfo } from 'node:net';
import { App } from '@slack/bolt';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

/** What Bolt and BullMQ alone take: the command is in the queue before it is acknowledged, and nothing else happens. */
const queue = new Queue('bare', { connection: new Redis(process.env['REDIS_URL'] ?? '') });
const app = new App({
  token: process.env['SLACK_BOT_TOKEN'] ?? '',
  signingSecret: process.env['SLACK_SIGNING_SECRET'] ?? '',
  clientOptions: { slackApiUrl: process.env['SLACK_API_URL'] ?? '' },
});
app.command('/forge', async ({ ack, command }) => {
  await queue.add('command', command, { jobId: `c-${command.trigger_id}` });
  await ack();
});
const server = await app.start(0);
// Bolt answers with a node server, whose address is never a pipe name here.
const { port } = server.address() as AddressInfo;
process.send?.({ url: `http://127.0.0.1:${port}/slack/events` });
