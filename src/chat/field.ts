import type { z } from 'zod';
import type { Zone } from '../wall-clock.js';
import type { Context } from './context.js';

/** What is known without asking anyone: enough to parse a word within milliseconds. */
export interface Reading {
  readonly now: Date;
  /** The forge's address for people; pasted links to it are understood. */
  readonly webUrl: string;
  /** The slash command, for messages. */
  readonly slash: string;
  /** The person's time zone, if known; dates like `fri` depend on it. */
  readonly zone?: Zone;
}

/** Which issues and pull requests a command can be about. */
export type ItemSource = 'items' | `${'' | 'open-' | 'closed-'}${'issues' | 'pulls'}`;

/** Which forge list an external select offers; served from the person's own cache. */
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

/** How a form draws the field; the view does the drawing. */
export type InputShape =
  | { readonly kind: 'text'; readonly multiline?: boolean; readonly max?: number }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[]; readonly many?: boolean }
  | { readonly kind: 'external'; readonly source: OptionSource; readonly many?: boolean }
  | { readonly kind: 'slackUsers'; readonly many?: boolean }
  | { readonly kind: 'date' }
  | { readonly kind: 'checkbox'; readonly text: string };

/**
 * One thing a command needs. `Typed` is what a person's words become without asking anyone (JSON-safe: it is stored in a
 * job); `Resolved` is what the command receives once the channel's default repository and linked people are known.
 */
export interface Field<Typed = unknown, Resolved = Typed> {
  readonly label: string;
  readonly hint?: string;
  readonly required: boolean;
  /** word: next bare word(s). rest: everything left. flag: `--name value`. switch: `--name`. */
  readonly typed: 'word' | 'rest' | 'flag' | 'switch';
  /** Its flag may be repeated, one line each. */
  readonly repeats?: boolean;
  /** What a form preselects if nothing was typed, as `read` takes it. */
  readonly begins?: string;
  /** Shown in help instead of the value: `owner/repo#12`. */
  readonly placeholder: string;
  readonly input: InputShape;
  /** Prose: people it mentions are written with their forge logins. */
  readonly prose?: boolean;
  /** Sealed before it is stored anywhere and never shown again; only a form asks for it. */
  readonly secret?: boolean;
  /** Agents may not set it. */
  readonly notForAgents?: boolean;
  readonly schema: z.ZodType<Typed>;
  /** Throws UserError that says what to write instead. */
  read(text: string, reading: Reading): Typed;
  /** Text that `read` would read back; fills forms and shows what will run. */
  show(value: Typed): string;
  resolve(value: Typed, context: Context): Promise<Resolved> | Resolved;
}

export type Fields = Readonly<Record<string, Field<never, unknown> | Field<unknown, unknown>>>;

type ResolvedOf<F> = F extends { resolve(value: never, context: Context): Promise<infer R> | infer R }
  ? Awaited<R>
  : never;
type TypedOf<F> = F extends { read(text: string, reading: Reading): infer T } ? T : never;
type RequiredNames<F> = { [K in keyof F]: F[K] extends { required: true } ? K : never }[keyof F];

/** What `run` receives: exact, without an index signature, so a misspelled name does not compile. */
export type Args<F> = { readonly [K in RequiredNames<F>]: ResolvedOf<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredNames<F>>]?: ResolvedOf<F[K]>;
};

/** What jobs, buttons and forms carry. */
export type TypedArgs<F> = { readonly [K in keyof F]?: TypedOf<F[K]> };
