import type { AddressInfo } from 'node:net';
import { App } from '@slack/bolt';

/** The baseline: a Bolt 5 app as in its own documentation, with a command that does nothing. */
const app = new App({
  token: process.env['SLACK_BOT_TOKEN'] ?? '',
  signingSecret: process.env['SLACK_SIGNING_SECRET'] ?? '',
  clientOptions: { slackApiUrl: process.env['SLACK_API_URL'] ?? '' },
});
app.command('/forge', async ({ ack }) => {
  await ack();
});
const server = await app.start(0);
// Bolt answers with a node server, whose address is never a pipe name here.
const { port } = server.address() as AddressInfo;
process.send?.({ url: `http://127.0.0.1:${port}/slack/events` });
