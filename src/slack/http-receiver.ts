import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HTTPReceiver, type Logger } from '@slack/bolt';

/** What our own server answers Slack at. */
export const slackPath = '/slack/events';
const mostBytes = 1_000_000;

/** Bolt's receiver, to be mounted on our own server. */
export const createHttpReceiver = (signingSecret: string, logger: Logger): HTTPReceiver =>
  new HTTPReceiver({ signingSecret, logger, endpoints: slackPath, bodyLimit: mostBytes });

/** A body that was not read to its end ends its connection, so that nothing of it is read on. */
export function mounted({ requestListener }: HTTPReceiver): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    response.once('finish', () => {
      if (!request.complete) request.destroy();
    });
    if (request.method === 'POST') requestListener(request, response);
    else response.writeHead(404).end();
  };
}
