import { createServer, type IncomingMessage } from 'node:http';
import { type SandboxSlack, type SlackOptions, startSlack } from '@bellows/sandbox/slack';
import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { onTestFinished } from 'vitest';

/** A Slack that is closed when the test ends. */
export async function slackFor(options: SlackOptions = {}): Promise<SandboxSlack> {
  const slack = await startSlack(options);
  onTestFinished(() => slack.close());
  return slack;
}

// Bolt prints refused requests and unfinished handlers, which several tests are about
const quiet = LogLevel.ERROR;
const logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => quiet,
  setName: () => {},
};

export const clientOf = (slack: SandboxSlack, token = slack.botToken, options: WebClientOptions = {}): WebClient =>
  new WebClient(token, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger,
    ...options,
  });

type Register = (app: App) => void;

export async function socketApp(slack: SandboxSlack, register: Register): Promise<App> {
  const receiver = new SocketModeReceiver({
    appToken: slack.appToken,
    clientPingTimeout: 200,
    logger,
    installerOptions: { clientOptions: { slackApiUrl: slack.apiUrl } },
  });
  const app = new App({
    token: slack.botToken,
    receiver,
    clientOptions: { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } },
    logger,
    convoStore: false,
  });
  register(app);
  await app.start();
  onTestFinished(async () => void (await app.stop()));
  return app;
}

/** In HTTP mode, on a port of its own, with the request URL verified. */
export async function httpApp(slack: SandboxSlack, register: Register): Promise<{ app: App; verified: boolean }> {
  const receiver = new HTTPReceiver({ signingSecret: slack.signingSecret, logger });
  const app = new App({
    token: slack.botToken,
    receiver,
    clientOptions: { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } },
    logger,
    convoStore: false,
  });
  register(app);
  const server = await app.start(0);
  onTestFinished(async () => void (await app.stop()));
  const address = 'address' in server ? server.address() : null;
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const verified = await slack.deliverTo(`http://127.0.0.1:${port}/slack/events`);
  return { app, verified };
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
}

/** An app without Bolt, for what Bolt would answer itself. */
export async function plainServer(answer: (request: IncomingMessage) => Answer): Promise<string> {
  const server = createServer((request, response) => {
    const { status, headers } = answer(request);
    request.resume().on('end', () => response.writeHead(status, headers).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`;
}

/** The `data` of a refused call: error, needed scope, messages. */
export async function refusal(call: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await call;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'data' in error && typeof error.data === 'object') {
      return { ...error.data };
    }
    throw error;
  }
  throw new Error('The call was not refused.');
}

export const general = 'C0GENERAL1';
export const engine = 'C0ENGINE01';
export const ada = 'U0ADA00001';
export const grace = 'U0GRACE001';

export const button = (actionId: string, text = 'Press') => ({
  type: 'button' as const,
  action_id: actionId,
  text: { type: 'plain_text' as const, text },
});

export const section = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });

export const modal = (callbackId: string, blocks: unknown[]) => ({
  type: 'modal' as const,
  callback_id: callbackId,
  title: { type: 'plain_text' as const, text: 'Form' },
  submit: { type: 'plain_text' as const, text: 'Send' },
  // tests also send what the types forbid
  blocks: blocks as never[],
});

export const textField = (blockId: string, label: string, extra: object = {}, element: object = {}) => ({
  type: 'input' as const,
  block_id: blockId,
  label: { type: 'plain_text' as const, text: label },
  element: { type: 'plain_text_input' as const, action_id: 'value', ...element },
  ...extra,
});
