import { jobIdOf } from '../../chat/act-job.js';
import { refuseRole } from '../../chat/admit.js';
import { sealArgs } from '../../chat/arguments.js';
import type { AnyCommand } from '../../chat/command.js';
import { explain } from '../../chat/explain.js';
import { parseCommand } from '../../chat/grammar.js';
import { commandHelp, overview, unknownWord } from '../../chat/help.js';
import { type Message, say } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { type Hall, personOf, readingOf, refusalOf } from '../hall.js';
import type { SlashCommand } from '../payloads.js';
import { openForm } from './open-form.js';

/** Parse and admit from memory; a field missing opens the form at once, else the work is stored and then said to be. */
export async function onCommand(hall: Hall, payload: SlashCommand): Promise<Message | undefined> {
  const person = personOf(hall, payload.user_id);
  const role = hall.house.roles.of(person);
  const reader = { slash: hall.slash, role, lacks: hall.lacks };
  try {
    const parsed = parseCommand(payload.text, hall.catalogue, await readingOf(hall, payload.user_id), {
      slash: hall.slash,
    });
    if (parsed.kind === 'help') {
      if (parsed.command) return commandHelp(parsed.command, { slash: hall.slash });
      return overview(hall.catalogue, { ...reader, group: parsed.group });
    }
    if (parsed.kind === 'unknown') return unknownWord(parsed, hall.catalogue, reader);
    const { command, args, missing, dryRun } = parsed;
    refuseRole(command, role);
    const back = {
      channel: payload.channel_id,
      ...(payload.response_url ? { responseUrl: payload.response_url } : {}),
    };
    if (missing.length > 0 || (!dryRun && opensForm(command, args))) {
      const meta = dryRun ? { ...back, dryRun: true as const } : back;
      await openForm(hall, { command, user: payload.user_id, triggerId: payload.trigger_id, args, meta });
      return undefined;
    }
    const outcome = await hall.accept(
      {
        v: 1,
        kind: 'command',
        command: command.name,
        args: sealArgs(command, args, person, hall.house.store.seal),
        dryRun,
        source: 'typed',
        person,
        channel: payload.channel_id,
        answer: payload.response_url ? { responseUrl: payload.response_url } : {},
        acceptedAt: hall.house.now().getTime(),
      },
      jobIdOf('c', payload.trigger_id),
    );
    return refusalOf(outcome) ?? acceptedWord(command.name);
  } catch (error) {
    return explain(error, { slash: hall.slash, log: hall.house.log });
  }
}

/** Nothing was typed, or only which thing is meant and not what becomes of it. */
function opensForm(command: AnyCommand, args: Readonly<Record<string, unknown>>): boolean {
  if (command.form === undefined) return false;
  if (command.form === 'only') return true;
  const given = Object.keys(args);
  if (command.form === 'always') return given.length === 0;
  return given.every((name) => command.fields[name]?.required === true);
}

const acceptedWords = new Map<string, Message>();

/** The same words for every command of the name; most of the traffic ends here. */
function acceptedWord(name: string): Message {
  const known = acceptedWords.get(name) ?? say(md`Accepted: ${code(name)}.`);
  acceptedWords.set(name, known);
  return known;
}
