import type { RequestListener } from 'node:http';
import { App, type Authorize } from '@slack/bolt';
import type { z } from 'zod';
import type { ActJob } from '../chat/act-job.js';
import { actionNames } from '../chat/actions.js';
import type { Config } from '../config.js';
import { reasonOf } from '../errors.js';
import type { Message } from '../view/message.js';
import { clientOptions } from './client.js';
import type { DoorDeps } from './door-deps.js';
import { homeOf, onAction } from './doors/action.js';
import { onCommand } from './doors/command.js';
import { createEvents, type EventHandlers } from './doors/event.js';
import { createOptions } from './doors/options.js';
import { onShortcut } from './doors/shortcut.js';
import { onSubmission } from './doors/submission.js';
import { BlockActions, BlockSuggestion, Shortcut, SlashCommand, ViewSubmission } from './payloads.js';
import { boltLogger, createReception } from './receiver.js';

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
  /** The token's workspace; everyone else is refused. */
  readonly identity: { readonly teamId: string; readonly botId: string; readonly botUserId: string };
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
    const payload = ours('command', SlashCommand, command);
    const said = payload && (await timed('command', () => onCommand(deps, payload)));
    return said ? ack({ response_type: 'ephemeral', text: said.text, blocks: [...said.blocks] }) : ack();
  });

  app.action(/.*/, async ({ ack, body }) => {
    const payload = ours('action', BlockActions, body);
    if (payload) sayLater(payload, await timed('action', () => onAction(deps, payload)));
    return ack();
  });

  app.view({ type: 'view_submission', callback_id: /.*/ }, async ({ ack, body }) => {
    const payload = ours('view', ViewSubmission, body);
    if (!payload) return ack();
    const answer = await timed('submission', () => onSubmission(deps, payload));
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
    return ack(await timed('options', () => onOptions(payload)));
  });

  app.shortcut(/.*/, async ({ ack, body }) => {
    const payload = ours('shortcut', Shortcut, body);
    if (payload) sayLater(payload, await timed('shortcut', () => onShortcut(deps, payload)));
    return ack();
  });

  app.event(/.*/, async ({ event, body }) => {
    const plain: Readonly<Record<string, unknown>> = { ...event };
    await onEvent(plain, body.event_id, body.is_ext_shared_channel);
  });

  app.error(async (error) => {
    log.error({ reason: error.message, code: error.code }, 'a Slack listener failed');
  });

  /** Undefined, and logged, if the shape is unknown or the person belongs to another workspace. */
  function ours<Payload extends Sent>(what: string, schema: z.ZodType<Payload>, sent: unknown): Payload | undefined {
    const { data } = schema.safeParse(sent);
    if (data && teamOf(data) === identity.teamId) return data;
    log.warn({ what, reason: data ? 'foreign team' : 'shape' }, 'refused a request from Slack');
    return undefined;
  }

  async function timed<Answer>(door: string, open: () => Promise<Answer>): Promise<Answer> {
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
