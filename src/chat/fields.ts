import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readDuration, showDuration } from '../duration.js';
import { asCode, UserError } from '../errors.js';
import type { Api, Page } from '../forge/index.js';
import { possible } from '../forge/possible.js';
import { splitFullName } from '../full-name.js';
import { didYouMean, nearest } from '../nearest.js';
import type { Stretch } from '../view/paging.js';
import { localTime, type Zone } from '../wall-clock.js';
import type { Context } from './context.js';
import { SeveralRepositories } from './message-error.js';
import {
  type ItemRef,
  isAddress,
  isNumberOnly,
  type RepositoryRef,
  type RunRef,
  readItem,
  readRepository,
  readRun,
  showWritten,
  type WrittenRepository,
} from './references.js';
import { personMention } from './slack-text.js';

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
type ItemSource = 'items' | `${'' | 'open-' | 'closed-'}${'issues' | 'pulls'}`;

/** Which forge list an external select offers; served from the person's own cache. */
export type OptionSource =
  | 'repositories'
  /** Repositories, and all of an owner. */
  | 'targets'
  | ItemSource
  | 'runs'
  | 'workflows'
  | 'subscriptions'
  | 'people'
  /** People, those proposed for the form's pull request first. */
  | 'reviewers'
  | 'labels'
  | 'milestones'
  | 'branches'
  | 'teams'
  | 'templates';

type Choice = { readonly value: string; readonly label: string };

/** How a form draws the field; the view does the drawing. */
type InputShape =
  | { readonly kind: 'text'; readonly multiline?: boolean; readonly max?: number }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[]; readonly many?: boolean }
  | { readonly kind: 'external'; readonly source: OptionSource; readonly many?: boolean }
  | { readonly kind: 'slackUsers'; readonly many?: boolean }
  | { readonly kind: 'date' }
  | { readonly kind: 'checkbox'; readonly text: string };

/** One cheap question to the forge, and what its 404 means. */
export interface LookUp {
  readonly says: string;
  ask(api: Api): Promise<unknown>;
}

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
  /** Another word for its flag. */
  readonly also?: string;
  /** Its flag may be repeated, one line each. */
  readonly repeats?: boolean;
  /** What a form preselects if nothing was typed, as `read` takes it. */
  readonly begins?: string;
  /** Shown in help instead of the value: `owner/repo#12`. */
  readonly placeholder: string;
  readonly input: InputShape;
  /** Prose: people it mentions are written with their forge logins. */
  readonly prose?: boolean;
  /** A text that names people: mentions stay `<@U1|ada>`. */
  readonly namesPeople?: boolean;
  /** Sealed before it is stored anywhere and never shown again; only a form asks for it. */
  readonly secret?: boolean;
  /** Agents may not set it. */
  readonly notForAgents?: boolean;
  /** Whether it means the channel's default repository, if its menu does not say so. */
  lacksPlace?(value: unknown, args: Readonly<Record<string, unknown>>): boolean;
  /** After a 404: what says that it does not exist, in this order. */
  lookUps?(value: Resolved): readonly LookUp[];
  readonly schema: z.ZodType<Typed>;
  /** Throws UserError that says what to write instead. */
  read(text: string, reading: Reading): Typed;
  /** Text that `read` would read back; fills forms and shows what will run. */
  show(value: Typed): string;
  /** As its menu writes a value, if that says more than people read; `read` reads it too. */
  chosen?(value: Typed): string;
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

/** Comma-separated values; `\,` is a comma inside a value. */
export function splitList(text: string): string[] {
  const values = [...text.matchAll(/(?:\\[\\,]|[^,])+/g)].map(([part]) => part.replace(/\\([\\,])/g, '$1').trim());
  return [...new Set(values)].filter((value) => value !== '');
}

/** Text that `splitList` reads back. */
export function joinList(values: readonly string[]): string {
  return values.map((value) => value.replace(/[\\,]/g, '\\$&')).join(', ');
}

/** A readable list; never empty. */
export function listOf(values: readonly string[], what: string, most: number, each: number): string[] {
  if (values.length === 0) throw new UserError(`No ${what} given: separate several with commas.`);
  if (values.length > most) throw new UserError(`${values.length} ${what} are too many: use at most ${most}.`);
  const long = values.find((value) => value.length > each);
  if (long !== undefined) {
    throw new UserError(`“${long.slice(0, 40)}…” is too long: at most ${each} characters each.`);
  }
  return [...values];
}

/** `required` is a literal type in every factory, so that a command's arguments are exact. */
export type Needed<Typed, Resolved = Typed> = Field<Typed, Resolved> & { readonly required: true };
export type Optional<Typed, Resolved = Typed> = Field<Typed, Resolved> & { readonly required: false };

/** What a command may word itself. */
export interface Words {
  readonly label?: string;
  readonly hint?: string;
  readonly placeholder?: string;
}

interface Definition<Typed> {
  readonly label: string;
  readonly placeholder: string;
  readonly typed?: Field['typed'];
  readonly input: InputShape;
  readonly secret?: true;
  readonly prose?: true;
  readonly namesPeople?: true;
  readonly schema: z.ZodType<Typed>;
  lacksPlace?(value: unknown, args: Readonly<Record<string, unknown>>): boolean;
  read(text: string, reading: Reading): Typed;
  show(value: Typed): string;
}

/** A field that needs no lookup: the command receives what was typed. */
export function plainField<Typed>(
  words: Words,
  definition: Definition<Typed> & Pick<Field<Typed>, 'lookUps'>,
): Needed<Typed> {
  return askingField(words, { ...definition, resolve: (value) => value });
}

/** A field whose value depends on the channel or on linked people. */
export function askingField<Typed, Resolved>(
  words: Words,
  definition: Definition<Typed> &
    Pick<Field<Typed, Resolved>, 'lookUps'> & { resolve(value: Typed, context: Context): Promise<Resolved> | Resolved },
): Needed<Typed, Resolved> {
  const { label, hint, placeholder } = words;
  return {
    typed: 'word',
    ...definition,
    required: true,
    ...(label !== undefined && { label }),
    ...(hint !== undefined && { hint }),
    ...(placeholder !== undefined && { placeholder }),
  };
}

/** Makes a field optional. */
export function optional<Typed, Resolved>(field: Field<Typed, Resolved>): Optional<Typed, Resolved> {
  return { ...field, required: false };
}

/** `--name value`, optional. */
export function flag<Typed, Resolved>(field: Field<Typed, Resolved>): Optional<Typed, Resolved> {
  return { ...field, required: false, typed: 'flag' };
}

/** `--name value`, required. */
export function requireName<Typed, Resolved>(field: Field<Typed, Resolved>): Needed<Typed, Resolved> {
  return { ...field, required: true, typed: 'flag' };
}

/** Takes all remaining words instead of one. */
export function trailing<F extends Field<never, unknown> | Field<unknown, unknown>>(field: F): F {
  return { ...field, typed: 'rest' };
}

const clearHint = 'Write none to clear it.';
const nothing = /^(none|nobody|never|nothing|-)$/i;

/** `none` clears the current value: the command receives null. */
export function clearable<Typed, Resolved>(field: Field<Typed, Resolved>): Needed<Typed | null, Resolved | null> {
  return {
    ...field,
    required: true,
    hint: field.hint ?? clearHint,
    schema: field.schema.nullable(),
    read: (text, reading) => (nothing.test(text.trim()) ? null : field.read(text, reading)),
    show: (value) => (value === null ? 'none' : field.show(value)),
    resolve: (value, context) => (value === null ? null : field.resolve(value, context)),
  };
}

export const isClearable = (field: Field) => field.schema.safeParse(null).success;

/** In a form people clear the field instead of typing none; menus and date pickers take no text. */
export function formHint(field: Field, filled: boolean): string | undefined {
  if (field.hint !== clearHint) return field.hint;
  if (filled) return 'Leave empty to clear it.';
  return field.input.kind === 'text' ? clearHint : undefined;
}

const anyMoment: Reading = { now: new Date(0), webUrl: '', slash: '' };

/** What a required field defaults to: a repository defaults to the channel's own. */
export function standIn(field: Field): unknown {
  try {
    return field.read('', anyMoment);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Its menu offers repositories, or items or runs of one. */
const namesPlace = ({ input }: Field) =>
  input.kind === 'external' &&
  input.many !== true &&
  /^(?:repositories|runs|items|(?:open-|closed-)?(?:issues|pulls))$/.test(input.source);

/** Only the channel's default repository completes it: `#12`, or an omitted repository; not `engine#12`. */
export function needsDefault(field: Field, value: unknown, args: Readonly<Record<string, unknown>> = {}): boolean {
  if (field.lacksPlace) return field.lacksPlace(value, args);
  if (!namesPlace(field)) return false;
  if (value === undefined) return field.required && standIn(field) !== undefined;
  return isNumberOnly(value);
}

/** Set only by buttons: in no help, form or usage. */
export function isHidden(field: Field): boolean {
  return field.label === '';
}

type ChoiceWords = Words & { readonly label: string; readonly labels?: Readonly<Record<string, string>> };

/** As people write it: the forge uses the British spelling of one state. */
const wordOf = (value: string) => value.replace(/cancelled$/, 'canceled');

/** The words of cards for the forge's own. */
const asShown: Readonly<Record<string, string>> = {
  failed: 'failure',
  failing: 'failure',
  passed: 'success',
  passing: 'success',
  green: 'success',
  red: 'failure',
  running: 'in_progress',
  canceled: 'cancelled',
};

/** `in_progress` is shown as “In progress”. */
function labelOf(value: string): string {
  const words = wordOf(value).replaceAll(/[_-]/g, ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

const drawChoices = (values: readonly string[], labels: Readonly<Record<string, string>> = {}): Choice[] =>
  values.map((value) => ({ value: wordOf(value), label: labels[value] ?? labelOf(value) }));

/** By its word, or as the form or a card calls it. */
function pick<V extends string>(values: readonly V[], text: string, { label, labels = {} }: ChoiceWords): V {
  const word = text.trim().toLowerCase();
  const found =
    values.find((value) => [value, wordOf(value)].some((known) => known.toLowerCase() === word)) ??
    values.find((value) => value === asShown[word] || labels[value]?.toLowerCase() === word);
  if (found !== undefined) return found;
  const list = values.map(wordOf).join(', ');
  if (word === '') throw new UserError(`Choose one for ${label.toLowerCase()}: ${list}.`);
  const typed = word.slice(0, 40);
  const meant = didYouMean(nearest(typed, values.map(wordOf)));
  throw new UserError(`“${typed}” is not one of the options for ${label}: ${list}.${meant}`);
}

/** One of a few words. */
export function choice<const V extends string>(values: readonly [V, ...V[]], options: ChoiceWords): Needed<V> {
  return plainField<V>(options, {
    label: options.label,
    placeholder: values.map(wordOf).join('|'),
    input: { kind: 'choice', choices: drawChoices(values, options.labels) },
    schema: z.enum(values),
    read: (text) => pick(values, text, options),
    show: wordOf,
  });
}

/** Some of a few words, separated by commas. */
export function choices<const V extends string>(
  values: readonly [V, ...V[]],
  options: ChoiceWords,
): Needed<readonly V[]> {
  return plainField<readonly V[]>(options, {
    label: options.label,
    placeholder: `${values.slice(0, 2).join(',')}${values.length > 2 ? ',…' : ''}`,
    input: { kind: 'choice', choices: drawChoices(values, options.labels), many: true },
    schema: z.array(z.enum(values)).min(1).max(values.length).readonly(),
    read: (text) => {
      const words = splitList(text);
      return [...new Set((words.length === 0 ? [''] : words).map((word) => pick(values, word, options)))];
    },
    show: (chosen) => joinList(chosen.map(wordOf)),
  });
}

const yes = /^(|yes|on|true|y|1)$/i;
const no = /^(no|off|false|n|0)$/i;

/** `--name` or `--no-name`; a tick in the form. */
export function toggle(
  options: Words & { readonly label: string; readonly text?: string; readonly also?: string },
): Optional<boolean> {
  const field = plainField<boolean>(options, {
    label: options.label,
    placeholder: 'yes|no',
    typed: 'switch',
    input: { kind: 'checkbox', text: options.text ?? options.label },
    schema: z.boolean(),
    read: (text) => {
      if (yes.test(text.trim())) return true;
      if (no.test(text.trim())) return false;
      throw new UserError(`${options.label} is on or off: write yes or no.`);
    },
    show: (value) => (value ? 'yes' : 'no'),
  });
  return { ...field, ...(options.also !== undefined && { also: options.also }), required: false };
}

const colorForm = /^#?([0-9a-f]{6})$/i;

/** `#rrggbb` */
export function color(words: Words = {}): Needed<string> {
  return plainField(words, {
    label: 'Color',
    placeholder: '#rrggbb',
    input: { kind: 'text', max: 7 },
    schema: z.string().regex(/^#[0-9a-f]{6}$/),
    read: (text) => {
      const [, digits] = colorForm.exec(text.trim()) ?? [];
      if (digits === undefined) throw new UserError('Write the color as #rrggbb, such as #1d76db.');
      return `#${digits.toLowerCase()}`;
    },
    show: (value) => value,
  });
}

const addressMax = 2000;

/** A web address to clone from, without credentials. */
export function address(words: Words = {}): Needed<string> {
  return plainField(words, {
    label: 'Address',
    placeholder: 'https://example.org/owner/repo.git',
    input: { kind: 'text', max: addressMax },
    schema: z.string().min(1).max(addressMax),
    read: (text) => {
      const given = text.trim();
      if (given.length > addressMax || !/^https?:\/\/\S+$/i.test(given) || !URL.canParse(given)) {
        throw new UserError(
          'Write a web address that starts with https:// or http://, such as https://example.org/owner/repo.git.',
        );
      }
      const { username, password } = new URL(given);
      if (username !== '' || password !== '') {
        throw new UserError('Remove the user name and password from the address: the form asks for them separately.');
      }
      return given;
    },
    show: (value) => value,
  });
}

const keyForm =
  /^(ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)\s+([A-Za-z0-9+/]+={0,2})(?:\s+(.*))?$/;
const keyMax = 3000;

/** The key type inside the key must match its prefix. */
function holdsKind(kind: string, base64: string): boolean {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length > 4 + kind.length && bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString('latin1') === kind;
}

/** A public SSH key on one line. */
export function sshKey(words: Words = {}): Needed<string> {
  return plainField(words, {
    label: 'Public key',
    placeholder: 'ssh-ed25519 AAAA… comment',
    typed: 'rest',
    input: { kind: 'text', multiline: true, max: keyMax },
    schema: z.string().min(1).max(keyMax),
    read: (text) => {
      if (/PRIVATE KEY/.test(text)) {
        throw new UserError(
          'This is a private key and no longer secret: replace it. Paste the public key, from the file that ends in .pub.',
        );
      }
      const line = text.trim().replace(/\s+/g, ' ');
      const [, kind, base64] = keyForm.exec(line) ?? [];
      if (kind === undefined || base64 === undefined || line.length > keyMax || !holdsKind(kind, base64)) {
        throw new UserError(
          'This is not a public SSH key. Paste the whole line of the .pub file: ssh-ed25519 AAAA… comment.',
        );
      }
      return line;
    },
    show: (value) => value,
  });
}

/** Carried by buttons and forms; shown neither in help nor in a form. */
export function hidden<Typed, Resolved>(field: Field<Typed, Resolved>): Optional<Typed, Resolved> {
  return { ...field, label: '', typed: 'flag', required: false };
}

interface NumberOptions extends Words {
  readonly label: string;
  readonly min?: number;
  readonly max?: number;
}

/** A whole number. */
export function number(options: NumberOptions): Needed<number> {
  const { label, min = 1, max = Number.MAX_SAFE_INTEGER } = options;
  const range = options.max === undefined ? `from ${min} on` : `from ${min} to ${max}`;
  return plainField(options, {
    label,
    placeholder: 'number',
    input: { kind: 'text', max: 20 },
    schema: z.int().min(min).max(max),
    read: (text) => {
      const digits = text.trim().replace(/^\+/, '');
      const value = Number(digits);
      if (!/^-?\d{1,16}$/.test(digits) || value < min || value > max) {
        throw new UserError(`${label} must be a whole number ${range}.`);
      }
      // Avoid minus zero.
      return value === 0 ? 0 : value;
    },
    show: String,
  });
}

/** Rows per message. */
export const rows = 10;

/** Where the next part of a list starts; carried by the button below it. */
export function offset(): Optional<number> {
  return hidden(number({ label: 'From', min: 0, max: 100_000 }));
}

/** The part of a list starting at `from`, from a server that only has pages. */
export async function readFrom<T>(
  from: number,
  fetch: (paging: { readonly page: number; readonly limit: number }) => Promise<Page<T>>,
): Promise<Stretch<T>> {
  const { items, total, hasMore, note } = await fetch({ page: Math.floor(from / rows) + 1, limit: rows });
  // some servers return the whole list, whatever page is requested
  const start = items.length > rows ? from : from % rows;
  return { items: items.slice(start), from, total, hasMore, note };
}

const Someone = z.union([
  z.object({ slack: z.string().regex(/^[UW][A-Z0-9]{1,30}$/), name: z.string().max(80).optional() }),
  z.object({ login: z.string().regex(/^[A-Za-z0-9._-]{1,100}$/) }),
  z.object({ me: z.literal(true) }),
]);

/** As typed: a Slack person, a forge login, or oneself. */
type Someone = z.infer<typeof Someone>;

const slackForm = /^<@([UW][A-Z0-9]{1,30})(?:\|([^<>|]{0,80}))?>$/;
const loginForm = /^@?([A-Za-z0-9._-]{1,100})$/;

const groupForm = /^<!subteam\^(S[A-Z0-9]{1,30})(?:\|@?([^<>|]{0,80}))?>$/;

function readSomeone(text: string): Someone {
  const word = text.trim();
  if (groupForm.test(word)) throw new UserError('A user group can’t be named here. Use people’s names.');
  const [, slack, name] = slackForm.exec(word) ?? [];
  if (slack !== undefined) return name === undefined || name === '' ? { slack } : { slack, name };
  const [, login] = loginForm.exec(word) ?? [];
  if (login === undefined) {
    throw new UserError(`I can’t find “${word.slice(0, 40)}”. Use a Slack @name or a forge login.`);
  }
  return login.toLowerCase() === 'me' ? { me: true } : { login };
}

function showSomeone(someone: Someone): string {
  if ('me' in someone) return '@me';
  if ('login' in someone) return someone.login;
  return someone.name === undefined ? `<@${someone.slack}>` : `<@${someone.slack}|${someone.name}>`;
}

async function loginOf(someone: Someone, context: Context): Promise<string | undefined> {
  if ('login' in someone) return someone.login;
  if ('slack' in someone) return context.people.loginOf({ team: context.person.team, user: someone.slack });
  return context.login === '' ? undefined : ((await context.people.loginOf(context.person)) ?? context.login);
}

async function nameOf(someone: Someone, context: Context): Promise<string> {
  if ('me' in someone) return 'You';
  if ('login' in someone) return someone.login;
  return `@${someone.name ?? (await context.slack.user(someone.slack))?.name ?? someone.slack}`;
}

/** `ada, ben and cleo` */
const listed = new Intl.ListFormat('en-GB');

/** Reports everyone who is not linked at once. */
async function loginsOf(all: readonly Someone[], context: Context): Promise<string[]> {
  const found = await Promise.all(all.map((someone) => loginOf(someone, context)));
  const strangers = await Promise.all(
    all.filter((_, at) => found[at] === undefined).map((someone) => nameOf(someone, context)),
  );
  if (strangers.length > 0) {
    const lack = strangers.length > 1 ? 'have no linked forge accounts' : 'has no linked forge account';
    throw new UserError(
      `${listed.format(strangers)} ${lack}. Use the forge login instead, or ask them to run /forge signin.`,
    );
  }
  return [...new Set(found.flatMap((login) => login ?? []))];
}

/** One person; the command receives the forge login. */
export function person(words: Words = {}): Needed<Someone, string> {
  return askingField<Someone, string>(words, {
    label: 'Person',
    placeholder: '@person',
    input: { kind: 'external', source: 'people' },
    schema: Someone,
    read: readSomeone,
    show: showSomeone,
    resolve: async (someone, context) => (await loginsOf([someone], context))[0] ?? '',
  });
}

const mostPeopleNamed = 50;

/** A Slack name may contain spaces, so mentions are taken whole; “ada and grace” are two. */
const splitNames = (text: string) =>
  [...new Set(text.match(/<[@!][^<>]*>|[^\s,<]+|</g) ?? [])].filter((part) => !/^(?:and|&|&amp;)$/i.test(part));

/** Several people, separated by spaces or commas; the command receives forge logins without duplicates. */
export function people(words: Words = {}): Needed<readonly Someone[], readonly string[]> {
  return askingField<readonly Someone[], readonly string[]>(words, {
    label: 'People',
    placeholder: '@person,login',
    typed: 'rest',
    input: { kind: 'external', source: 'people', many: true },
    schema: z.array(Someone).min(1).max(mostPeopleNamed).readonly(),
    read: (text) => listOf(splitNames(text), 'people', mostPeopleNamed, 140).map(readSomeone),
    show: (all) => all.map(showSomeone).join(', '),
    resolve: loginsOf,
  });
}

const teamForm = /^[A-Za-z0-9._-]{1,100}\/[A-Za-z0-9._-]{1,255}$/;

const Called = z.union([
  Someone,
  z.object({ team: z.string().regex(teamForm) }),
  z.object({ group: z.string().regex(/^S[A-Z0-9]{1,30}$/), name: z.string().max(80).optional() }),
]);

/** As typed: a person, a team written `org/team`, or a Slack user group. */
type Called = z.infer<typeof Called>;

/** Who was called; a name that was typed without a Slack mention may also be a team's. */
export type Named =
  | { readonly kind: 'person'; readonly name: string; readonly typed: boolean }
  | { readonly kind: 'team'; readonly name: string }
  | { readonly kind: 'group'; readonly name: string; readonly id: string };

function groupIn(word: string): { readonly group: string; readonly name?: string } | undefined {
  const [, group, name] = groupForm.exec(word) ?? [];
  return group === undefined ? undefined : { group, ...(name && { name }) };
}

function readCalled(word: string): Called {
  const team = word.replace(/^@/, '');
  return groupIn(word) ?? (teamForm.test(team) ? { team } : readSomeone(word));
}

function showCalled(called: Called): string {
  if ('team' in called) return called.team;
  if ('group' in called) return `<!subteam^${called.group}${called.name === undefined ? '' : `|@${called.name}`}>`;
  return showSomeone(called);
}

const namedGroup = ({ group, name = group }: { group: string; name?: string | undefined }): Named => ({
  kind: 'group',
  id: group,
  name,
});

async function namesOf(all: readonly Called[], context: Context): Promise<Named[]> {
  const someone = all.flatMap((each) => ('team' in each || 'group' in each ? [] : each));
  const typed = new Set(someone.flatMap((each) => ('login' in each ? each.login : [])));
  const logins = await loginsOf(someone, context);
  return [
    ...logins.map((name) => ({ kind: 'person' as const, name, typed: typed.has(name) })),
    ...all.flatMap((each) => ('team' in each ? [{ kind: 'team' as const, name: each.team }] : [])),
    ...all.flatMap((each) => ('group' in each ? [namedGroup(each)] : [])),
  ];
}

/** People, teams and Slack user groups; a login may turn out to be a team's name. */
export function peopleOrTeams(words: Words = {}): Needed<readonly Called[], readonly Named[]> {
  return askingField<readonly Called[], readonly Named[]>(words, {
    label: 'People',
    placeholder: '@person,login',
    typed: 'rest',
    input: { kind: 'external', source: 'reviewers', many: true },
    schema: z.array(Called).min(1).max(mostPeopleNamed).readonly(),
    read: (text) => listOf(splitNames(text), 'people', mostPeopleNamed, 360).map(readCalled),
    show: (all) => all.map(showCalled).join(', '),
    resolve: namesOf,
  });
}

/** Teams by name, as `org/team`, or by Slack user group. */
export function teams(words: Words = {}): Needed<readonly string[], readonly Named[]> {
  return askingField<readonly string[], readonly Named[]>(words, {
    label: 'Teams',
    placeholder: 'team,team',
    typed: 'rest',
    input: { kind: 'external', source: 'teams', many: true },
    schema: z.array(z.string().min(1).max(360)).min(1).max(mostPeopleNamed).readonly(),
    read: (text) => {
      const names = splitList(text).map((name) => name.replace(/^@/, ''));
      return listOf(
        [...new Set(names)].filter((name) => name !== ''),
        'teams',
        mostPeopleNamed,
        360,
      );
    },
    show: joinList,
    resolve: (all) =>
      all.map((word) => {
        const group = groupIn(word);
        return group ? namedGroup(group) : { kind: 'team', name: word };
      }),
  });
}

const Name = z.string().min(1).max(100);
const Written = { owner: Name.optional(), repo: Name.optional() };
const exactId = z.int().min(1);

const whichRepository =
  'Which repository? Write owner/repo, or set this channel’s default: /forge repo use owner/repo.';

const mostNamed = 50;
const mostOffered = 5;

/** `engine` without an owner: the channel's owner's, or the only one of that name this person sees. */
async function onlyNamed(name: string, own: string | undefined, { api, agent }: Context): Promise<RepositoryRef> {
  // an agent learns no names outside its limits
  if (agent) throw new UserError(`Which repository? Write owner/${name}.`);
  const page = await possible(api.repos.search({ query: { q: name, limit: mostNamed } }));
  if (!page && own !== undefined) return { owner: own, repo: name };
  const found = (page?.items ?? [])
    .map(({ full_name }) => splitFullName(full_name))
    .filter(({ repo }) => repo.toLowerCase() === name.toLowerCase());
  const [first] = found;
  const near = found.find(({ owner }) => owner.toLowerCase() === own?.toLowerCase());
  const only = found.length === 1 && !page?.hasMore ? first : undefined;
  const meant = near ?? only;
  if (meant) return meant;
  if (!first) throw new UserError(`I can’t find a repository named ${name}. Write owner/${name}.`);
  throw new SeveralRepositories(name, found.slice(0, mostOffered));
}

/** Fills in missing parts from the channel's default repository. */
async function complete(written: WrittenRepository | undefined, context: Context): Promise<RepositoryRef> {
  const { owner, repo } = written ?? {};
  if (owner !== undefined && repo !== undefined) return { owner, repo };
  const { person, channel, store } = context;
  const preset =
    channel === undefined ? undefined : await store.channels.defaultRepository({ team: person.team, channel });
  if (repo !== undefined && repo.toLowerCase() !== preset?.name.toLowerCase())
    return onlyNamed(repo, preset?.owner, context);
  if (preset === undefined) throw new UserError(whichRepository);
  return { owner: preset.owner, repo: preset.name };
}

const an = (what: string) => `${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}`;

function unreadable(text: string, webUrl: string, what: string, forms: string): UserError {
  if (isAddress(text)) {
    return new UserError(`That address is not ${an(what)} on ${webUrl}. Write ${forms}.`);
  }
  return new UserError(`“${text.slice(0, 60)}” is not ${an(what)}. Write ${forms}.`);
}

/** As typed, or the channel's default. */
export function repository(words: Words = {}): Needed<WrittenRepository, RepositoryRef> {
  return askingField<WrittenRepository, RepositoryRef>(words, {
    label: 'Repository',
    placeholder: 'owner/repo',
    input: { kind: 'external', source: 'repositories' },
    schema: z.object(Written),
    read: (text, { webUrl }) => {
      const word = text.trim();
      if (word === '') return {};
      const found = readRepository(word, webUrl);
      if (!found) throw unreadable(word, webUrl, 'repository', 'owner/repo');
      return found;
    },
    show: (value) => showWritten(value),
    resolve: complete,
  });
}

export type WrittenItem = WrittenRepository & { readonly index: number };

function item(words: Words, label: string, what: string, source: ItemSource): Needed<WrittenItem, ItemRef> {
  return askingField<WrittenItem, ItemRef>(words, {
    label,
    placeholder: 'owner/repo#12',
    input: { kind: 'external', source },
    schema: z.object({ ...Written, index: exactId }),
    read: (text, { webUrl }) => {
      const word = text.trim();
      const found = readItem(word, webUrl);
      if (!found) throw unreadable(word, webUrl, what, 'owner/repo#12, #12 or its web address');
      return found;
    },
    show: (value) => `${showWritten(value)}#${value.index}`,
    resolve: async (value, context) => ({ ...(await complete(value, context)), index: value.index }),
  });
}

/** `only`: the state of the items its menu offers; others can still be typed. */
interface ItemWords extends Words {
  readonly only?: 'open' | 'closed';
}

export function issue({ only, ...words }: ItemWords = {}): Needed<WrittenItem, ItemRef> {
  return item(words, 'Issue', 'issue', only ? `${only}-issues` : 'issues');
}

export function pull({ only, ...words }: ItemWords = {}): Needed<WrittenItem, ItemRef> {
  return item(words, 'Pull request', 'pull request', only ? `${only}-pulls` : 'pulls');
}

export function issueOrPull(words: Words = {}): Needed<WrittenItem, ItemRef> {
  return item(words, 'Issue or pull request', 'issue or pull request', 'items');
}

type WrittenRun = WrittenRepository & { readonly run: number };

export function run(words: Words = {}): Needed<WrittenRun, RunRef> {
  return askingField<WrittenRun, RunRef>(words, {
    label: 'Workflow run',
    placeholder: 'owner/repo#123',
    input: { kind: 'external', source: 'runs' },
    schema: z.object({ ...Written, run: exactId }),
    read: (text, { webUrl }) => {
      const word = text.trim();
      const found = readRun(word, webUrl);
      if (!found) throw unreadable(word, webUrl, 'workflow run', 'owner/repo#123 or its web address');
      return found;
    },
    show: (value) => `${showWritten(value)}#${value.run}`,
    resolve: async (value, context) => ({ ...(await complete(value, context)), run: value.run }),
  });
}

/** Fingerprints of the values a form showed: unchanged fields are not sent, and changes by others are noticed. */
export type Seen = Readonly<Record<string, string>>;

const Prints = z.record(z.string().max(40), z.string().max(20)).readonly();

/** The fingerprints in a form's values; empty if it carried none. */
export const seenIn = (values: Readonly<Record<string, unknown>>): Seen => Prints.safeParse(values['seen']).data ?? {};

export function seenField(): Optional<Seen> {
  return hidden(
    plainField<Seen>(
      {},
      {
        label: 'Seen',
        placeholder: 'seen',
        input: { kind: 'text' },
        schema: Prints,
        read: () => ({}),
        show: () => '',
      },
    ),
  );
}

// As forms return text: normalized line ends, nothing unprintable, trimmed.
const tidy = (text: string) =>
  text
    .replace(/(?![\t\n\r])\p{Cc}/gu, '')
    .replace(/\r\n?/g, '\n')
    .trim();

function plain(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return tidy(value);
  return Array.isArray(value) ? value.map(plain).sort().join('\n') : JSON.stringify(value);
}

export function printOf(value: unknown): string {
  const text = plain(value);
  return text === '' ? '' : createHash('sha256').update(text).digest('base64url').slice(0, 10);
}

export function printsOf(values: Readonly<Record<string, unknown>>): Seen {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, printOf(value)]));
}

const mostValues = 50;
/** Gitea's limit for a label name. */
const labelMax = 50;

/** Labels by name, separated by commas. */
export function labels(words: Words = {}): Needed<readonly string[]> {
  return plainField<readonly string[]>(words, {
    label: 'Labels',
    placeholder: 'bug,docs',
    typed: 'rest',
    input: { kind: 'external', source: 'labels', many: true },
    schema: z.array(z.string().min(1).max(labelMax)).min(1).max(mostValues).readonly(),
    read: (text) => listOf(splitList(text), 'labels', mostValues, labelMax),
    show: joinList,
  });
}

const Milestone = z.union([z.object({ id: z.int().min(1) }), z.object({ title: z.string().min(1).max(255) })]);
export type Milestone = z.infer<typeof Milestone>;

/** By title, or by `#id`: titles may be longer than a menu's value. */
export function milestone(words: Words = {}): Needed<Milestone> {
  return plainField<Milestone>(words, {
    label: 'Milestone',
    placeholder: 'milestone',
    input: { kind: 'external', source: 'milestones' },
    schema: Milestone,
    read: (text) => {
      const title = text.trim().replace(/\s+/g, ' ');
      if (/^#[1-9]\d{0,14}$/.test(title)) return { id: Number(title.slice(1)) };
      if (title === '' || title.length > 255)
        throw new UserError('Write the milestone’s title, at most 255 characters.');
      return { title };
    },
    show: (value) => ('id' in value ? `#${value.id}` : value.title),
  });
}

// What git does not allow in a branch name.
const badRef = /[\s~^:?*[\\\p{Cc}]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\.lock$/u;

export function branch(words: Words = {}): Needed<string> {
  return plainField(words, {
    label: 'Branch',
    placeholder: 'branch',
    input: { kind: 'external', source: 'branches' },
    schema: z.string().min(1).max(255),
    read: (text) => {
      const name = text.trim();
      if (name === '' || name.length > 255 || badRef.test(name)) {
        throw new UserError(`“${name.slice(0, 60)}” is not a valid branch name. Write one such as main.`);
      }
      return name;
    },
    show: (value) => value,
  });
}

/** `release/*`, in the forge's syntax: the forge does the matching. */
export function glob(words: Words & { readonly label: string }): Needed<string> {
  return plainField(words, {
    label: words.label,
    placeholder: 'release/*',
    input: { kind: 'text', max: 200 },
    schema: z.string().min(1).max(200),
    read: (text) => {
      const pattern = text.trim();
      if (pattern === '' || pattern.length > 200 || /[\s()\p{Cc}]/u.test(pattern)) {
        throw new UserError(
          `${words.label} is a pattern without spaces: write ${asCode('release/*')} or ${asCode('acme/*')}.`,
        );
      }
      return pattern;
    },
    show: (value) => value,
  });
}

interface TextOptions extends Words {
  readonly label: string;
  readonly min?: number;
  readonly max?: number;
}

/** Slack's limit for one input. */
const inputMax = 3000;
const bodyMax = 30_000;

const unprintable = /(?![\t\n\r])\p{Cc}/gu;

function boundLength(text: string, { label, min = 1, max = 255 }: TextOptions): string {
  if (text === '') throw new UserError(`${label} is empty: write some text.`);
  if (text.length < min) throw new UserError(`${label} is too short: use at least ${min} characters.`);
  if (text.length > max) {
    throw new UserError(`${label} is too long: ${text.length} characters, and the limit is ${max}.`);
  }
  return text;
}

const oneLine = (text: string) =>
  text
    .replace(unprintable, '')
    .replace(/\s*[\r\n]+\s*/g, ' ')
    .trim();
const manyLines = (text: string) => text.replace(unprintable, '').replace(/\r\n?/g, '\n').trim();

const mostPeople = 50;

/** Uses people's forge logins, so that the forge notifies them; people who are not linked keep their Slack name. */
async function withLogins(text: string, { people, person, slack }: Context): Promise<string> {
  const users = [...new Set([...text.matchAll(personMention)].map(([, user = '']) => user))].slice(0, mostPeople);
  const found = users.map(async (user) => {
    const login = await people.loginOf({ team: person.team, user });
    return [user, { login, name: login ?? (await slack.user(user).catch(() => undefined))?.name }] as const;
  });
  const known = new Map(await Promise.all(found));
  return text.replace(personMention, (whole, user: string, label: string | undefined) => {
    const name = known.get(user)?.login ?? (label || known.get(user)?.name);
    return name === undefined ? whole : `@${name}`;
  });
}

function lineField(options: TextOptions, typed: 'word' | 'rest'): Needed<string> {
  const max = options.max ?? 255;
  return askingField(options, {
    label: options.label,
    placeholder: options.label.toLowerCase(),
    typed,
    input: { kind: 'text', max: Math.min(max, inputMax) },
    schema: z.string().min(1).max(max),
    prose: true,
    read: (text) => boundLength(oneLine(text), options),
    show: (value) => value,
    resolve: withLogins,
  });
}

/** One word, or several in quotes. */
export function text(options: TextOptions): Needed<string> {
  return lineField(options, 'word');
}

/** The rest of the line: a title, a query. */
export function rest(options: TextOptions): Needed<string> {
  return lineField(options, 'rest');
}

/** All remaining text, over several lines, including everything after the command's first line break. */
export function body(options: TextOptions): Needed<string> {
  const max = options.max ?? bodyMax;
  return askingField(options, {
    label: options.label,
    placeholder: options.label.toLowerCase(),
    typed: 'rest',
    input: { kind: 'text', multiline: true, max },
    schema: z.string().min(1).max(max),
    prose: true,
    read: (words) => boundLength(manyLines(words), { ...options, max }),
    show: (value) => value,
    resolve: withLogins,
  });
}

/** Only a form asks for it; sealed before it is stored anywhere. */
export function secret(options: TextOptions): Needed<string> {
  const max = Math.min(options.max ?? 1000, inputMax);
  return plainField(options, {
    label: options.label,
    placeholder: options.label.toLowerCase(),
    input: { kind: 'text', max },
    secret: true,
    schema: z.string().min(1).max(max),
    read: (value) => boundLength(value.trim(), { ...options, max }),
    show: (value) => value,
  });
}

const day = 86_400_000;
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const iso = /^(\d{4})-(\d{2})-(\d{2})$/;
const ahead = /^(?:in\s+|\+)?(\d{1,3})\s*(d|days?|w|weeks?)$/;
const back = /^(?:-(\d{1,3})\s*(d|days?|w|weeks?)|(\d{1,3})\s*(d|days?|w|weeks?)\s+ago)$/;

const show = (time: number) => new Date(time).toISOString().slice(0, 10);
const days = (amount: string | undefined, unit: string | undefined) =>
  Number(amount) * (unit?.startsWith('w') === true ? 7 : 1) * day;

function weekdayOf(word: string): number {
  return word.length < 2 ? -1 : weekdays.findIndex((name) => name.startsWith(word));
}

/** Midnight of the person's day, counted as if their clock were UTC. */
function startOfToday({ now, zone = 0 }: Reading): number {
  return Math.floor(localTime(zone, now.getTime()) / day) * day;
}

function exact(text: string): string | undefined {
  const [, year, month, date] = iso.exec(text) ?? [];
  if (year === undefined) return undefined;
  const time = Date.UTC(Number(year), Number(month) - 1, Number(date));
  const real = Number(year) >= 1970 && show(time) === text;
  if (!real) throw new UserError(`${text} is not a valid date. Write it as 2026-12-01.`);
  return text;
}

/** A weekday never means today; `next` means the following week, which starts on Monday. */
function weekday(words: string, today: number, past: boolean): number | undefined {
  const [, next, name] = /^(next[\s-]+)?([a-z]+)$/.exec(words) ?? [];
  const present = new Date(today).getUTCDay();
  const sinceMonday = (present + 6) % 7;
  if (next !== undefined && name === 'week') return today + (7 - sinceMonday) * day;
  const wanted = weekdayOf(name ?? '');
  if (wanted === -1) return undefined;
  if (next !== undefined) return today + (7 - sinceMonday + ((wanted + 6) % 7)) * day;
  const distance = (wanted - present + 7) % 7 || 7;
  return today + (past ? distance - 7 || -7 : distance) * day;
}

function relative(words: string, today: number, past: boolean): number | undefined {
  if (words === 'today') return today;
  if (words === 'tomorrow' || words === 'tom') return today + day;
  if (words === 'yesterday') return today - day;
  const forward = ahead.exec(words);
  if (forward) return today + days(forward[1], forward[2]);
  const backward = back.exec(words);
  if (backward) return today - days(backward[1] ?? backward[3], backward[2] ?? backward[4]);
  return weekday(words, today, past);
}

/** `tomorrow`, `fri`, `next mon`, `+3d`, `2026-12-01` as YYYY-MM-DD in the person's time zone. */
function readDate(text: string, reading: Reading, past: boolean): string {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const today = startOfToday(reading);
  const time = words.length > 30 ? undefined : relative(words, today, past);
  const found = exact(words) ?? (time === undefined ? undefined : show(time));
  if (found === undefined) {
    const examples = past ? 'yesterday, mon' : 'tomorrow, fri, next mon, +3d';
    throw new UserError(`I can’t read that date. Write ${examples} or 2026-12-01.`);
  }
  if (!past && found < show(today)) {
    throw new UserError(`${found} is in the past. Write a later date, such as tomorrow, fri or +3d.`);
  }
  return found;
}

interface DurationOptions extends Words {
  readonly label: string;
  /** In seconds. */
  readonly min?: number;
  readonly max?: number;
}

const year = 365 * 86_400;

/** Reads back as the same number of seconds. */
const exactly = (seconds: number): string => showDuration(seconds, 4);

/** Seconds, from `1h30m`, `90m`, `1.5h`, `2d`. */
export function duration(options: DurationOptions): Needed<number> {
  const { label, min = 1, max = year } = options;
  return plainField(options, {
    label,
    placeholder: '1h30m',
    input: { kind: 'text', max: 40 },
    schema: z.int().min(min).max(max),
    read: (text) => {
      const seconds = readDuration(text);
      if (seconds === undefined) throw new UserError('I can’t read that duration. Write 1h30m, 90m, 1.5h or 2d.');
      if (seconds < min) throw new UserError(`${label} is too short: write at least ${exactly(min)}.`);
      if (seconds > max) throw new UserError(`${label} is too long: write at most ${exactly(max)}.`);
      return seconds;
    },
    show: exactly,
  });
}

/** A day as YYYY-MM-DD in the person's time zone; `past` also takes past days, and `mon` then means the last Monday. */
export function date(options: Words & { readonly label: string; readonly past?: boolean }): Needed<string> {
  return plainField(options, {
    label: options.label,
    placeholder: options.past === true ? '2026-12-01|yesterday|mon' : '2026-12-01|tomorrow|fri',
    typed: 'rest',
    input: { kind: 'date' },
    schema: z.iso.date(),
    read: (text, reading) => readDate(text, reading, options.past === true),
    show: (value) => value,
  });
}
