import type { AgentName, Person, Stands } from '../store/index.js';
import type { Message } from '../view/message.js';
import type { ActJob, Address, CommandJob } from './act-job.js';
import type { CommandList } from './catalog.js';
import type { AnyCommand } from './command.js';
import type { Context, Granted, UndoOffer } from './context.js';
import type { KnownRepository } from './repo-ids.js';
import type { Services } from './session.js';

export interface AnswerOptions {
  readonly lasting?: boolean;
  /** An earlier answer that this one replaces. */
  readonly stands?: Stands | undefined;
  /** The waiting line that this one replaces. */
  readonly line?: Stands | undefined;
  /** It contains a secret and must not stay in a conversation. */
  readonly confidential?: boolean | undefined;
  /** It failed. */
  readonly failed?: boolean;
  /** An earlier try failed: a way that fails again makes room for the next one. */
  readonly again?: boolean;
  /** Marks what is posted, so that it can be found again. */
  readonly id?: string;
  /** An earlier try may have reached Slack. */
  readonly isDoubtful?: boolean;
  /** Called with true when a message that cannot be found again left this process, with false if Slack refused it. */
  readonly sent?: (isSent: boolean) => Promise<void>;
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
  /** Throws while Slack is down. `lasting`: post it where it can be changed later. Returns where it is, if it can be. */
  answer(to: Address, message: Message, how?: AnswerOptions): Promise<Stands | undefined>;
  progress(job: ActJob, message: Message): Promise<void>;
  wait(job: ActJob, message: Message, line: WaitingLine): Promise<void>;
  /** Reopens a form: with both versions if someone else changed the item, otherwise with the error. */
  reopen(job: CommandJob, command: AnyCommand, why: 'conflict' | Message): Promise<boolean>;
}

export interface Entry {
  readonly person: Person;
  /** The person's agent, if it made the request. */
  readonly agent?: AgentName | undefined;
  readonly login: string;
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** By name; `git.push` is none of the API's. */
  readonly operations: readonly { readonly name: string; readonly status: number | undefined }[];
  readonly outcome: 'done' | 'failed' | 'refused' | 'asked' | 'unknown' | 'without approval';
  readonly detail?: string;
  readonly durationMs: number;
  readonly approval?: Granted;
}

/** What a person acted on. */
export interface Acted {
  readonly notification?: number;
  readonly item?: { readonly owner: string; readonly repo: string; readonly index: number };
}

/** A lasting message: posted once under its key, then updated. Goes through the channel's outbox. */
export interface Notice {
  readonly key: string;
  readonly channel: string;
  readonly message: Message;
  /** Distinguishes two states of one card. */
  readonly version: string;
  /** Posted as a reply in this card's thread instead of as a card. */
  readonly under?: string;
}

/** What requesting, deciding and running an approval need. */
export interface ApprovalDeps {
  readonly services: Services;
  readonly catalog: CommandList;
  readonly answers: Pick<Answers, 'answer'>;
  post(notice: Notice): Promise<void>;
  record(entry: Entry): Promise<void>;
  /** Why this repository must not be shown there; undefined if it may. */
  exposed(repository: { owner: string; repo: string } | undefined, channel: string): Promise<string | undefined>;
  /** The first pause before the forge is asked again whether a lost write happened. */
  readonly lookMs: number;
}

/** What running any command needs; made once per worker. */
export interface Runtime extends ApprovalDeps {
  readonly answers: Answers;
  /** Requeues work under a new id. */
  enqueue(job: ActJob, id: string): Promise<void>;
  keepUndo(
    person: Person,
    offer: UndoOffer & { readonly command: string; readonly known: readonly KnownRepository[] },
  ): Promise<string>;
  /** It was done: updates the person's own cards in the background. */
  acted(context: Context, about: readonly Acted[]): void;
}
