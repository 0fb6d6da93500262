import type { z } from 'zod';
import type { Context } from './context.js';

/** What is known without asking anyone: enough to read a typed word within milliseconds. */
export interface Reading {
  readonly now: Date;
  /** Where people's links to the forge point; pasted addresses of it are understood. */
  readonly webUrl: string;
  /** Minutes east of UTC of the person typing, where known; dates like `fri` depend on it. */
  readonly utcOffset?: number;
}

/** Issues, pull requests or both; those that a command can be about. */
export type ItemSource = 'items' | `${'' | 'open-' | 'closed-'}${'issues' | 'pulls'}`;

/** Which list of the forge an external select offers; answered from the asking person's own cache. */
export type OptionSource =
  | 'repositories'
  | ItemSource
  | 'runs'
  | 'workflows'
  | 'subscriptions'
  | 'people'
  | 'labels'
  | 'milestones'
  | 'branches'
  | 'teams'
  | 'templates';

export type Choice = { readonly value: string; readonly label: string };

/** How a form draws the field; the drawing itself is view's. */
export type InputShape =
  | { readonly kind: 'text'; readonly multiline?: boolean; readonly max?: number }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[]; readonly many?: boolean }
  | { readonly kind: 'external'; readonly source: OptionSource; readonly many?: boolean }
  | { readonly kind: 'slackUsers'; readonly many?: boolean }
  | { readonly kind: 'date' }
  | { readonly kind: 'checkbox'; readonly text: string };

/**
 * One thing a command needs. `Typed` is what a person's words become without asking anyone (JSON-safe: it travels in a
 * job); `Resolved` is what the command's run receives after the channel's default repository and linked people are known.
 */
export interface Field<Typed = unknown, Resolved = Typed> {
  readonly label: string;
  readonly hint?: string;
  readonly required: boolean;
  /** word: next bare word(s). rest: everything left. flag: `--name value`. switch: `--name`. */
  readonly typed: 'word' | 'rest' | 'flag' | 'switch';
  /** Its flag may be given again: each one is a line of its own. */
  readonly repeats?: boolean;
  /** What a form shows chosen where nothing was typed, as `read` takes it. */
  readonly begins?: string;
  /** What help shows in place of the value: `owner/repo#12`. */
  readonly placeholder: string;
  readonly input: InputShape;
  /** Text that people read: whom it mentions is written as the forge knows them. */
  readonly prose?: boolean;
  /** Sealed before it is stored anywhere, never shown again; only a form asks for it. */
  readonly secret?: boolean;
  /** No agent may give it. */
  readonly notForAgents?: boolean;
  readonly schema: z.ZodType<Typed>;
  /** Throws UserError with what to write instead. */
  read(text: string, reading: Reading): Typed;
  /** The words that `read` would read back; fills forms and shows what will run. */
  show(value: Typed): string;
  resolve(value: Typed, context: Context): Promise<Resolved> | Resolved;
}

export type Fields = Readonly<Record<string, Field<never, unknown> | Field<unknown, unknown>>>;

type ResolvedOf<F> = F extends { resolve(value: never, context: Context): Promise<infer R> | infer R }
  ? Awaited<R>
  : never;
type TypedOf<F> = F extends { read(text: string, reading: Reading): infer T } ? T : never;
type RequiredNames<F> = { [K in keyof F]: F[K] extends { required: true } ? K : never }[keyof F];

/** What `run` receives: exact, no index signature, so a misspelt name does not compile. */
export type Args<F> = { readonly [K in RequiredNames<F>]: ResolvedOf<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredNames<F>>]?: ResolvedOf<F[K]>;
};

/** What travels in jobs, buttons and forms. */
export type TypedArgs<F> = { readonly [K in keyof F]?: TypedOf<F[K]> };
