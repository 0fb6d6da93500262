import type { RequestListener } from 'node:http';
import { App, type Authorize, HTTPReceiver, type Logger, LogLevel, SocketModeReceiver } from '@slack/bolt';
import type { View as SlackView } from '@slack/types';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import type { Message } from '../view/message.js';
import { clientOptions } from './client.js';
import { createHttpReceiver, mounted } from './http-receiver.js';
import { BlockActions, BlockSuggestion, Shortcut, SlashCommand, ViewSubmission } from './payloads.js';

/** What a person sees at once; everything else comes later by its own road. */
export type ViewAck =
  | { readonly kind: 'close' }
  | { readonly kind: 'errors'; readonly errors: Readonly<Record<string, string>> }
  | { readonly kind: 'update'; readonly view: SlackView };

export interface OptionList {
  readonly options: readonly { readonly text: string; readonly value: string }[];
}

/** The rooms behind the Bolt listeners; each resolves well within Slack's three seconds. */
export interface Doors {
  command(payload: SlashCommand): Promise<Message | undefined>;
  action(payload: BlockActions): Promise<void>;
  submission(payload: ViewSubmission): Promise<ViewAck>;
  options(payload: BlockSuggestion): Promise<OptionList>;
  shortcut(payload: Shortcut): Promise<void>;
  event(event: Readonly<Record<string, unknown>>, eventId: string): Promise<void>;
}

export interface Edge {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Socket Mode: whether Slack can reach us now. */
  connected(): boolean;
  /** HTTP mode: to be mounted at /slack/events. */
  readonly listener: RequestListener | undefined;
}

export interface EdgeOptions {
  readonly slack: Config['slack'];
  /** The workspace the token belongs to; everyone else is refused. */
  readonly identity: { readonly teamId: string; readonly botId: string; readonly botUserId: string };
  readonly doors: Doors;
  readonly log: Log;
}

/** Few listeners with a map behind: Bolt tries every listener's matcher for every event. */
export function createEdge({ slack, identity, doors, log }: EdgeOptions): Edge {
  const logger = boltLogger(log);
  const refused = (what: string, reason: string) => log.warn({ what, reason }, 'refused a request from Slack');
  const receiver = createReceiver(slack, logger);
  const authorize: Authorize<boolean> = async ({ teamId }) => {
    if (teamId !== undefined && teamId !== identity.teamId) throw new Error('foreign workspace');
    return { botToken: slack.botToken, botId: identity.botId, botUserId: identity.botUserId, teamId: identity.teamId };
  };
  const app = new App({
    receiver,
    authorize,
    logger,
    convoStore: false,
    ignoreSelf: false,
    clientOptions: clientOptions(slack),
  });

  app.command(/.*/, async ({ ack, command }) => {
    const read = SlashCommand.safeParse(command);
    if (!read.success || read.data.team_id !== identity.teamId) {
      refused('command', read.success ? 'foreign team' : 'shape');
      return ack();
    }
    const said = await doors.command(read.data);
    return said ? ack({ response_type: 'ephemeral', text: said.text, blocks: [...said.blocks] }) : ack();
  });

  app.action(/.*/, async ({ ack, body }) => {
    const read = BlockActions.safeParse(body);
    if (!read.success || !isOurs(read.data)) refused('action', read.success ? 'foreign team' : 'shape');
    else await doors.action(read.data);
    return ack();
  });

  const onView = async ({ ack, body }: { ack: (response?: never) => Promise<void>; body: unknown }) => {
    const read = ViewSubmission.safeParse(body);
    if (!read.success || !isOurs(read.data)) {
      refused('view', read.success ? 'foreign team' : 'shape');
      return ack();
    }
    const answer = await doors.submission(read.data);
    if (answer.kind === 'close') return ack();
    const response =
      answer.kind === 'errors'
        ? { response_action: 'errors', errors: answer.errors }
        : { response_action: 'update', view: answer.view };
    // Bolt types the answer of a submission and of a closing apart; the wire form is the same object.
    return ack(response as never);
  };
  app.view({ type: 'view_submission', callback_id: /.*/ }, onView);
  app.view({ type: 'view_closed', callback_id: /.*/ }, async ({ ack }) => ack());

  app.options(/.*/, async ({ ack, body }) => {
    const read = BlockSuggestion.safeParse(body);
    if (!read.success || !isOurs(read.data)) {
      refused('options', read.success ? 'foreign team' : 'shape');
      return ack({ options: [] });
    }
    const { options } = await doors.options(read.data);
    return ack({ options: options.map(({ text, value }) => ({ text: { type: 'plain_text', text }, value })) });
  });

  app.shortcut(/.*/, async ({ ack, body }) => {
    const read = Shortcut.safeParse(body);
    if (!read.success || !isOurs(read.data)) refused('shortcut', read.success ? 'foreign team' : 'shape');
    else await doors.shortcut(read.data);
    return ack();
  });

  app.event(/.*/, async ({ event, body }) => {
    const plain: Readonly<Record<string, unknown>> = { ...event };
    await doors.event(plain, body.event_id);
  });

  app.error(async (error) => {
    log.error({ reason: error.message, code: error.code }, 'a Slack listener failed');
  });

  function isOurs(payload: {
    team?: { id: string } | null | undefined;
    user: { team_id?: string | undefined };
  }): boolean {
    return (payload.user.team_id ?? payload.team?.id) === identity.teamId;
  }

  return {
    listener: receiver instanceof HTTPReceiver ? mounted(receiver) : undefined,
    connected: () => !(receiver instanceof SocketModeReceiver) || (receiver.client.websocket?.isActive() ?? false),
    async start() {
      if (receiver instanceof SocketModeReceiver) await app.start();
    },
    async stop() {
      if (receiver instanceof SocketModeReceiver) await app.stop();
    },
  };
}

function createReceiver(slack: Config['slack'], logger: Logger): HTTPReceiver | SocketModeReceiver {
  if (slack.mode.kind === 'http') return createHttpReceiver(slack.mode.signingSecret, logger);
  return new SocketModeReceiver({
    appToken: slack.mode.appToken,
    logger,
    // The reconnect gap equals this timeout; five seconds of silence would lose triggers.
    clientPingTimeout: 1_000,
    installerOptions: { clientOptions: { ...clientOptions(slack), retryConfig: { retries: 100, factor: 1.3 } } },
  });
}

function boltLogger(log: Log): Logger {
  const child = log.child({ from: 'bolt' });
  const say =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (...parts: unknown[]) =>
      child[level](parts.map(String).join(' '));
  return {
    // Bolt's debug lines hold whole payloads, and with them what people type into sign-in forms.
    debug() {},
    info: say('debug'),
    warn: say('warn'),
    error: say('error'),
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}
