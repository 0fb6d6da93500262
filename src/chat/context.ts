import type { PolicyFile } from '../config.js';
import type { Api, Forge, OperationName } from '../forge/index.js';
import type { Log } from '../log.js';
import type { AgentName, ChannelFacts, KnownPerson, Person, Store } from '../store/index.js';
import type { Message } from '../view/message.js';
import type { Request } from './request.js';

export type { ChannelFacts, KnownPerson, Person } from '../store/index.js';

export type Role = 'everyone' | 'maintainer' | 'admin';

export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly deleted: boolean;
  readonly bot: boolean;
  readonly utcOffset: number;
  /** IANA name, such as Europe/Berlin. */
  readonly timeZone?: string;
}

/** What the engines may ask of Slack; the Bolt edge provides it. */
export interface SlackPort {
  /** A direct message is known only where it is the bot's own: with this person, or one it opened before. */
  channel(id: string, user?: string): Promise<ChannelFacts | undefined>;
  user(id: string): Promise<SlackUser | undefined>;
  userByEmail(email: string): Promise<SlackUser | undefined>;
  userGroupMembers(id: string): Promise<readonly string[]>;
  /** Undefined where there are too many to count. */
  channelMembers(id: string): Promise<readonly string[] | undefined>;
  permalink(channel: string, ts: string): Promise<string | undefined>;
  directMessage(user: string): Promise<string>;
  /** Whether this person is in this channel now. */
  isMember(channel: string, user: string): Promise<boolean>;
}

/** One person on both sides, and where that is known from. */
/** Slack people and forge logins, both ways: links first, then config, then email where allowed. */
export interface People {
  loginOf(person: Person): Promise<string | undefined>;
  slackUserOf(team: string, login: string): Promise<string | undefined>;
  whoIs(team: string, login: string): Promise<KnownPerson | undefined>;
  /** Everyone who can be named without searching: links, then config. */
  known(team: string): Promise<readonly KnownPerson[]>;
}

/** Reversible writes keep the old value: what to send, and what must still hold for it to be sent. */
export interface UndoOffer {
  /** Said when it was undone: `Reopened acme/engine#12.` */
  readonly says: string;
  /** Several are sent one after the other: what one change did may take more than one to take back. */
  readonly request: Request | readonly Request[];
  readonly guard?: { readonly request: Request; readonly expect: Readonly<Record<string, unknown>> };
}

/** Where the forge may send its hooks, and the secret it signs them with. */
export interface Wake {
  readonly url: string;
  readonly secret: string;
}

/** As much of a command as tells who may ask for it and what it takes. */
export interface Askable {
  readonly name: string;
  readonly role: Role;
  readonly hidden?: boolean;
  readonly operations: readonly OperationName[];
  readonly needs?: readonly OperationName[];
  readonly form?: string;
  readonly confidential?: boolean;
  readonly notForAgents?: string;
  readonly fields: Readonly<Record<string, { readonly required: boolean; readonly secret?: boolean }>>;
}

/** Named people, groups of Slack and teams of the forge. */
export interface Approvers {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly teams: readonly string[];
}

export interface Granted {
  readonly id: string;
  readonly approvers: readonly { readonly team: string; readonly user: string; readonly login: string | null }[];
}

/** Everything a command's action may use. One per job. */
export interface Context {
  readonly person: Person;
  /** The person's agent that asked, where it was not the person. */
  readonly agent?: AgentName | undefined;
  readonly role: Role;
  readonly channel: string | undefined;
  /** The same for every start of one job; undefined where nothing is run. */
  readonly job: string | undefined;
  /** The linked account's login; empty for commands that need no account. */
  readonly login: string;
  /** Acts as the linked account of the person who asked. */
  readonly api: Api;
  /** The bot's own account; reads only. */
  readonly service: Api;
  readonly forge: Forge;
  readonly store: Store;
  readonly slack: SlackPort;
  readonly people: People;
  readonly now: Date;
  readonly log: Log;
  /** Everything that can be asked for. */
  readonly commands: readonly Askable[];
  /** What may be shown where, as the operator wrote it. */
  readonly exposure: PolicyFile['exposure'];
  /** What may be deployed, by environment. */
  readonly deployments: PolicyFile['deployments'];
  /** The Slack user group of each team of the forge. */
  readonly teams: PolicyFile['teams'];
  /** Whether programs may act for people. */
  readonly agents: boolean;
  /** Absent where no public address or no hook secret is configured. */
  readonly wake?: Wake | undefined;
  /** The approval that lets this run, and who gave it. */
  readonly approval?: Granted | undefined;
  /** Whether the person who asked holds this role or is named here: in Slack, or in a team of the forge. Read now. */
  isAmong(people: Role | Approvers): Promise<boolean>;
  /** Replaces the waiting line while long work goes on. */
  progress(message: Message): Promise<void>;
  offerUndo(offer: UndoOffer): void;
  /** Kept with the mark of a `once` write, for the check whether it happened. */
  remember(note: string): void;
}
