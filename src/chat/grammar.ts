import { UserError } from '../errors.js';
import type { CommandList, Group } from './catalog.js';
import type { AnyCommand } from './command.js';
import type { Field, Reading } from './field.js';
import { standIn } from './fields/make.js';
import { dashes, takeFlags } from './flags.js';
import { greetings, rephrase, thanks } from './phrases.js';
import { readItem, readPage } from './references.js';
import { withoutMentions } from './slack-text.js';
import { type Token, tokenize } from './tokens.js';
import { topicNamed } from './topics.js';
import { fieldsOf } from './usage.js';
import { isLong, readNamed, readWords } from './words.js';

export type Parsed =
  | {
      readonly kind: 'command';
      readonly command: AnyCommand;
      /** Typed values by field name. */
      readonly args: Readonly<Record<string, unknown>>;
      /** Required fields without a value: the form asks for them. */
      readonly missing: readonly string[];
      readonly dryRun: boolean;
    }
  | { readonly kind: 'help'; readonly command?: AnyCommand; readonly group?: Group }
  | { readonly kind: 'thanks' }
  | { readonly kind: 'unknown'; readonly words: string; readonly nearest: readonly string[] };

const longest = 40_000;

/** The text after the slash command, as Slack sends it. Throws UserError with an example. */
export function parseCommand(text: string, catalog: CommandList, reading: Reading): Parsed {
  const typed = text.trim().replace(/^\/[\w-]+(\s+|$)/, '');
  if (typed.length > longest) throw new UserError(`This command is too long: use at most ${longest} characters.`);
  const said = typed.toLowerCase().replace(/[!.\s]+$/, '');
  if (thanks.includes(said)) return { kind: 'thanks' };
  if (greetings.includes(said)) return { kind: 'help' };
  const source = rephrase(typed, catalog) ?? typed;
  const tokens = tokenize(source);
  const leading = tokens.findIndex((token) => token.literal || !leadingFlag.test(token.value));
  const start = leading === -1 ? tokens.length : leading;
  const words = tokens.slice(start).map((token) => token.value);
  const found = catalog.find(words) ?? shown(words[0] ?? '', catalog, reading);
  if (!found) return readHelp(words, catalog);
  const left = [...tokens.slice(0, start), ...tokens.slice(start + found.used)];
  try {
    return readCommand(source, found.command, left, reading);
  } catch (error) {
    throw error instanceof UserError ? withExample(error, found.command, reading.slash) : error;
  }
}

const shows = { issue: 'issue show', comment: 'issue show', pull: 'pr show', run: 'run show', repository: 'feed repo' };

/** A lone address or number shows the item it names. */
function shown(word: string, catalog: CommandList, { webUrl }: Reading): ReturnType<CommandList['find']> {
  const page = readPage(word, webUrl);
  const kind = page?.kind ?? (/#/.test(word) && readItem(word, webUrl) ? 'issue' : undefined);
  const command = kind !== undefined && kind in shows ? catalog.get(shows[kind as keyof typeof shows]) : undefined;
  return command && { command, used: 0 };
}

const helpWord = new RegExp(`^(?:-|${dashes})?help$`, 'i');
const dryRunWord = new RegExp(`^${dashes}dry-?run$`, 'i');
const leadingFlag = new RegExp(`^${dashes}(?:dry-?run|help)$`, 'i');

function readHelp(words: readonly string[], catalog: CommandList): Parsed {
  const asked = words.some((word) => helpWord.test(word));
  const topic = words.filter((word) => !helpWord.test(word) && !dryRunWord.test(word));
  if (topic.length === 0) return { kind: 'help' };
  const named = asked && topic.length === 1 ? topicNamed(topic[0] ?? '', catalog) : undefined;
  if (named) return { kind: 'help', group: named };
  const command = asked ? catalog.find(topic)?.command : undefined;
  if (command) return { kind: 'help', command };
  const group = catalog.groups.find((each) => each.noun === topic[0]?.toLowerCase());
  if (group && (asked || topic.length === 1)) return { kind: 'help', group };
  const said = withoutMentions(topic.join(' ')).slice(0, 80);
  return { kind: 'unknown', words: said, nearest: catalog.nearest(said) };
}

function readCommand(source: string, command: AnyCommand, tokens: readonly Token[], reading: Reading): Parsed {
  if (command.form === 'only') return readNameOnly(command, tokens);
  const fields = fieldsOf(command);
  const { head, tail } = splitLines(
    source,
    tokens,
    fields.some(([, field]) => isLong(field)),
  );
  const { given, words, dryRun, help } = takeFlags(head, fields, reading);
  if (help) return { kind: 'help', command };
  const args: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const value = given.get(name);
    if (value !== undefined) args[name] = readNamed(name, field, value, reading);
  }
  Object.assign(args, readWords({ source, words, tail, given }, fields, reading));
  return { kind: 'command', command, args, missing: complete(args, fields), dryRun };
}

/** The text after the name may be a secret, so it is not read, kept or repeated. */
function readNameOnly(command: AnyCommand, tokens: readonly Token[]): Parsed {
  if (tokens.some(({ value }) => helpWord.test(value))) return { kind: 'help', command };
  const dryRun = tokens.some(({ value }) => dryRunWord.test(value));
  return { kind: 'command', command, args: {}, missing: [], dryRun };
}

/** If a long text may follow, everything below the first line belongs to it, flags and quotes included. */
function splitLines(source: string, tokens: readonly Token[], long: boolean): { head: readonly Token[]; tail: string } {
  const cut = long ? tokens.findIndex((token) => token.opensLine) : -1;
  const first = tokens[cut];
  return first ? { head: tokens.slice(0, cut), tail: source.slice(first.start) } : { head: tokens, tail: '' };
}

/** Missing fields either have a default (the channel's repository) or are asked for: returns the latter. */
function complete(args: Record<string, unknown>, fields: readonly (readonly [string, Field])[]): string[] {
  const missing: string[] = [];
  for (const [name, field] of fields) {
    if (!field.required || args[name] !== undefined) continue;
    const value = standIn(field);
    if (value === undefined) missing.push(name);
    else args[name] = value;
  }
  return missing;
}

function withExample(error: UserError, command: AnyCommand, slash: string): UserError {
  const example = command.examples[0];
  const lines = [error.message, ...(example === undefined ? [] : [`Example: ${slash} ${example}`])];
  return new UserError(lines.join('\n'), { ...(error.field !== undefined && { field: error.field }), cause: error });
}
