import type { Core } from '../core.js';
import { emit, emitMessage } from '../events.js';
import type { Channel, Message, User } from '../model.js';
import { trim } from '../trim.js';
import { asTyped } from './typed.js';

const keptLinks = 2000;

const under = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

function linksIn(core: Core, text: string): { domain: string; url: string }[] {
  return [...text.matchAll(/<(https?:\/\/[^|>]+)/g)].flatMap(([, raw = '']) => {
    // addresses are escaped in messages and plain in events
    const url = raw.replaceAll('&amp;', '&');
    const domain = core.app.unfurlDomains.find((each) => URL.canParse(url) && under(new URL(url).hostname, each));
    return domain === undefined ? [] : [{ domain, url }];
  });
}

async function shareLinks(core: Core, channel: Channel, message: Message): Promise<void> {
  const links = linksIn(core, message.text);
  if (links.length === 0 || !core.app.scopes.includes('links:read')) return;
  const unfurlId = core.ids.secret();
  const shared = { channel: channel.id, ts: message.ts, user: message.user, urls: links.map(({ url }) => url) };
  core.links.set(unfurlId, { ...shared, acked: false });
  trim(core.links, keptLinks);
  const ack = await emit(core, {
    type: 'link_shared',
    channel: channel.id,
    is_bot_user_member: channel.members.has(core.space.bot.id),
    user: message.user,
    message_ts: message.ts,
    ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
    unfurl_id: unfurlId,
    source: 'conversations_history',
    links,
  });
  if (ack.outcome !== 'acked') return;
  core.links.set(unfurlId, { ...shared, acked: true });
  core.changes.tell({ kind: 'delivery' });
}

/** A person writes a message; the app is notified if it may be. */
export async function post(
  core: Core,
  user: User,
  channel: Channel,
  text: string,
  threadTs?: string,
): Promise<Message> {
  const written = asTyped(core.space, text, 'message');
  const message = core.space.timeline.add({ channel: channel.id, user: user.id, text: written, threadTs });
  const event = {
    user: user.id,
    text: written,
    ts: message.ts,
    ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
  };
  const mentioned = written.includes(`<@${core.space.bot.id}>`) && core.app.scopes.includes('app_mentions:read');
  await Promise.all([
    emitMessage(core, channel, event),
    mentioned ? emit(core, { type: 'app_mention', channel: channel.id, ...event }) : undefined,
    shareLinks(core, channel, message),
  ]);
  return message;
}
