import { ErrorCode, type WebClient } from '@slack/web-api';
import type { SlackPort } from '../chat/context.js';
import { PostError, type Poster, type PostFailure, type Posting, type Spot } from '../feed/ports.js';
import { isUserId } from '../store/index.js';
import type { Message } from '../view/message.js';
import { pagesOf } from './facts.js';
import { platformError, transientCodes } from './platform-error.js';

const eventType = 'bellows_post';
/** Slack's clock and ours differ, so the search for a post starts a little earlier. */
const slackSkewMs = 120_000;
const historyPages = 20;

const failures: Readonly<Record<string, PostFailure>> = {
  ...spread('message', [
    'invalid_blocks',
    'invalid_blocks_format',
    'msg_too_long',
    'msg_blocks_too_long',
    'no_text',
    'metadata_too_large',
    'invalid_metadata_format',
    'block_mismatch',
  ]),
  ...spread('gone', [
    'thread_not_found',
    'message_not_found',
    'cant_update_message',
    'edit_window_closed',
    'cannot_reply_to_message',
    'invalid_thread_ts',
  ]),
  ...spread('channel', [
    ...[
      'channel_not_found',
      'not_in_channel',
      'is_archived',
      'restricted_action',
      'restricted_action_read_only_channel',
      'restricted_action_thread_only_channel',
    ],
    ...[
      'messages_tab_disabled',
      'user_disabled',
      'cannot_dm_bot',
      'user_not_found',
      'users_not_found',
      'user_not_visible',
      'ekm_access_denied',
      'team_access_not_granted',
      'org_login_required',
    ],
  ]),
  ...spread('token', [
    'invalid_auth',
    'not_authed',
    'token_revoked',
    'token_expired',
    'account_inactive',
    'missing_scope',
    'no_permission',
    'access_denied',
  ]),
  ...spread('limited', ['ratelimited', 'rate_limited', 'message_limit_exceeded']),
};

function spread(kind: PostFailure, codes: readonly string[]): Record<string, PostFailure> {
  return Object.fromEntries(codes.map((code) => [code, kind]));
}

/** The client must never retry on its own: a repeated post must be a deliberate one. */
export function createPoster(client: WebClient, { directMessage }: Pick<SlackPort, 'directMessage'>): Poster {
  // only a conversation's own id can be read and updated
  const conversation = async ({ channel }: Spot): Promise<string> =>
    isUserId(channel) ? guardCall(directMessage(channel)) : channel;
  return {
    async post(spot: Spot, { message, id, thread }: Posting) {
      const channel = await conversation(spot);
      const answer = await guardCall(
        client.chat.postMessage({
          channel,
          text: message.text,
          ...(message.blocks.length > 0 && { blocks: message.blocks }),
          ...(thread !== undefined && { thread_ts: thread }),
          metadata: { event_type: eventType, event_payload: { id } },
          unfurl_links: false,
          unfurl_media: false,
        }),
      );
      if (!answer.ts) throw new PostError('unknown', 'no_ts');
      return { ts: answer.ts };
    },

    async update(spot: Spot, ts: string, message: Message) {
      const channel = await conversation(spot);
      await guardCall(client.chat.update({ channel, ts, text: message.text, blocks: message.blocks }));
    },

    async find(spot: Spot, { id, since, thread }) {
      const channel = await conversation(spot);
      const oldest = String((since - slackSkewMs) / 1_000);
      const asked = { channel, oldest, inclusive: true, limit: 200, include_all_metadata: true };
      const ask = (from: { cursor?: string }) =>
        thread === undefined
          ? client.conversations.history({ ...asked, ...from })
          : client.conversations.replies({ ...asked, ...from, ts: thread });
      const search = async () => {
        for await (const { messages } of pagesOf(ask, historyPages)) {
          const found = messages?.find(({ metadata }) => carries(metadata, id));
          if (found?.ts) return { ts: found.ts };
        }
        return 'absent';
      };
      return readable(search());
    },
  };
}

function carries(metadata: unknown, id: string): boolean {
  if (typeof metadata !== 'object' || metadata === null || !('event_payload' in metadata)) return false;
  const payload: unknown = metadata.event_payload;
  return typeof payload === 'object' && payload !== null && 'id' in payload && payload.id === id;
}

async function guardCall<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw postError(error);
  }
}

const hidden: ReadonlySet<string> = new Set([
  'missing_scope',
  'not_in_channel',
  'channel_not_found',
  'no_permission',
  'thread_not_found',
  'not_allowed_token_type',
]);

async function readable<T>(call: Promise<T>): Promise<T | 'unreadable'> {
  try {
    return await call;
  } catch (error) {
    const code = platformError(error);
    if (code !== undefined && hidden.has(code)) return 'unreadable';
    throw postError(error);
  }
}

/** Only a clear answer from Slack means that nothing was posted; a lost or broken one proves nothing. */
function postError(error: unknown): PostError {
  const code = platformError(error);
  if (code !== undefined)
    return new PostError(failures[code] ?? (transientCodes.has(code) ? 'unknown' : 'unlisted'), code, 30_000);
  if (error instanceof Error && 'code' in error && error.code === ErrorCode.RateLimitedError) {
    const seconds = 'retryAfter' in error ? Number(error.retryAfter) : Number.NaN;
    return new PostError('limited', 'ratelimited', Number.isFinite(seconds) ? seconds * 1_000 : 30_000);
  }
  return new PostError('unknown', error instanceof Error && 'code' in error ? String(error.code) : 'no_answer');
}
