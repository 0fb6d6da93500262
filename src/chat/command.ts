import type { Button } from '@slack/types';
import type { ApprovalPolicy } from '../config.js';
import type { Effect, OperationName } from '../forge/index.js';
import type { Blocks, Fact } from '../view/blocks.js';
import type { Message } from '../view/message.js';
import type { Mrkdwn } from '../view/text.js';
import type { Approvers, Context, Role } from './context.js';
import { type Args, type Fields, flag, text } from './fields.js';
import type { Question } from './form/questions.js';
import type { RepositoryRef } from './references.js';
import type { Request } from './request.js';

export type Risk = 'read' | 'write' | 'risky';

/** `bound` must not change between request and approval; `shown` is for the reader. */
export interface Observation {
  readonly bound: Readonly<Record<string, string | number | boolean | null>>;
  readonly shown: readonly Fact[];
  /** Only behind `Details`. */
  readonly details?: readonly Fact[];
  /** Forge user ids of the authors of what would be merged or deployed. */
  readonly authors?: readonly number[];
  /** What the forge cannot attribute to an author: `commit 0a1b2c3d4e`. */
  readonly unsure?: readonly string[];
  /** Completes “@Ada wants to …”; defaults to the command line. */
  readonly wants?: Wants;
}

/** `force-cancel run 8`, its page at the forge, and a detail: `Deploy v0.9 on main`. */
export interface Wants {
  readonly says: string;
  readonly url?: string | undefined;
  readonly about?: string | undefined;
}

/** `asks`: who may request it, if the role alone does not say; the command itself refuses everyone else. */
export interface OwnPolicy {
  readonly said: ApprovalPolicy;
  readonly source?: string;
  readonly asks?: Role | Approvers | undefined;
}

/** For what people do to their own link only: a second person would keep them out, or their token in. */
export const neverRuled = (): OwnPolicy => ({ said: { count: 0 } });

/** A write that may have happened: not before `since` on the forge's clock, with what `remember` kept. */
export interface Sent {
  readonly since: Date;
  readonly note: string | undefined;
}

/**
 * Absent: no questions. `values` fill the form's own fields; `hides` lists fields the questions replace; `notice` is to be read
 * above the fields.
 */
export interface Questions {
  readonly asked?: readonly Question[];
  readonly values?: Readonly<Record<string, unknown>>;
  readonly hides?: readonly string[];
  readonly notice?: Blocks;
}

/** What approvals need to know about a command. */
interface ApprovalPart<F extends Fields> {
  /** Its counterpart for pull requests, whose rules apply if its item is one. */
  readonly forPulls?: string;
  /** A command with the same effect, whose rules apply too; it may depend on the arguments. */
  readonly ruledAs?: string | ((args: Args<F>) => string | undefined);
  /** Its own policy, which overrides the rules; `source` says where it is defined. */
  policy?(args: Args<F>, context: Context): OwnPolicy;
  /** The branches it is about, for rules that name one; undefined for one this server does not report. */
  branches?(args: Args<F>, context: Context): Promise<readonly (string | undefined)[]>;
  observe?(args: Args<F>, context: Context): Promise<Observation>;
  /** Its card offers to ask again once what it showed is outdated. */
  readonly asksAgain?: true;
  /** It follows a message and cannot wait: refused with this if a policy wants an approval by these people. */
  refuseWaiting?(args: Args<F>, approvers: string, context: Context): Error;
}

/** Its form, as far as the fields do not say. */
interface FormPart<F extends Fields> {
  /** The submit button, if it is not the title. */
  readonly submit?: string;
  /**
   * always: even when typed without arguments. edit: also when nothing to change was typed.
   * only: the form asks for everything and typed text is ignored (sign-in).
   */
  readonly opens?: 'always' | 'edit' | 'only';
  /** The switch that only previews; the form has a button for it. */
  readonly previews?: keyof F & string;
  /** Shown above the fields, depending on who opens it. */
  intro?(reader: Reader): Intro | Promise<Intro>;
  /** Current values of the item, read from the forge after the loading view. */
  prefill?(args: Partial<Args<F>>, context: Context): Promise<Partial<Record<keyof F, unknown>>>;
  /** Questions only the forge knows, once the required fields are given; the answers go into the field `into`. */
  readonly asks?: {
    readonly into?: keyof F & string;
    /** The form stays open, and what failed brings it back with the questions as they are then. */
    readonly again?: true;
    /** The field that decides the questions, even in an open form; then only the fields in `locks` are fixed. */
    readonly choice?: keyof F & string;
    readonly locks?: readonly (keyof F & string)[];
    of(args: Partial<Args<F>>, context: Context): Promise<Questions>;
  };
}

export interface Command<F extends Fields = Fields, Result = unknown> {
  /** The words people type, `issue close`; also the file's path. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The form's title, if verb and noun of the name do not make it: `Log time`. */
  readonly title?: string;
  /** What follows `/forge`, one per line; each must parse. */
  readonly examples: readonly string[];
  readonly fields: F;
  readonly form?: FormPart<F>;
  readonly role: Role;
  readonly risk: Risk;
  /** If it depends on the arguments; `risk` is then the highest. */
  riskOf?(args: Args<F>): Risk;
  /** Its answer contains a secret: it goes to the requester and never onto a card. */
  readonly confidential?: true;
  readonly effect: Effect;
  /** Every forge operation it may send, the main one first; a server without a `needs` one hides the command. */
  readonly operations: readonly OperationName[];
  readonly needs?: readonly OperationName[];
  /** none: works without a linked account. */
  readonly account?: 'none' | 'linked';
  /** Hidden commands are reached by buttons and shortcuts and not listed in help. */
  readonly hidden?: boolean;
  /** Why agents do not get it, if the rest of the definition does not say. */
  readonly notForAgents?: string;
  /** Says nothing when done: the result is visible anyway. */
  readonly quiet?: true;
  /** Whether a message in the channel already says it: the person who asked is there too. */
  saidInChannel?(result: Result): boolean;
  /** When it is done, the command the person typed before continues. */
  readonly resumes?: true;
  readonly approval?: ApprovalPart<F>;
  /** The command that reverts it: Undo replaces its button. */
  readonly opposite?: string;
  /** The requests it will send, as data; planning sends nothing. */
  plan(args: Args<F>, context: Context): readonly Request[] | Promise<readonly Request[]>;
  /** What it is about if its arguments do not name a repository. */
  repositories?(args: Args<F>, context: Pick<Context, 'policy'>): readonly RepositoryRef[];
  /** Validates a submitted form across fields: throws a UserError that names the field. */
  check?(given: Readonly<Partial<Record<keyof F, unknown>>>): void;
  run(args: Args<F>, context: Context): Promise<Result>;
  /** For every `once` command: checks whether the write happened. Undefined: it did not. blind: that cannot be seen. */
  findDone?(args: Args<F>, context: Context, sent: Sent): Promise<Result | 'unknowable' | undefined>;
  reply(result: Result, args: Args<F>, context: Context): Message | Promise<Message>;
}

/** Its form stays open after submitting: a conflict or a refusal redraws it. */
export const staysOpen = ({ form }: AnyCommand): boolean => form?.prefill !== undefined || form?.asks?.again === true;

/** The person who opens a form. */
export type Reader = Pick<Context, 'role' | 'forge' | 'store' | 'person' | 'slash'> & {
  /** Where this person signs in at the forge; absent if Bellows is not registered there. */
  readonly signInUrl: string | undefined;
};

export interface Intro {
  readonly says: Mrkdwn;
  readonly buttons?: readonly (Button | undefined)[];
  /** Shown instead of the fields. */
  readonly alone?: boolean;
}

/** Type-erased for lists; the engine validates values by the command's own fields before calling it. */
export type AnyCommand = Command<Fields, unknown>;

/** Every command that a second person decides on asks for a reason. */
const reason = flag(
  text({ label: 'Reason', hint: 'Shown to the people who can approve it.', placeholder: 'why', max: 500 }),
);

export function command<const F extends Fields, Result>(definition: Command<F, Result>): AnyCommand {
  // The only place where a command's exact argument types are erased; the runner validates by `fields` first.
  const erased = definition as unknown as AnyCommand;
  return erased.risk === 'risky' && !('reason' in erased.fields)
    ? { ...erased, fields: { ...erased.fields, reason } }
    : erased;
}

/** All commands, found by the longest run of leading words. */
export interface Catalog {
  readonly all: readonly AnyCommand[];
  get(name: string): AnyCommand | undefined;
}
