import type { ChannelRow } from '../wire.js';
import { Avatar } from './avatar.js';
import { titleOf } from './conversation.js';
import { be, go, type State, seenKey, useApp } from './store.js';
import { ThemeSwitch } from './theme.js';

/** What was there before the visit is not news. */
const opened = Date.now() / 1000;

function unread({ channels, seen, me }: State, id: string): number {
  const last = Number(seen[seenKey(me, id)] ?? opened);
  return (channels[id] ?? []).filter(({ ts, user }) => Number(ts) > last && user !== me).length;
}

function Row({ channel }: { channel: ChannelRow }) {
  const state = useApp();
  const here = state.where.in === 'channel' && state.where.id === channel.id;
  const count = here ? 0 : unread(state, channel.id);
  return (
    <li>
      <button
        type="button"
        class={count > 0 ? 'row unread' : 'row'}
        aria-current={here ? 'page' : undefined}
        onClick={() => go({ in: 'channel', id: channel.id })}
      >
        <span>{titleOf(channel)}</span>
        {count > 0 ? (
          <span class="count">
            {count}
            <span class="hidden"> new</span>
          </span>
        ) : null}
      </button>
    </li>
  );
}

function People() {
  const { team, me } = useApp();
  return (
    <fieldset class="people">
      <legend>You are</legend>
      {team?.people.map(({ id, realName, about }) => (
        <label key={id} class={id === me ? 'person chosen' : 'person'}>
          <input type="radio" name="person" checked={id === me} onChange={() => be(id)} />
          <Avatar name={realName} />
          <span>
            {realName}
            <small>{about}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

export function Sidebar() {
  const { team, where } = useApp();
  const rooms = team?.channels.filter(({ kind }) => kind === 'public' || kind === 'private') ?? [];
  const direct = team?.channels.filter(({ kind }) => kind === 'im') ?? [];
  return (
    <nav class="sidebar" aria-label="Workspace">
      <div class="brand">
        <img src="/icon.svg" alt="" width={28} height={28} />
        <div>
          <b>{team?.name ?? 'Sandbox'}</b>
          <small>Bellows sandbox</small>
        </div>
      </div>
      <People />
      <h2>Channels</h2>
      <ul>
        {rooms.map((channel) => (
          <Row key={channel.id} channel={channel} />
        ))}
      </ul>
      <h2>Apps</h2>
      <ul>
        <li>
          <button
            type="button"
            class="row"
            aria-current={where.in === 'home' ? 'page' : undefined}
            onClick={() => go({ in: 'home' })}
          >
            <span>⌂ Bellows Home</span>
          </button>
        </li>
        {direct.map((channel) => (
          <Row key={channel.id} channel={channel} />
        ))}
      </ul>
      <div class="foot">
        <p>A stand-in for Slack and a forge. Bellows itself is real.</p>
        <p>{team?.redis}</p>
        <ThemeSwitch />
      </div>
    </nav>
  );
}
