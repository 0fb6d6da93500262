import type { OperationName } from '../forge/index.js';
import type { AgentName, Person, Stands } from '../store/index.js';
import type { Message } from '../view/message.js';
import type { ActJob, Address, CommandJob } from './act-job.js';
import type { AnyCommand, Catalogue } from './command.js';
import type { Context, UndoOffer } from './context.js';
import type { Args, Fields } from './field.js';
import type { Services } from './session.js';

export interface Telling {
  readonly lasting?: boolean;
  /** Where an earlier answer stands that this one replaces. */
  readonly stands?: Stands | undefined;
  /** It did not work. */
  readonly failed?: boolean;
}

/** How answers reach one person; the Slack edge provides it. */
export interface Answers {
  /** Throws while Slack is away. `lasting`: where it can be changed later. Where it stands, if it can. */
  answer(to: Address, message: Message, how?: Telling): Promise<Stands | undefined>;
  progress(job: ActJob, message: Message): Promise<void>;
  /** Says that it takes longer, where the answer can replace that line and `first` finds that nobody said so before. */
  wait(job: ActJob, line: Message, first: () => Promise<boolean>): Promise<void>;
  /** A form that stayed open comes back: with both texts where somebody changed it meanwhile, else with what went wrong. */
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

/** Asks a second person; undefined when the policy lets this run at once. */
export interface Gate {
  ask(
    command: AnyCommand,
    args: Args<Fields>,
    context: Context,
    job: CommandJob,
    id: string,
  ): Promise<Message | undefined>;
  /** `one other maintainer`, undefined when it runs at once; and where in bellows.yaml that comes from. */
  words(
    command: AnyCommand,
    args: Args<Fields>,
    context: Context,
  ): Promise<{ readonly approval: string | undefined; readonly source: string }>;
}

/** What a person did something about. */
export interface Acted {
  readonly notification?: number;
  readonly item?: { readonly owner: string; readonly repo: string; readonly index: number };
}

export interface Runtime {
  readonly services: Services;
  readonly catalogue: Catalogue;
  readonly answers: Answers;
  readonly gate: Gate;
  /** `/forge`, for the words of messages. */
  readonly slash: string;
  /** Puts work back on the queue under a new id. */
  enqueue(job: ActJob, id: string): Promise<void>;
  keepUndo(person: Person, offer: UndoOffer): Promise<string>;
  record(entry: Entry): Promise<void>;
  /** It was done: cards of their own follow, and nobody waits for that. */
  acted(context: Context, about: readonly Acted[]): void;
  /** Why something about this repository must not be shown there; undefined where it may. */
  exposed(repository: { owner: string; repo: string } | undefined, channel: string): Promise<string | undefined>;
  /** A direct message that is stored before it is sent; an id that was told is not told again. */
  tellOnce(person: Person, id: string, message: Message): Promise<void>;
}
