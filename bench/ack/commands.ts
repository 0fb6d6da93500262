import { randomBytes } from 'node:crypto';
import { sign } from '@bellows/sandbox/slack/delivery/http.js';

/** Enough that nobody has more commands in progress than run at once. */
export const people = 500;
const userOf = (number: number) => `U0BENCH${String(number).padStart(4, '0')}`;

/** Where commands come from and where their answers go. */
interface Origin {
  readonly secret: string;
  readonly team: string;
  readonly channel: string;
  responseUrl(): string;
}

/** Signed slash commands, all different, ready to be written to a socket. */
export function commands({ secret, team, channel, responseUrl }: Origin): () => Buffer {
  let count = 0;
  return () => {
    count += 1;
    const body = new URLSearchParams({
      team_id: team,
      user_id: userOf(count % people),
      channel_id: channel,
      command: '/forge',
      text: `issue close acme/engine#${count}`,
      trigger_id: `${process.pid}.${count}.${randomBytes(4).toString('hex')}`,
      response_url: responseUrl(),
    }).toString();
    const timestamp = Math.floor(Date.now() / 1000);
    return Buffer.from(
      [
        'POST /slack/events HTTP/1.1',
        'host: 127.0.0.1',
        'content-type: application/x-www-form-urlencoded',
        `content-length: ${body.length}`,
        `x-slack-request-timestamp: ${timestamp}`,
        `x-slack-signature: ${sign(secret, timestamp, body)}`,
        '',
        body,
      ].join('\r\n'),
    );
  };
}
