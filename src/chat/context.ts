import type { PolicyFile } from '../config.js';
import type { Api, Forge, OperationName } from '../forge/index.js';
import type { Log } from '../log.js';
import type { AgentName, ChannelFacts, KnownPerson, Person, Store } from '../store/index.js';
import type { Message } from '../view/message.js';
import type { Zone } from '../wall-clock.js';
import type { RepositoryRef } from './references.js';
import type { Request } from './request.js';

export type { ChannelFacts, KnownPerson, Person } from '../store/index.js';

export type Role = 'everyone' | 'maintainer' | 'admin';

export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly deleted: boolean;
  readonly bot: boolean;
  /** Their status says that they are on vacation, sick or otherwise away. */
  readonly away: boolean;
  /** Whether Slack counts them to this workspace. */
  readonly ours: boolean;
  readonly zone: Zone;
}

/** What the engines need from Slack; the Bolt edge provides it. */
export interface SlackPort {
  /** A direct message is visible only if it is the bot's own: with this person, or one it opened before. */
  channel(id: string, user?: string): Promise<ChannelFacts | undefined>;
  user(id: string): Promise<SlackUser | undefined>;
  userByEmail(email: string): Promise<SlackUser | undefined>;
  /** When the Do Not Disturb that is on now ends; undefined if none is, or Slack does not say. */
  undisturbedUntil(user: string): Promise<number | undefined>;
  userGroupMembers(id: string): Promise<readonly string[]>;
  /** Undefined if there are too many to count. */
  channelMembers(id: string): Promise<readonly string[] | undefined>;
  permalink(channel: string, ts: string): Promise<string | undefined>;
  directMessage(user: string): Promise<string>;
  /** Whether this person is in this channel now. */
  isMember(channel: string, user: string): Promise<boolean>;
}

/** Maps Slack people to forge logins and back: links first, then config, then email if allowed. */
export interface People {
  loginOf(person: Person): Promise<string | undefined>;
  slackUserOf(team: string, login: string): Promise<string | undefined>;
  whoIs(team: string, login: string): Promise<KnownPerson | undefined>;
  /** Everyone known without a search: links, then config. */
  listKnown(team: string): Promise<readonly KnownPerson[]>;
}

/** Reversible writes keep the old value: what to send, and what must still hold when it is sent. */
export interface UndoOffer {
  /** Shown after undoing: `Reopened acme/engine#12.` */
  readonly says: string;
  /** Sent one after the other: undoing one change may take several requests. */
  readonly request: Request | readonly Request[];
  readonly guard?: { readonly request: Request; readonly expect: Readonly<Record<string, unknown>> };
}

/** Where the forge sends its webhooks, and the secret it signs them with. */
export interface Wake {
  readonly url: string;
  readonly secret: string;
}

/** The part of a command that says who may use it and what it takes. */
export interface Askable {
  readonly name: string;
  readonly role: Role;
  readonly hidden?: boolean;
  readonly operations: readonly OperationName[];
  readonly needs?: readonly OperationName[];
  readonly form?: { readonly opens?: string };
  readonly confidential?: boolean;
  readonly notForAgents?: string;
  readonly fields: Readonly<Record<string, { readonly required: boolean; readonly secret?: boolean }>>;
}

/** Named people, Slack groups and forge teams. */
export interface Approvers {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly teams: readonly string[];
}

export interface Granted {
  readonly id: string;
  readonly approvers: readonly { readonly team: string; readonly user: string; readonly login: string | null }[];
  /** The only commit that may be started; undefined if it is not about one. */
  readonly commit?: string | undefined;
}

/** The same for everyone, made once per process. */
export interface SharedServices {
  readonly forge: Forge;
  readonly store: Store;
  readonly slack: SlackPort;
  /** The bot's own account; reads only. */
  readonly service: Api;
  /** Every command there is. */
  readonly commands: readonly Askable[];
  /** The slash command people type: `/forge`, unless configured otherwise. */
  readonly slash: string;
  /** What `bellows.yaml` says. */
  readonly policy: PolicyFile;
  /** Where agents connect, if Bellows knows its own address. */
  readonly agentsUrl?: string | undefined;
  /** Absent without a public address or hook secret. */
  readonly wake?: Wake | undefined;
}

/** Everything a command's action may use. One per job. */
export interface Context extends SharedServices {
  readonly person: Person;
  /** The person's agent, if the request came from it. */
  readonly agent?: AgentName | undefined;
  readonly role: Role;
  readonly channel: string | undefined;
  /** Whether it only shows what would be sent. */
  readonly dryRun?: boolean | undefined;
  /** The same for every run of one job; undefined if nothing is run. */
  readonly job: string | undefined;
  /** The linked account's login; empty for commands that need no account. */
  readonly login: string;
  /** Acts as the requester's linked account. */
  readonly api: Api;
  readonly people: People;
  readonly now: Date;
  /** When the person asked for it; undefined if nothing is run. */
  readonly acceptedAt?: number | undefined;
  readonly log: Log;
  /** The approval for this run, and who gave it. */
  readonly approval?: Granted | undefined;
  /** As the forge said while this was read; undefined if it does not say. */
  repoId(named: RepositoryRef): Promise<number | undefined>;
  /** Whether an item of this repository may be named beside what was asked for, where the answer is read. */
  mayShow(repository: { readonly owner: string; readonly repo: string }): Promise<boolean>;
  /** Whether the requester has this role or is named here, in Slack or in a forge team. Read fresh. */
  isAmong(people: Role | Approvers): Promise<boolean>;
  /** Shown in the form during long work, or else in a direct message that is updated. */
  progress(message: Message): Promise<void>;
  offerUndo(offer: UndoOffer): void;
  /** Stored with the mark of a `once` write, for checking later whether it happened. */
  remember(note: string): void;
}
