import type { AddressInfo } from 'node:net';
import { App } from '@slack/bolt';

/** A Bolt 5 app as in its own documentation; `before`: what it does with a command before it acknowledges. */
export async function serveBolt(
  before?: (command: { readonly trigger_id: string }) => Promise<unknown>,
): Promise<void> {
  const app = new App({
    token: process.env['SLACK_BOT_TOKEN'] ?? '',
    signingSecret: process.env['SLACK_SIGNING_SECRET'] ?? '',
    clientOptions: { slackApiUrl: process.env['SLACK_API_URL'] ?? '' },
  });
  app.command('/forge', async ({ ack, command }) => {
    await before?.(command);
    await ack();
  });
  const server = await app.start(0);
  // Bolt answers with a node server, whose address is never a pipe name here.
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}/slack/events` });
}
