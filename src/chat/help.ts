import { commandHelpCard, helpCard } from '../view/cards/help.js';
import { type Message, message, say } from '../view/message.js';
import { code, join, md } from '../view/text.js';
import type { CommandList, Group } from './catalogue.js';
import type { AnyCommand } from './command.js';
import type { Role } from './context.js';
import type { Field } from './field.js';
import { atLeast } from './roles.js';
import { flagName, formFields, omissible, typedFields, usage } from './usage.js';

export { catalogueJson, table } from './tables.js';

type HelpGroup = Parameters<typeof helpCard>[0]['groups'][number];
type HelpEntry = HelpGroup['entries'][number];

interface Reader {
  readonly slash: string;
  readonly role: Role;
  /** What this server is known to lack. */
  lacks(command: AnyCommand): boolean;
  /** Only this noun's commands, each with its usage. */
  readonly group?: Group | undefined;
}

const listed = (group: Group) => group.commands.filter((command) => command.hidden !== true);
const entry = (command: AnyCommand): HelpEntry => ({ usage: usage(command), summary: command.summary });

/** One line per noun; single commands with their summary. */
function lines(groups: readonly Group[]): HelpGroup[] {
  const nouns = groups.filter((group) => group.commands.length > 1);
  const singles = groups.filter((group) => group.commands.length === 1).flatMap((group) => group.commands.map(entry));
  const verbs = (group: Group) =>
    group.commands.map((command) => command.name.slice(group.noun.length).trim() || group.noun).join(', ');
  return [
    ...(singles.length > 0 ? [{ name: 'Commands', entries: singles }] : []),
    ...(nouns.length > 0
      ? [
          {
            name: 'By subject',
            entries: nouns.map((group) => ({ usage: `help ${group.noun}`, summary: verbs(group) })),
          },
        ]
      : []),
  ];
}

/** Hides what this server lacks and what this person may not. */
export function overview(catalogue: CommandList, { slash, role, lacks, group }: Reader): Message {
  const groups = (group ? [group] : catalogue.groups).map((each) => ({ ...each, commands: listed(each) }));
  const may = (command: AnyCommand) => atLeast(role, command.role);
  const shown = groups
    .map((each) => ({ ...each, commands: each.commands.filter((command) => may(command) && !lacks(command)) }))
    .filter((each) => each.commands.length > 0);
  const all = groups.flatMap((each) => each.commands);
  const refused = all.filter((command) => !may(command)).length;
  const absent = all.filter((command) => may(command) && lacks(command)).length;
  return message({
    text: `Help for ${slash}${group ? ` ${group.noun}` : ''}`,
    blocks: helpCard({
      slash,
      groups: group ? shown.map((each) => ({ name: each.noun, entries: each.commands.map(entry) })) : lines(shown),
      notes: [
        ...(refused > 0 ? [`${refused} more for maintainers or admins`] : []),
        ...(absent > 0 ? [`${absent} more are not supported by this server`] : []),
      ],
    }),
  });
}

const holders: Readonly<Record<Role, string>> = {
  everyone: 'For everyone',
  maintainer: 'For maintainers',
  admin: 'For admins',
};

const typedAs = (name: string, field: Field) =>
  field.typed === 'flag' || field.typed === 'switch' ? `--${flagName(name)}` : field.label;

const wordsFor = ({ hint, placeholder, typed }: Field) =>
  [typed === 'switch' ? '' : placeholder, hint ?? ''].filter(Boolean).join(' — ');

/** Usage, fields, examples, who may, how risky. */
export function commandHelp(command: AnyCommand, { slash }: Pick<Reader, 'slash'>): Message {
  return message({
    text: `Help for ${slash} ${command.name}: ${command.summary}`,
    blocks: commandHelpCard({
      slash,
      usage: usage(command),
      summary: command.summary,
      fields: [
        ...typedFields(command).map(([name, field]) => ({
          name: typedAs(name, field),
          hint: wordsFor(field) || field.label,
          required: !omissible(field),
        })),
        ...formFields(command).map(([, field]) => ({
          name: field.label,
          hint: 'in the form',
          required: field.required,
        })),
      ],
      examples: command.examples,
      aliases: command.aliases ?? [],
      facts: [
        holders[command.role],
        command.risk === 'read' ? 'changes nothing' : undefined,
        command.risk === 'risky' ? 'needs a second person’s approval' : undefined,
        command.account === 'none' ? 'needs no linked account' : undefined,
        'add --dry-run to see what it would do',
      ],
    }),
  });
}

/** What was meant, perhaps. */
export function unknownWord(
  found: { readonly words: string; readonly nearest: readonly string[] },
  catalogue: Pick<CommandList, 'find'>,
  { slash, role, lacks }: Pick<Reader, 'slash' | 'role' | 'lacks'>,
): Message {
  const possible = found.nearest.filter((name) => {
    const command = catalogue.find(name.split(' '))?.command;
    return command && atLeast(role, command.role) && !lacks(command);
  });
  const near = join(
    possible.map((name) => code(`${slash} ${name}`)),
    ', ',
  );
  const next = possible.length === 0 ? md`See ${code(`${slash} help`)}.` : md`Did you mean ${near}?`;
  return say(md`Unknown command ${code(found.words)}. ${next}`);
}
