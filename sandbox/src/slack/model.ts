import type { Obj } from './json.js';

export interface Team {
  id: string;
  name: string;
  domain: string;
  /** The Enterprise Grid organization it belongs to. */
  enterpriseId?: string;
}

export interface User {
  id: string;
  /** Another team's id makes this a stranger in shared channels. */
  teamId: string;
  name: string;
  realName: string;
  email: string | undefined;
  deleted: boolean;
  isBot: boolean;
  guest: boolean;
  /** Seconds east of UTC. */
  tz: string;
  tzOffset: number;
  /** What the person says they are doing; an emoji is written `:palm_tree:`. */
  status: { emoji: string; text: string };
  /** Do Not Disturb, in seconds since 1970. */
  dnd: { start: number; end: number } | undefined;
}

export type ChannelKind = 'public' | 'private' | 'im' | 'mpim';

export interface Channel {
  id: string;
  name: string;
  kind: ChannelKind;
  /** Teams of other organizations that share the channel. */
  sharedWith: string[];
  archived: boolean;
  members: Set<string>;
  created: number;
}

export interface UserGroup {
  id: string;
  handle: string;
  name: string;
  users: string[];
}

export interface Message {
  channel: string;
  ts: string;
  user: string;
  byBot: boolean;
  text: string;
  blocks: Obj[];
  attachments: Obj[];
  threadTs: string | undefined;
  broadcast: boolean;
  metadata: Obj | undefined;
  edited: string | undefined;
  /** The only person who sees it, when ephemeral. */
  onlyFor: string | undefined;
  unfurls: Record<string, Obj>;
}

/** The values of a form's fields: block id, action id, value object. */
export type Values = Record<string, Record<string, Obj>>;

export interface View {
  id: string;
  user: string;
  type: 'modal' | 'home';
  hash: string;
  callbackId: string;
  privateMetadata: string;
  externalId: string;
  title: string;
  submit: string | undefined;
  close: string | undefined;
  clearOnClose: boolean;
  notifyOnClose: boolean;
  blocks: Obj[];
  values: Values;
  /** Errors shown at fields after a refused submission, by block id. */
  errors: Record<string, string>;
  rootId: string;
  previousId: string | undefined;
}

export type Change =
  | { kind: 'message' | 'ephemeral' | 'unfurl'; channel: string; ts: string }
  | { kind: 'channel'; channel: string }
  | { kind: 'user' | 'view' | 'home'; user: string }
  | { kind: 'call' | 'failure' | 'delivery' | 'connection' };
