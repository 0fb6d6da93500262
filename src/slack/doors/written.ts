import { z } from 'zod';
import { type AnswerTo, jobIdOf } from '../../chat/act-job.js';
import { formButton, formButtonIfFits } from '../../chat/actions.js';
import type { AnyCommand } from '../../chat/command.js';
import { type Parsed, parseCommand } from '../../chat/grammar.js';
import { UserError } from '../../errors.js';
import { actions, section } from '../../view/blocks.js';
import { type Message, message } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { type DoorDeps, personOf, readingOf } from '../door-deps.js';
import { boundToThread, itemOfThread } from '../thread-item.js';
import { onTyped } from './command.js';

const id = z.string().min(1).max(64);

/** A message to the bot, or one that mentions it. */
export const Written = z.object({
  channel: id,
  channel_type: z.string().max(20).optional(),
  ts: z.string().max(64),
  thread_ts: z.string().max(64).optional(),
  text: z.string().max(200_000).default(''),
  user: id.optional(),
  /** The author's workspace, if the channel is shared. */
  user_team: id.optional(),
  bot_id: z.string().max(64).optional(),
  subtype: z.string().max(40).optional(),
  edited: z.unknown().optional(),
});
export type Written = z.infer<typeof Written>;

const Inner = z.object({
  ts: z.string().max(64),
  thread_ts: z.string().max(64).optional(),
  text: z.string().max(200_000).default(''),
  user: id.optional(),
  bot_id: z.string().max(64).optional(),
  edited: z.object({ ts: z.string().max(64) }).optional(),
});

/** A message, or the edit or deletion of one. */
export const Changed = Written.extend({ message: Inner.optional(), previous_message: Inner.optional() });
export type Changed = z.infer<typeof Changed>;
type ByPerson = Written & { readonly user: string };

type Say = (
  to: {
    readonly person: ReturnType<typeof personOf>;
    readonly channel: string;
    readonly answer: AnswerTo;
  },
  words: Message,
) => Promise<void>;

export interface WrittenOptions {
  readonly deps: DoorDeps;
  /** The bot's own user id. */
  readonly bot: string;
  readonly say: Say;
}

const isDirect = ({ channel, channel_type }: Written) => channel_type === 'im' || channel.startsWith('D');

/** Mentions and direct messages are handled like slash commands; a mention is answered in its thread. */
export function createWritten({ deps, bot, say }: WrittenOptions) {
  /** In a direct message Slack may send a mention in addition to the message itself. */
  async function take(given: Written, direct: boolean): Promise<void> {
    const written = byPerson(given, bot, deps.team);
    if (!written || isDirect(written) !== direct) return;
    const { user, channel, ts, thread_ts: thread } = written;
    // A direct message is private, so its answer stands in the conversation itself.
    const root = direct ? thread : (thread ?? ts);
    const answer: AnswerTo = { ...(root && { threadTs: root }), ...(direct && { posted: true }) };
    const said = await onTyped(deps, {
      user,
      channel,
      source: 'written',
      answer,
      id: jobIdOf('w', channel, ts),
      parse: () => read(written),
      openForm: async (command, args, dryRun) => offerForm(command, args, dryRun),
    });
    if (said) await say({ person: personOf(deps, user), channel, answer }, said);
  }

  async function read({ text, channel, thread_ts: thread, user }: ByPerson): Promise<Parsed> {
    const words = text.replaceAll(`<@${bot}>`, ' ').trim();
    const reading = await readingOf(deps, user);
    const parse = (line: string) => parseCommand(line, deps.catalog, reading);
    const item = thread && (await itemOfThread(deps.services.store, { team: deps.team, channel }, thread));
    const parsed = item ? aboutItem(words, item.url, parse) : parse(words);
    return item && parsed.kind === 'command' ? { ...parsed, args: boundToThread(parsed.args, item) } : parsed;
  }

  return {
    mention: (written: Written) => take(written, false),
    message: (written: Written) => take(written, true),
  };
}

/** People also write with a file, or from a thread to its channel. */
const writtenSubtypes: readonly (string | undefined)[] = [undefined, 'file_share', 'thread_broadcast'];

/** Bots are never answered, edits run nothing, and people of other workspaces have no account here. */
export function byPerson(written: Written, bot: string, team: string): ByPerson | undefined {
  const { user, user_team, bot_id, subtype, edited } = written;
  if (user === undefined || user === bot || bot_id !== undefined || !writtenSubtypes.includes(subtype))
    return undefined;
  if (edited !== undefined || (user_team !== undefined && user_team !== team)) return undefined;
  return { ...written, user };
}

/** In an item's thread its number may be omitted: `close`, `assign @grace`. */
function aboutItem(line: string, item: string, parse: (line: string) => Parsed): Parsed {
  const words = line.split(/\s+/);
  const whole = attempt(() => parse(line));
  if (isComplete(whole)) return whole;
  for (const used of [2, 1]) {
    const rest = line
      .split(/(\s+)/)
      .slice(2 * used - 1)
      .join('');
    const filled = attempt(() => parse(`${words.slice(0, used).join(' ')} ${item}${rest}`));
    if (words.length >= used && isComplete(filled)) return filled;
  }
  if (whole instanceof UserError) throw whole;
  return whole;
}

function attempt(parse: () => Parsed): Parsed | UserError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

const isComplete = (parsed: Parsed | UserError): parsed is Parsed =>
  !(parsed instanceof UserError) &&
  (parsed.kind === 'help' || (parsed.kind === 'command' && parsed.missing.length === 0));

/** Slack opens a form only after a click. */
function offerForm(command: AnyCommand, args: Readonly<Record<string, unknown>>, dryRun: boolean): Message {
  if (dryRun) throw new UserError(`${command.name} needs more details for a dry run: write them all on one line.`);
  const form = { text: 'Open the form', again: command };
  return message({
    blocks: [
      section(md`${code(command.name)} needs a few details.`),
      actions(formButtonIfFits({ ...form, args }) ?? formButton({ ...form, args: {} })),
    ],
  });
}
