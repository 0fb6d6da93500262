import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  App,
  type Authorize,
  HTTPModuleFunctions,
  HTTPReceiver,
  type Logger,
  LogLevel,
  type Receiver,
  SocketModeReceiver,
} from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ActJob } from '../chat/act-job.js';
import { actionNames } from '../chat/actions.js';
import type { Config } from '../config.js';
import { reasonOf, UserError } from '../errors.js';
import type { Log } from '../log.js';
import { errorModal } from '../view/form.js';
import { type Message, say as sayPlainly } from '../view/message.js';
import { md } from '../view/text.js';
import { clientOptions } from './client.js';
import type { DoorDeps } from './door-deps.js';
import { homeOf, onAction } from './doors/action.js';
import { onCommand } from './doors/command.js';
import { createEvents, type EventHandlers } from './doors/event.js';
import { createOptions } from './doors/options.js';
import { onShortcut } from './doors/shortcut.js';
import { onSubmission } from './doors/submission.js';
import { BlockActions, BlockSuggestion, Shortcut, SlashCommand, ViewSubmission } from './payloads.js';
import { platformError, transientCodes } from './platform-error.js';

/** How long a socket may be silent before it is replaced, and also the gap until the new one is open. */
const silencesMs = [1_000, 5_000];
const longestGapMs = 30_000;

/** Slack sends through either socket, so nothing is lost while one is replaced; a short stall of ours ends only the first. */
function createSockets(slack: Config['slack'], appToken: string, logger: Logger) {
  const sockets = silencesMs.map((silenceMs) => createSocket(slack, appToken, logger, silenceMs));
  const receiver: Receiver = {
    init(app) {
      for (const socket of sockets) socket.init(app);
    },
    // one is enough: Slack permits ten in all, and other bots may have the rest
    start: () => Promise.race(sockets.map((socket) => socket.start())),
    stop: () => Promise.all(sockets.map((socket) => socket.stop())),
  };
  return { receiver, connected: () => sockets.some((socket) => socket.isOpen()) };
}

/** Opened again whatever ended it, until it is stopped. The library would end the process if Slack refuses it then. */
function createSocket(slack: Config['slack'], appToken: string, logger: Logger, silenceMs: number) {
  const socket = new SocketModeReceiver({
    appToken,
    logger,
    clientPingTimeout: silenceMs,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(slack) },
  });
  const { client } = socket;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function stayOpen(opened: () => void, refused: (error: unknown) => void): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await client.start();
        // stopped while Slack was asked for an address
        if (signal.aborted) return await client.disconnect();
        opened();
        failures = 0;
        await new Promise((lost) => client.once('disconnected', lost));
      } catch (error) {
        // the library has logged it
        if (isRefusal(error)) refused(error);
      }
      failures += 1;
      await pause(Math.min(longestGapMs, failures * silenceMs), undefined, { signal }).catch(() => {});
    }
  }

  return {
    init: socket.init.bind(socket),
    /** Resolves when it is first open; rejects if Slack refuses the token before that. */
    start: () => new Promise<void>((opened, refused) => void stayOpen(opened, refused)),
    async stop() {
      stopping.abort();
      await socket.stop();
    },
    isOpen: () => client.websocket?.isActive() ?? false,
  };
}

function isRefusal(error: unknown): boolean {
  const code = platformError(error);
  return code !== undefined && !transientCodes.has(code);
}

/** The path of our own server for Slack. */
const slackPath = '/slack/events';
/** How far Slack's clock and ours may differ. */
const mostSecondsApart = 300;

/** Bolt's receiver, to be mounted on our own server. @internal Tests send to it directly. */
export const createHttpReceiver = (signingSecret: string, logger: Logger): HTTPReceiver =>
  new HTTPReceiver({ signingSecret, logger, endpoints: slackPath });

/** Of a request that Bolt can handle; anything else would be thrown where nobody catches it. */
const Body = z.looseObject({ event: z.looseObject({ type: z.string() }).optional() });

/** What Bolt does not check: times in the future, and the shape of what is signed. @internal */
export function mountReceiver({ requestListener }: HTTPReceiver, signingSecret: string, log: Log): RequestListener {
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number) => void response.writeHead(status).end();
    if (request.method !== 'POST') return refuse(404);
    const stamp = request.headers['x-slack-request-timestamp'];
    if (stamp !== undefined && !isRecent(stamp)) return refuse(401);
    try {
      const verified = await HTTPModuleFunctions.parseAndVerifyHTTPRequest({ enabled: true, signingSecret }, request);
      if (Body.safeParse(HTTPModuleFunctions.parseHTTPRequestBody(verified)).success)
        return requestListener(request, response);
    } catch {
      // a wrong signature or unreadable text: Bolt says which
      return requestListener(request, response);
    }
    log.warn({ reason: 'shape' }, 'refused a request from Slack');
    return refuse(400);
  }
  return (request, response) => void take(request, response);
}

const isRecent = (stamp: string | string[]) =>
  /^\d{10}$/.test(String(stamp)) && Math.abs(Date.now() / 1_000 - Number(stamp)) <= mostSecondsApart;

/** How Slack reaches us: by HTTP with a public address, or else by our own sockets. */
interface Reception {
  readonly receiver: Receiver;
  /** HTTP mode: to be mounted at /slack/events. */
  readonly listener: RequestListener | undefined;
  /** Whether Slack can reach us now. */
  connected(): boolean;
}

function createReception(slack: Config['slack'], log: Log): Reception {
  const logger = boltLogger(log);
  if (slack.mode.kind === 'socket')
    return { ...createSockets(slack, slack.mode.appToken, logger), listener: undefined };
  const receiver = createHttpReceiver(slack.mode.signingSecret, logger);
  return { receiver, listener: mountReceiver(receiver, slack.mode.signingSecret, log), connected: () => true };
}

/** @internal Tested on its own. */
export function boltLogger(log: Log): Logger {
  const child = log.child({ from: 'bolt' });
  const say =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (...parts: unknown[]) =>
      child[level](parts.map(String).join(' '));
  return {
    // Bolt's debug lines contain whole payloads, including what people type into sign-in forms.
    debug() {},
    info: say('debug'),
    warn: say('warn'),
    error: say('error'),
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}

export interface Edge {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Socket Mode: whether Slack can reach us now. */
  connected(): boolean;
  /** HTTP mode: to be mounted at /slack/events. */
  readonly listener: RequestListener | undefined;
}

interface EdgeOptions {
  readonly slack: Config['slack'];
  /** The token's workspace; everyone else is refused. */
  readonly identity: {
    readonly teamId: string;
    readonly teamName: string;
    readonly enterpriseId?: string | undefined;
    readonly botId: string;
    readonly botUserId: string;
  };
  readonly deps: DoorDeps;
  readonly events: EventHandlers;
  /** Answers the person at once, outside the queue. */
  say(to: Pick<ActJob, 'person' | 'channel' | 'answer'>, message: Message): Promise<void>;
  /** How long each door takes to acknowledge Slack. */
  readonly onAck?: ((door: string, seconds: number) => void) | undefined;
}

/** Few listeners backed by a map: Bolt tries every listener's matcher for every event. */
export function createEdge({ slack, identity, deps, events, say, onAck }: EdgeOptions): Edge {
  const { log } = deps.services;
  const onOptions = createOptions(deps);
  const onEvent = createEvents(deps, events);
  const logger = boltLogger(log);
  const { receiver, listener, connected } = createReception(slack, log);
  const authorize: Authorize<boolean> = async ({ teamId }, body) => {
    if (teamId !== undefined && teamId !== identity.teamId && !isNeighbor(body)) throw new Error('foreign workspace');
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
    if (isNeighbor(command)) return ack({ response_type: 'ephemeral', text: onlyHere });
    const payload = ours('command', SlashCommand, command);
    const said = payload && (await measure('command', () => onCommand(deps, payload)));
    return said ? ack({ response_type: 'ephemeral', text: said.text, blocks: [...said.blocks] }) : ack();
  });

  app.action(/.*/, async ({ ack, body }) => {
    if (isNeighbor(body)) refuseNeighbor(BlockActions.safeParse(body).data);
    const payload = ours('action', BlockActions, body);
    if (payload) sayLater(payload, await measure('action', () => onAction(deps, payload)));
    return ack();
  });

  app.view({ type: 'view_submission', callback_id: /.*/ }, async ({ ack, body }) => {
    if (isNeighbor(body))
      return ack({ response_action: 'update', view: errorModal({ title: 'Forge', text: onlyHere }) });
    const payload = ours('view', ViewSubmission, body);
    if (!payload) return ack();
    const answer = await measure('submission', () => onSubmission(deps, payload));
    if (answer.kind === 'close') return ack();
    return ack(
      answer.kind === 'errors'
        ? { response_action: 'errors', errors: answer.errors }
        : { response_action: 'update', view: answer.view },
    );
  });

  app.options(/.*/, async ({ ack, body }) => {
    const payload = ours('options', BlockSuggestion, body);
    if (!payload) return ack({ options: [] });
    return ack(await measure('options', () => onOptions(payload)));
  });

  app.shortcut(/.*/, async ({ ack, body }) => {
    if (isNeighbor(body)) refuseNeighbor(Shortcut.safeParse(body).data);
    const payload = ours('shortcut', Shortcut, body);
    if (payload) sayLater(payload, await measure('shortcut', () => onShortcut(deps, payload)));
    return ack();
  });

  app.event(/.*/, async ({ event, body }) => {
    const plain: Readonly<Record<string, unknown>> = { ...event };
    const { enterprise_id: enterprise, is_ext_shared_channel: isExternal } = body;
    if (isNeighbor({ ...plain, team_id: plain['user_team'] ?? body.team_id, enterprise_id: enterprise }))
      return isExternal ? undefined : refuseMention(plain, body.event_id);
    await onEvent(plain, body.event_id, body.is_ext_shared_channel);
  });

  app.error(async (error) => {
    log.error({ reason: error.message, code: error.code }, 'a Slack listener failed');
  });

  const onlyHere = `Bellows serves only the workspace ${identity.teamName}. Run this there.`;
  const neighborly = sayPlainly(md`${onlyHere}`);

  /** From another workspace of the same Enterprise Grid: refused, but never in silence. */
  function isNeighbor(sent: unknown): boolean {
    const { team_id, enterprise_id, team, enterprise, user } = Origin.safeParse(sent).data ?? {};
    const from = team_id ?? user?.team_id ?? team?.id;
    const grid = enterprise_id ?? enterprise?.id;
    return from !== undefined && from !== identity.teamId && grid !== undefined && grid === identity.enterpriseId;
  }

  /** Under the message with the button; a shortcut without a message opens a view. */
  function refuseNeighbor(payload: BlockActions | Shortcut | undefined): void {
    if (!payload) return;
    if (payload.response_url || payload.channel) {
      sayLater(payload, neighborly);
      return;
    }
    const { trigger_id = '' } = payload;
    const view = errorModal({ title: 'Forge', text: onlyHere });
    deps.client.views.open({ trigger_id, view }).catch((error: unknown) => {
      log.warn({ reason: reasonOf(error) }, 'an answer could not be sent');
    });
  }

  const refused = new LRUCache<string, true>({ max: 1_000 });

  async function refuseMention(event: unknown, id: string): Promise<void> {
    const { data } = Mention.safeParse(event);
    // Slack may deliver an event again
    if (!data || refused.has(id)) return;
    refused.set(id, true);
    const { user, channel, ts, thread_ts: thread } = data;
    await say({ person: { team: identity.teamId, user }, channel, answer: { threadTs: thread ?? ts } }, neighborly);
  }

  /** Undefined, and logged, if the shape is unknown or the person belongs to another workspace. */
  function ours<Payload extends Sent>(what: string, schema: z.ZodType<Payload>, sent: unknown): Payload | undefined {
    const { data } = schema.safeParse(sent);
    if (data && teamOf(data) === identity.teamId) return data;
    log.warn({ what, reason: data ? 'foreign team' : 'shape' }, 'refused a request from Slack');
    return undefined;
  }

  async function measure<Answer>(door: string, open: () => Promise<Answer>): Promise<Answer> {
    const started = performance.now();
    try {
      return await open();
    } finally {
      onAck?.(door, (performance.now() - started) / 1_000);
    }
  }

  // The acknowledgement does not wait for the message, which needs Slack and, on a Home, also Redis.
  function sayLater(payload: BlockActions | Shortcut, message: Message | undefined): void {
    if (!message) return;
    say(answerAddress(payload, identity.teamId), message).catch((error: unknown) => {
      log.warn({ reason: reasonOf(error) }, 'an answer could not be sent');
    });
  }

  return {
    listener,
    connected,
    async start() {
      if (!listener) await app.start();
    },
    async stop() {
      if (!listener) await app.stop();
    },
  };
}

const id = z.string().min(1).max(64).nullish();
const named = z.object({ id }).nullish();
const Origin = z.object({
  team_id: id,
  enterprise_id: id,
  team: named.catch(undefined),
  enterprise: named.catch(undefined),
  user: z.object({ team_id: id }).nullish().catch(undefined),
});

const Mention = z.object({
  type: z.literal('app_mention'),
  user: z.string().min(1).max(64),
  channel: z.string().min(1).max(64),
  ts: z.string().max(64),
  thread_ts: z.string().max(64).optional(),
});

type Sent = SlashCommand | BlockActions | ViewSubmission | BlockSuggestion | Shortcut;

/** The workspace of the person who acted. */
const teamOf = (payload: Sent): string | undefined =>
  'team_id' in payload ? payload.team_id : (payload.user.team_id ?? payload.team?.id);

/** Where the message after a click goes. */
const answerAddress = (payload: BlockActions | Shortcut, team: string) => ({
  person: { team, user: payload.user.id },
  ...(payload.channel ? { channel: payload.channel.id } : {}),
  answer: {
    ...(payload.response_url ? { responseUrl: payload.response_url } : {}),
    ...('view' in payload ? homeOf(payload) : {}),
    // The next topic replaces the previous one.
    ...('actions' in payload && payload.actions[0]?.action_id === actionNames.topic ? { replace: true } : {}),
  },
});

/** Why Slack could not be reached at start, for the operator. */
export function slackTrouble(error: unknown, token: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN'): UserError {
  const word = platformError(error);
  if (word !== undefined) {
    const where = token === 'SLACK_BOT_TOKEN' ? 'Bot User OAuth Token' : 'app-level token with connections:write';
    return new UserError(`Slack refuses ${token} (${word}). Copy the ${where} from your Slack app.`, { cause: error });
  }
  const reason = reasonOf(error).split('\n', 1)[0];
  return new UserError(`Slack cannot be reached (${reason}). Check the network, and SLACK_API_URL if it is set.`, {
    cause: error,
  });
}
