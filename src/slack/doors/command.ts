import { jobIdOf } from '../../chat/act-job.js';
import { refuseRole } from '../../chat/admit.js';
import { sealArgs } from '../../chat/arguments.js';
import type { AnyCommand } from '../../chat/command.js';
import { explain } from '../../chat/explain.js';
import { parseCommand } from '../../chat/grammar.js';
import { commandHelp, overview, unknownWord } from '../../chat/help.js';
import type { Message } from '../../view/message.js';
import { type DoorDeps, personOf, readingOf, refusalOf } from '../door-deps.js';
import type { SlashCommand } from '../payloads.js';
import { openForm } from './open-form.js';

/** Parse and admit from memory; a field missing opens the form at once, else the work is stored and its answer comes later. */
export async function onCommand(deps: DoorDeps, payload: SlashCommand): Promise<Message | undefined> {
  const person = personOf(deps, payload.user_id);
  const role = deps.services.roles.of(person);
  const reader = { slash: deps.slash, role, lacks: deps.lacks };
  try {
    const parsed = parseCommand(payload.text, deps.catalogue, await readingOf(deps, payload.user_id), {
      slash: deps.slash,
    });
    if (parsed.kind === 'help') {
      if (parsed.command) return commandHelp(parsed.command, { slash: deps.slash });
      return overview(deps.catalogue, { ...reader, group: parsed.group });
    }
    if (parsed.kind === 'unknown') return unknownWord(parsed, deps.catalogue, reader);
    const { command, args, missing, dryRun } = parsed;
    refuseRole(command, role);
    const back = {
      channel: payload.channel_id,
      ...(payload.response_url ? { responseUrl: payload.response_url } : {}),
    };
    if (missing.length > 0 || (!dryRun && opensForm(command, args))) {
      const meta = dryRun ? { ...back, dryRun: true as const } : back;
      await openForm(deps, { command, user: payload.user_id, triggerId: payload.trigger_id, args, meta });
      return undefined;
    }
    const outcome = await deps.accept(
      {
        v: 1,
        kind: 'command',
        command: command.name,
        args: sealArgs(command, args, person, deps.services.store.seal),
        dryRun,
        source: 'typed',
        person,
        channel: payload.channel_id,
        answer: payload.response_url ? { responseUrl: payload.response_url } : {},
        acceptedAt: deps.services.now().getTime(),
      },
      jobIdOf('c', payload.trigger_id),
    );
    return refusalOf(outcome);
  } catch (error) {
    return explain(error, { slash: deps.slash, log: deps.services.log });
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
