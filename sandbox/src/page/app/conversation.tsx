import { useEffect, useRef } from 'preact/hooks';
import type { ChannelRow, ShownMessage } from '../wire.js';
import { Composer } from './composer.js';
import { dayOf, momentOf } from './dates.js';
import { Message } from './message.js';
import { change, useApp } from './store.js';

const together = 5 * 60;

const follows = (message: ShownMessage, before: ShownMessage | undefined): boolean =>
  before !== undefined &&
  !message.byBot &&
  before.user === message.user &&
  !before.onlyYou &&
  !message.onlyYou &&
  Number(message.ts) - Number(before.ts) < together;

/** Stays at the end as new messages arrive, unless the reader scrolled up. */
function useEnd(key: string) {
  const list = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const height = useRef(0);
  useEffect(() => {
    const shown = list.current;
    const inner = shown?.firstElementChild;
    if (!shown || !inner) return;
    atEnd.current = true;
    const stay = () => {
      height.current = shown.scrollHeight;
      if (atEnd.current) shown.scrollTop = shown.scrollHeight;
    };
    const grown = new ResizeObserver(stay);
    grown.observe(inner);
    stay();
    return () => grown.disconnect();
  }, [key]);
  const onScroll = () => {
    const shown = list.current;
    // Growth since then was not scrolling by the reader.
    if (!shown || shown.scrollHeight !== height.current) return;
    atEnd.current = shown.scrollHeight - shown.scrollTop - shown.clientHeight < 60;
  };
  return { list, onScroll };
}

export const titleOf = ({ kind, name }: ChannelRow): string =>
  kind === 'im' ? 'Bellows messages' : `${kind === 'private' ? '🔒 ' : '# '}${name}`;

/** Within a sentence. */
const namedAs = (channel: ChannelRow): string =>
  channel.kind === 'im' ? 'Bellows' : titleOf(channel).replace('# ', '#');

const welcome = (channel: ChannelRow, slash: string): string =>
  channel.kind === 'im'
    ? 'Your direct messages with Bellows. Nobody else sees them. Write a command, such as help.'
    : `This is the beginning of ${namedAs(channel)}. Type ${slash} or mention @bellows to see what Bellows can do.`;

export function Conversation({ channel }: { channel: ChannelRow }) {
  const { channels, me, team } = useApp();
  const all = channels[channel.id] ?? [];
  const shown = all.filter(({ thread, broadcast, ts }) => thread === undefined || thread === ts || broadcast);
  const { list, onScroll } = useEnd(`${me} ${channel.id}`);
  const now = new Date();
  let day = '';
  return (
    <main class="room" aria-label={titleOf(channel)}>
      <header class="room-head">
        <button type="button" class="plain drawer" aria-label="Channels" onClick={() => change({ drawer: 'rooms' })}>
          ☰
        </button>
        <h1>{titleOf(channel)}</h1>
        <span class="quiet">{channel.about}</span>
        <button type="button" class="plain drawer" aria-label="Tour" onClick={() => change({ drawer: 'panel' })}>
          ☷
        </button>
      </header>
      <div class="messages" ref={list} onScroll={onScroll} role="log" aria-live="polite" aria-label="Messages">
        <div class="inner">
          <p class="welcome">{welcome(channel, team?.slash ?? '')}</p>
          {shown.map((message, at) => {
            const today = dayOf(momentOf(message.ts), now);
            const isNew = today !== day;
            day = today;
            return (
              <div key={message.ts}>
                {isNew ? <p class="day">{today}</p> : null}
                <Message
                  channel={channel.id}
                  message={message}
                  follows={!isNew && follows(message, shown[at - 1])}
                  replies={all.filter(({ thread, ts }) => thread === message.ts && ts !== message.ts)}
                />
              </div>
            );
          })}
        </div>
      </div>
      <Composer key={`${me} ${channel.id}`} channel={channel.id} placeholder={`Message ${namedAs(channel)}`} />
    </main>
  );
}

export function Thread({ channel, ts }: { channel: ChannelRow; ts: string }) {
  const { channels } = useApp();
  const shown = (channels[channel.id] ?? []).filter((message) => message.ts === ts || message.thread === ts);
  const { list, onScroll } = useEnd(ts);
  return (
    <aside class="thread" aria-label="Thread">
      <header class="room-head">
        <h2>Thread</h2>
        <span class="quiet">{titleOf(channel)}</span>
        <button type="button" class="plain" aria-label="Close thread" onClick={() => change({ thread: undefined })}>
          ×
        </button>
      </header>
      <div class="messages" ref={list} onScroll={onScroll} role="log" aria-live="polite" aria-label="Replies">
        <div class="inner">
          {shown.map((message) => (
            <Message key={message.ts} channel={channel.id} message={message} />
          ))}
        </div>
      </div>
      <Composer key={ts} channel={channel.id} thread={ts} placeholder="Reply…" />
    </aside>
  );
}
