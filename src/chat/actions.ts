import type { Button } from '@slack/types';
import { z } from 'zod';
import { type ButtonOptions, button, linkAction, type MenuChoice, openText, overflow } from '../view/elements.js';
import { limits } from '../view/limits.js';
import type { AnyCommand } from './command.js';
import type { CommandArgs } from './command-args.js';

/** Every button of every card is one of these; the Slack edge has one handler for each. */
export const actionNames = {
  /** Runs a command with the arguments it carries, as the person who clicks. */
  run: 'run',
  /** Opens a command's form, filled with the arguments it carries. */
  form: 'form',
  /** Runs a command and puts its answer in place of the message. */
  turn: 'turn',
  /** A menu whose options are `run` or `form`. */
  more: 'more',
  /** The same as a select menu. */
  pick: 'pick',
  /** In help: a menu of topics. */
  topic: 'topic',
  /** In a form: previews what it would do with its current values. */
  preview: 'preview',
  /** In a form: shows another part of what there is to read; what was typed stays. */
  page: 'page',
  undo: 'undo',
  approve: 'approve',
  deny: 'deny',
  withdraw: 'withdraw',
  /** Deletes the direct message it is in. */
  remove: 'remove',
} as const;

/** Short keys: a button carries 2,000 characters, a menu option 75. */
export const Invocation = z.strictObject({
  c: z.string().min(1).max(60),
  a: z.record(z.string().max(40), z.unknown()).default({}),
  /** In a menu: open the form instead of running. */
  f: z.literal(1).optional(),
  /** In a menu or of a form: the answer replaces the message. */
  t: z.literal(1).optional(),
  /** Only shows what the command would do. */
  d: z.literal(1).optional(),
});
export type Invocation = z.infer<typeof Invocation>;

const Named = z.object({ c: z.string() });

/** The command that a button or menu option carries, if it carries one. */
export function commandOf(value: string | undefined): string | undefined {
  if (!value?.startsWith('{')) return undefined;
  try {
    return Named.safeParse(JSON.parse(value)).data?.c;
  } catch {
    return undefined;
  }
}

export const Carried = z.strictObject({ id: z.string().min(1).max(64), by: z.string().max(30).optional() });

interface Drawn {
  readonly text: string;
  readonly style?: 'primary' | 'danger';
  readonly confirm?: ButtonOptions['confirm'];
  readonly dryRun?: boolean | undefined;
  /** Of a form: its answer replaces the message with the button. */
  readonly turns?: true;
}

/** A command with typed arguments, as its fields read them; the catalog defines which exist. */
export type Called = {
  readonly [Name in keyof CommandArgs]: {
    readonly command: Name;
    readonly args?: [CommandArgs[Name]] extends [never]
      ? Readonly<Record<string, never>>
      : { readonly [Arg in CommandArgs[Name]]?: unknown };
  };
}[keyof CommandArgs];

export type CommandButton = Drawn & Called;

/** For the current command, whichever it is, with the arguments it was given. */
export interface AgainButton extends Drawn {
  readonly again: AnyCommand;
  readonly args: Readonly<Record<string, unknown>>;
}

const invocation = (options: CommandButton | AgainButton): Invocation => ({
  c: 'again' in options ? options.again.name : options.command,
  a: { ...options.args },
  ...(options.turns && { t: 1 }),
  ...(options.dryRun && { d: 1 }),
});

/** For the id of the repository it names. */
const room = 40;

const fitsButton = (options: CommandButton | AgainButton): boolean =>
  JSON.stringify(invocation(options)).length <= limits.button.value - room;

const commandButton = (action: string, options: CommandButton | AgainButton): Button =>
  button({ text: options.text, action, value: invocation(options), style: options.style, confirm: options.confirm });

export const runButton = (options: CommandButton | AgainButton): Button => commandButton(actionNames.run, options);
export const formButton = (options: CommandButton | AgainButton): Button => commandButton(actionNames.form, options);
/** For what people wrote: undefined if it is too long for a button. */
export const runButtonIfFits = (options: CommandButton | AgainButton): Button | undefined =>
  fitsButton(options) ? runButton(options) : undefined;
export const formButtonIfFits = (options: CommandButton | AgainButton): Button | undefined =>
  fitsButton(options) ? formButton(options) : undefined;
/** For paging: the answer replaces the message. */
export const turnButton = (options: CommandButton): Button => commandButton(actionNames.turn, options);
export const turnButtonIfFits = (options: CommandButton): Button | undefined =>
  fitsButton(options) ? turnButton(options) : undefined;

/** form: opens it. turn: the answer replaces the message. A link opens a page. */
export type MenuEntry =
  | (CommandButton & { readonly form?: boolean; readonly turn?: boolean })
  | { readonly text: string; readonly link: string };

function menuChoice(entry: MenuEntry): MenuChoice {
  if ('link' in entry) return { text: entry.text, value: linkAction, url: entry.link };
  const { text, form, turn } = entry;
  return { text, value: { ...invocation(entry), ...(form && { f: 1 }), ...(turn && { t: 1 }) } };
}

/** Less common actions; an option too long for Slack is left out. */
export const moreMenu = (entries: readonly (MenuEntry | undefined)[]) =>
  overflow(actionNames.more, entries.filter((entry) => entry !== undefined).map(menuChoice));

/** The value of one option of a select menu; undefined if it is too long for Slack. */
export function fitsMenu(entry: MenuEntry): string | undefined {
  const value = JSON.stringify(menuChoice(entry).value);
  return value.length <= limits.option.value ? value : undefined;
}

/** The item's own page, if it has one. */
export const openEntry = (url: string | null | undefined): MenuEntry | undefined =>
  url ? { text: openText, link: url } : undefined;

/** `args`: hidden fields of the form's command. */
export const pageButton = (text: string, args: Readonly<Record<string, number>>): Button =>
  button({ text, action: actionNames.page, value: args });

export const previewButton = (): Button => button({ text: 'Preview', action: actionNames.preview });

/** `by`: who may press it; everyone else gets an explanation. */
export const undoButton = (id: string, by: string): Button =>
  button({ text: 'Undo', action: actionNames.undo, value: { id, by } });

export function decisionButtons(id: string): Button[] {
  return [
    button({ text: 'Approve', action: actionNames.approve, value: { id }, style: 'primary' }),
    button({ text: 'Deny', action: actionNames.deny, value: { id }, style: 'danger' }),
    runButton({ text: 'Details', command: 'approval show', args: { id } }),
  ];
}

/** For a direct message with a secret. */
export const removeButton = (): Button =>
  button({ text: 'Delete message', action: actionNames.remove, style: 'danger' });

/** For the requester. */
export const withdrawButton = (id: string): Button =>
  button({ text: 'Withdraw request', action: actionNames.withdraw, value: { id } });
