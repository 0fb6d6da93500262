import type { SandboxForge } from '../forge/index.js';
import { isLinked } from '../linked.js';
import { channelAbout, people } from '../seed.js';
import { entityBlocks } from '../slack/entity-blocks.js';
import type { Channel, Json, Message, Obj, SandboxSlack, View } from '../slack/index.js';
import { asObj } from '../slack/json.js';
import type { Tour } from '../tour.js';
import type { Activity } from './activity.js';
import type { ChannelMessages, Piece, ShortcutRow, ShownMessage, ShownView, Team } from './wire.js';

/** Everything the page shows. */
export interface Scene {
  readonly slack: SandboxSlack;
  readonly forge: SandboxForge;
  readonly tour: Tour;
  readonly activity: Activity;
  readonly slash: string;
  readonly shortcuts: readonly ShortcutRow[];
  /** Which Redis this is, in a sentence. */
  readonly redis: string;
}

const kept = 300;

const visible = (channel: Channel, me: string) =>
  !channel.archived && (channel.members.has(me) || channel.kind === 'public');

export function channelsOf({ slack }: Scene, me: string): Channel[] {
  // A direct conversation exists as soon as someone opens it.
  slack.state.dm(me);
  return [...slack.state.channels.values()].filter((channel) => visible(channel, me));
}

function team(scene: Scene, me: string): Team {
  const { slack, forge } = scene;
  const who = people.find(({ id }) => id === me);
  return {
    name: slack.state.team.name,
    me,
    bot: slack.botUserId,
    people: people.map(({ id, name, realName, about }) => {
      return { id, name, realName, about: isLinked(slack, id) ? `${about}, linked` : about };
    }),
    channels: channelsOf(scene, me).map(({ id, name, kind }) => ({ id, name, kind, about: channelAbout[name] ?? '' })),
    slash: scene.slash,
    shortcuts: scene.shortcuts,
    token: who === undefined ? '' : forge.account(who.name).token(),
    redis: scene.redis,
  };
}

function shown(message: Message): ShownMessage {
  return {
    ts: message.ts,
    user: message.user,
    byBot: message.byBot,
    text: message.text,
    blocks: message.blocks,
    ...(message.threadTs === undefined ? {} : { thread: message.threadTs }),
    broadcast: message.broadcast,
    edited: message.edited !== undefined,
    onlyYou: message.onlyFor !== undefined,
    unfurls: Object.entries(message.unfurls).map(([url, unfurl]) => ({ url, blocks: unfurlBlocks(unfurl) })),
  };
}

export function unfurlBlocks(unfurl: Message['unfurls'][string]): Message['blocks'] {
  const { blocks, entity } = unfurl;
  if (entity !== undefined) return entityBlocks(asObj(entity));
  const isBlock = (block: Json): block is Obj => typeof block === 'object' && block !== null && !Array.isArray(block);
  return Array.isArray(blocks) ? blocks.filter(isBlock) : [];
}

function messages({ slack }: Scene, me: string, id: string): ChannelMessages {
  return { id, messages: slack.as(me).sees(id).slice(-kept).map(shown) };
}

function view(drawn: View | undefined): ShownView | null {
  if (drawn === undefined) return null;
  const { id, title, submit, close, blocks, values, errors } = drawn;
  return {
    id,
    title,
    ...(submit === undefined ? {} : { submit }),
    ...(close === undefined ? {} : { close }),
    blocks,
    values,
    errors,
  };
}

/** Everything one person sees, in the order a page needs it. */
export function piecesFor(scene: Scene, me: string): Piece[] {
  const actor = scene.slack.as(me);
  return [
    { piece: 'team', value: team(scene, me) },
    { piece: 'tour', value: scene.tour.steps() },
    { piece: 'forge', value: scene.activity.state() },
    ...channelsOf(scene, me).map(({ id }): Piece => ({ piece: 'channel', value: messages(scene, me, id) })),
    { piece: 'home', value: view(actor.home()) },
    { piece: 'form', value: view(actor.openView()) },
  ];
}

export const keyOf = (piece: Piece): string => (piece.piece === 'channel' ? `channel ${piece.value.id}` : piece.piece);
