import type { Button } from '@slack/types';
import type { ApprovalPolicy } from '../config.js';
import type { Effect, OperationName } from '../forge/index.js';
import type { Message } from '../view/message.js';
import type { Mrkdwn } from '../view/text.js';
import type { Context, Role } from './context.js';
import type { Args, Fields } from './field.js';
import { flag } from './fields/make.js';
import { text } from './fields/text.js';
import type { Asked } from './form/asked.js';
import type { RepositoryRef } from './references.js';
import type { Request } from './request.js';

export type Risk = 'read' | 'write' | 'risky';

/** `bound` must not change between asking and approving; `shown` is for the reader. */
export interface Observation {
  readonly bound: Readonly<Record<string, string | number | boolean | null>>;
  readonly shown: readonly (readonly [label: string, value: string])[];
  /** Forge user ids of those who wrote what would be merged or sent out, where that is known. */
  readonly authors?: readonly number[];
  /** Completes “@Ada wants to …”; the command line where it is left out. */
  readonly wants?: Wants;
}

/** `force-cancel run 8`, its page at the forge, and a word more: `Deploy v0.9 on main`. */
export interface Wants {
  readonly says: string;
  readonly url?: string | undefined;
  readonly about?: string | undefined;
}

/** A write that may have happened: by the forge's clock not before `since`, and what `remember` kept with it. */
export interface Sent {
  readonly since: Date;
  readonly note: string | undefined;
}

/** Left out, nothing is asked. `values` fill the form's own fields, `hides` are those that the questions replace. */
export interface Questions {
  readonly asked?: readonly Asked[];
  readonly values?: Readonly<Record<string, unknown>>;
  readonly hides?: readonly string[];
}

export interface Command<F extends Fields = Fields, Result = unknown> {
  /** The words people type, `issue close`; also the file's path. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** What its form is called, where verb and noun of the name do not make it: `Log time`. */
  readonly title?: string;
  /** What the form's submit button says, where it is not the title. */
  readonly submit?: string;
  /** What follows `/forge`, one per line; each must parse. */
  readonly examples: readonly string[];
  readonly fields: F;
  readonly role: Role;
  readonly risk: Risk;
  /** Where it depends on what is asked; `risk` is then the highest. */
  riskOf?(args: Args<F>): Risk;
  /** Its answer holds a secret: it goes to the person who asked and onto no card. */
  readonly confidential?: true;
  readonly effect: Effect;
  /** Every forge operation it may send, the one it is for first; a server that lacks a `needs` one hides the command. */
  readonly operations: readonly OperationName[];
  readonly needs?: readonly OperationName[];
  /** none: works without a linked account. */
  readonly account?: 'none' | 'linked';
  /** Hidden commands are reached by buttons and shortcuts, not listed in help. */
  readonly hidden?: boolean;
  /** Why agents are not offered it, where the rest of the definition does not tell. */
  readonly notForAgents?: string;
  /** Done, it says nothing: what was asked for shows by itself. */
  readonly quiet?: true;
  /**
   * always: typed without words it still opens the form. edit: also where nothing to change was typed.
   * only: the form asks for everything, nothing that was typed is read (sign-in).
   */
  readonly form?: 'always' | 'edit' | 'only';
  /** The switch that only shows what would happen; the form has a button for it. */
  readonly previews?: keyof F & string;
  /** After it, the command its person typed before continues. */
  readonly resumes?: true;
  /** What takes it back: Undo stands in place of its button. */
  readonly opposite?: string;
  /** What will be sent, as data; nothing is sent by planning. */
  plan(args: Args<F>, context: Context): readonly Request[] | Promise<readonly Request[]>;
  observe?(args: Args<F>, context: Context): Promise<Observation>;
  /** What it is about where its arguments do not name a repository. */
  repositories?(args: Args<F>, context: Context): readonly RepositoryRef[];
  /** Its own approval policy, by which it is asked and approved whatever the rules say; `source` is where it stands. */
  policy?(args: Args<F>, context: Context): { readonly said: ApprovalPolicy; readonly source: string };
  /** Its card offers to ask again once what it showed no longer holds. */
  readonly asksAgain?: true;
  /** The branches it is about, for approval rules that name one; undefined for one that this server does not tell. */
  branches?(args: Args<F>, context: Context): Promise<readonly (string | undefined)[]>;
  /** Above the fields of its form, for who opens it. */
  intro?(reader: Reader): Intro | Promise<Intro>;
  /** Values of the present item for a form, read from the forge after the loading view. */
  prefill?(args: Partial<Args<F>>, context: Context): Promise<Partial<Record<keyof F, unknown>>>;
  /** Questions that only the forge knows, once the required fields are given; the answers become the field `into`. */
  readonly asks?: {
    readonly into: keyof F & string;
    /** The field that decides what is asked, in the open form too; with it only `locks` and no other field stay as they are. */
    readonly choice?: keyof F & string;
    readonly locks?: readonly (keyof F & string)[];
    of(args: Partial<Args<F>>, context: Context): Promise<Questions>;
  };
  /** Of a form that was sent: throws a UserError with its field for what no field can see alone. */
  check?(given: Readonly<Partial<Record<keyof F, unknown>>>): void;
  run(args: Args<F>, context: Context): Promise<Result>;
  /** Of each `once` command: looks whether what was sent happened. Undefined: it is not there. blind: that cannot be seen. */
  findDone?(args: Args<F>, context: Context, sent: Sent): Promise<Result | 'blind' | undefined>;
  reply(result: Result, args: Args<F>, context: Context): Message | Promise<Message>;
}

/** Who opens a form. */
export type Reader = Pick<Context, 'role' | 'forge' | 'store' | 'person'> & {
  /** Where this person signs in with the forge; absent where Bellows is not registered there. */
  readonly signInUrl: string | undefined;
};

export interface Intro {
  readonly says: Mrkdwn;
  readonly buttons?: readonly (Button | undefined)[];
  /** It stands in place of the fields. */
  readonly alone?: boolean;
}

/** Erased form for lists; the engine reads values by the command's own fields before calling in. */
export type AnyCommand = Command<Fields, unknown>;

/** Every command that a second person decides on asks why. */
const reason = flag(
  text({ label: 'Reason', hint: 'Shown to the people who can approve it.', placeholder: 'why', max: 500 }),
);

export function command<const F extends Fields, Result>(definition: Command<F, Result>): AnyCommand {
  // The one place where a command's exact argument types are erased; the runner validates by `fields` first.
  const erased = definition as unknown as AnyCommand;
  return erased.risk === 'risky' && !('reason' in erased.fields)
    ? { ...erased, fields: { ...erased.fields, reason } }
    : erased;
}

/** All commands, found by the longest run of leading words. */
export interface Catalogue {
  readonly all: readonly AnyCommand[];
  get(name: string): AnyCommand | undefined;
}
