import type { PolicyFile } from '../config.js';
import type { OperationName } from '../forge/index.js';
import type { AgentName, Person, Rank, Stands } from '../store/index.js';
import type { Message } from '../view/message.js';
import type { ActJob, Address, CommandJob } from './act-job.js';
import type { CommandList } from './catalogue.js';
import type { AnyCommand } from './command.js';
import type { Context, UndoOffer } from './context.js';
import type { Services } from './session.js';

export interface Telling {
  readonly lasting?: boolean;
  /** Where an earlier answer stands that this one replaces. */
  readonly stands?: Stands | undefined;
  /** The waiting line that this one replaces. */
  readonly line?: Stands | undefined;
  /** It holds a secret: it stays in no conversation. */
  readonly passing?: boolean | undefined;
  /** It did not work. */
  readonly failed?: boolean;
}

/** The line that says that an answer takes longer. */
export interface WaitingLine {
  /** False where it was said before, or the answer is there. */
  first(): Promise<boolean>;
  /** Remembers where it stands, so that the answer replaces it even after a crash. */
  keep(at: Stands): Promise<void>;
}

/** How answers reach one person; the Slack edge provides it. */
export interface Answers {
  /** Throws while Slack is away. `lasting`: where it can be changed later. Where it stands, if it can. */
  answer(to: Address, message: Message, how?: Telling): Promise<Stands | undefined>;
  progress(job: ActJob, message: Message): Promise<void>;
  wait(job: ActJob, message: Message, line: WaitingLine): Promise<void>;
  /** A form that stayed open comes back: with both texts where someone changed it in the meantime, else with what went wrong. */
  reopen(job: CommandJob, command: AnyCommand, why: 'conflict' | Message): Promise<boolean>;
}

export interface Entry {
  readonly person: Person;
  /** Of this person, where it asked in their place. */
  readonly agent?: AgentName | undefined;
  readonly login: string;
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly operations: readonly { readonly name: OperationName; readonly status: number | undefined }[];
  readonly outcome: 'done' | 'failed' | 'refused' | 'asked' | 'unknown' | 'without approval';
  readonly detail?: string;
  readonly durationMs: number;
  readonly approval?: {
    readonly id: string;
    readonly approvers: readonly { readonly team: string; readonly user: string; readonly login: string | null }[];
  };
}

/** What a person did something about. */
export interface Acted {
  readonly notification?: number;
  readonly item?: { readonly owner: string; readonly repo: string; readonly index: number };
}

/** A lasting message: posted under its key once, updated afterwards. It goes through the channel's outbox. */
export interface Notice {
  readonly key: string;
  readonly channel: string;
  readonly message: Message;
  /** Tells two states of one card apart. */
  readonly version: string;
  /** A reply in the thread of this card, in place of a card of its own. */
  readonly under?: string;
}

/** A direct message that waits while Slack is away. What is told under one id is told once, and only a better answer replaces it. */
export interface Tells {
  tell(person: Person, message: Message, id?: string, rank?: Rank): Promise<void>;
}

/** What asking, deciding and running an approval need. */
export interface ApprovalDeps extends Tells {
  readonly services: Services;
  readonly catalogue: CommandList;
  readonly policies: PolicyFile['approvals'];
  post(notice: Notice): Promise<void>;
  record(entry: Entry): Promise<void>;
  /** Why something about this repository must not be shown there; undefined where it may. */
  exposed(repository: { owner: string; repo: string } | undefined, channel: string): Promise<string | undefined>;
}

/** What running any command needs; made once per worker. */
export interface Runtime extends ApprovalDeps {
  readonly answers: Answers;
  /** `/forge`, for the words of messages. */
  readonly slash: string;
  /** Puts work back on the queue under a new id. */
  enqueue(job: ActJob, id: string): Promise<void>;
  keepUndo(person: Person, offer: UndoOffer): Promise<string>;
  /** It was done: cards of their own follow, and nobody waits for that. */
  acted(context: Context, about: readonly Acted[]): void;
  /** A direct message that is stored before it is sent; an id that was told is not told again. */
  tellOnce(person: Person, id: string, message: Message): Promise<void>;
}
