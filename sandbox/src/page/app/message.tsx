import type { ShownMessage } from '../wire.js';
import { Avatar } from './avatar.js';
import { Blocks } from './blocks.js';
import { Menu } from './buttons.js';
import { clock, momentOf } from './dates.js';
import { act, change, useApp } from './store.js';
import { SurfaceContext } from './surface.js';
import { Link, Mrkdwn } from './text.js';

interface MessageProps {
  readonly channel: string;
  readonly message: ShownMessage;
  readonly replies?: readonly ShownMessage[];
  /** The previous message is by the same author. */
  readonly follows?: boolean;
}

function Actions({ channel, message }: MessageProps) {
  const { team } = useApp();
  const shortcuts = team?.shortcuts.filter(({ type }) => type === 'message') ?? [];
  if (message.onlyYou) return null;
  return (
    <div class="tools">
      <button
        type="button"
        class="button"
        aria-label="Reply in thread"
        title="Reply in thread"
        onClick={() => change({ thread: message.thread ?? message.ts })}
      >
        ↩
      </button>
      <Menu label="Message actions">
        {shortcuts.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="menuitem"
            onClick={() => act({ kind: 'shortcut', id, message: { channel, ts: message.ts } })}
          >
            {name}
          </button>
        ))}
      </Menu>
    </div>
  );
}

function Unfurls({ channel, message }: MessageProps) {
  return (
    <>
      {message.unfurls.map(({ url, blocks }) => (
        <SurfaceContext.Provider key={url} value={{ place: { in: 'message', channel, ts: message.ts, unfurl: url } }}>
          <div class="unfurl">{blocks.length > 0 ? <Blocks of={blocks} /> : <Link url={url}>{url}</Link>}</div>
        </SurfaceContext.Provider>
      ))}
    </>
  );
}

export function Message(props: MessageProps) {
  const { channel, message, replies = [], follows = false } = props;
  const { team } = useApp();
  const author = team?.people.find(({ id }) => id === message.user);
  const name = message.byBot ? 'Bellows' : (author?.realName ?? message.user);
  const at = momentOf(message.ts);
  const last = replies.at(-1);
  return (
    <article class={`message ${message.onlyYou ? 'only-you' : ''} ${follows ? 'follows' : ''}`} data-ts={message.ts}>
      {follows ? <span class="avatar" /> : <Avatar name={name} bot={message.byBot} />}
      <div class="content">
        {message.onlyYou ? <p class="note">Only visible to you</p> : null}
        {message.broadcast ? <p class="note">Also sent to the channel</p> : null}
        {follows ? null : (
          <p class="byline">
            <b>{name}</b>
            {message.byBot ? <span class="tag">App</span> : null}
            <time dateTime={at.toISOString()}>{clock(at)}</time>
          </p>
        )}
        <SurfaceContext.Provider value={{ place: { in: 'message', channel, ts: message.ts } }}>
          {message.blocks.length > 0 ? (
            <Blocks of={message.blocks} />
          ) : (
            <p class="said">
              <Mrkdwn source={message.text} />
            </p>
          )}
        </SurfaceContext.Provider>
        {message.edited && !message.byBot ? <small class="quiet">(edited)</small> : null}
        <Unfurls {...props} />
        {last === undefined ? null : (
          <button type="button" class="replies" onClick={() => change({ thread: message.ts })}>
            <b>
              {replies.length} {replies.length === 1 ? 'reply' : 'replies'}
            </b>
            <span>last at {clock(momentOf(last.ts))}</span>
          </button>
        )}
      </div>
      <Actions {...props} />
    </article>
  );
}
