import type { ComponentChildren } from 'preact';
import type { Team } from '../wire.js';
import { formatDate } from './dates.js';
import { type Node, parse } from './mrkdwn.js';
import { go, useApp } from './store.js';

const nameOf = (team: Team | undefined, id: string): string =>
  id === team?.bot ? 'Bellows' : (team?.people.find((person) => person.id === id)?.realName ?? id);

export function Mention({ id }: { id: string }) {
  const { team, me } = useApp();
  return <span class={id === me ? 'mention me' : 'mention'}>@{nameOf(team, id)}</span>;
}

export function ChannelLink({ id, label }: { id: string; label: string }) {
  const { team } = useApp();
  const known = team?.channels.find((channel) => channel.id === id);
  if (known === undefined) return <span class="mention">#{label || 'private'}</span>;
  return (
    <button type="button" class="mention" onClick={() => go({ in: 'channel', id })}>
      #{known.name}
    </button>
  );
}

export function Link({ url, children }: { url: string; children: ComponentChildren }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

export function DateText({ seconds, format }: { seconds: number; format: string }) {
  const at = new Date(seconds * 1000);
  return (
    <time dateTime={at.toISOString()} title={at.toLocaleString('en')}>
      {formatDate(seconds, format, new Date())}
    </time>
  );
}

function draw(node: Node, at: number) {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'break':
      return <br key={at} />;
    case 'bold':
      return <b key={at}>{node.children.map(draw)}</b>;
    case 'italic':
      return <i key={at}>{node.children.map(draw)}</i>;
    case 'strike':
      return <s key={at}>{node.children.map(draw)}</s>;
    case 'quote':
      return <blockquote key={at}>{node.children.map(draw)}</blockquote>;
    case 'code':
      return <code key={at}>{node.text}</code>;
    case 'pre':
      return <pre key={at}>{node.text}</pre>;
    case 'link':
      return (
        <Link key={at} url={node.url}>
          {node.text}
        </Link>
      );
    case 'user':
      return <Mention key={at} id={node.id} />;
    case 'channel':
      return <ChannelLink key={at} id={node.id} label={node.label} />;
    case 'group':
      return (
        <span key={at} class="mention">
          {node.label || '@group'}
        </span>
      );
    case 'broadcast':
      return (
        <span key={at} class="mention me">
          @{node.name}
        </span>
      );
    case 'date':
      return <DateText key={at} seconds={node.seconds} format={node.format} />;
  }
}

export function Mrkdwn({ source }: { source: string }) {
  return <>{parse(source).map(draw)}</>;
}

/** A Block Kit text object of either kind. */
export function Text({ of }: { of: { readonly type: string; readonly text: string } }) {
  return <>{of.type === 'mrkdwn' ? <Mrkdwn source={of.text} /> : of.text}</>;
}
