import { commandHelpCard, helpCard } from '../view/cards/help.js';
import { choiceMenu } from '../view/form.js';
import { type Message, message, say } from '../view/message.js';
import { code, join, md } from '../view/text.js';
import { actionNames, formButton } from './actions.js';
import { atLeast } from './admit.js';
import type { CommandList, Group } from './catalog.js';
import type { AnyCommand } from './command.js';
import type { Role } from './context.js';
import type { Field } from './fields.js';
import { titleOf } from './title.js';
import { flagName, formFields, inWords, omissible, typedFields } from './usage.js';

interface Topic {
  readonly name: string;
  readonly title: string;
  /** The first words of its commands. */
  readonly nouns: readonly string[];
}

/** What people look for, in menu order; nouns in none of them come last. */
const known: readonly Topic[] = [
  { name: 'issues', title: 'Issues', nouns: ['issue'] },
  { name: 'pulls', title: 'Pull requests', nouns: ['pr', 'reviews', 'bots'] },
  { name: 'runs', title: 'Workflow runs', nouns: ['run', 'workflow', 'deploy'] },
  {
    name: 'subscriptions',
    title: 'Subscriptions',
    nouns: ['subscribe', 'unsubscribe', 'follow', 'unfollow', 'mute', 'unmute', 'why', 'status'],
  },
  {
    name: 'notifications',
    title: 'Notifications and reminders',
    nouns: ['todo', 'inbox', 'settings', 'away', 'remind'],
  },
  { name: 'repositories', title: 'Repositories', nouns: ['repo', 'feed', 'key', 'package'] },
  { name: 'projects', title: 'Projects', nouns: ['project'] },
  { name: 'account', title: 'Your account', nouns: ['signin', 'signout', 'whoami', 'people', 'agents'] },
  { name: 'admin', title: 'Administration', nouns: ['runner', 'cron', 'admin', 'hook', 'audit'] },
];

/** A group of commands with a readable name. */
interface TopicGroup extends Group {
  readonly title: string;
}

const inTopic = (topic: Topic, { groups }: Pick<CommandList, 'groups'>): TopicGroup => ({
  noun: topic.name,
  title: topic.title,
  commands: groups.filter(({ noun }) => topic.nouns.includes(noun)).flatMap(({ commands }) => commands),
});

/** Every command is in exactly one. */
function topicsOf(catalog: Pick<CommandList, 'groups'>): readonly TopicGroup[] {
  const nouns = new Set(known.flatMap((topic) => topic.nouns));
  const rest = catalog.groups.map(({ noun }) => noun).filter((noun) => !nouns.has(noun));
  const more: Topic = { name: 'more', title: 'More', nouns: rest };
  return [...known, more].map((topic) => inTopic(topic, catalog)).filter(({ commands }) => commands.length > 0);
}

export const topicNamed = (name: string, catalog: Pick<CommandList, 'groups'>): TopicGroup | undefined =>
  topicsOf(catalog).find(({ noun }) => noun === name.toLowerCase());

type HelpGroup = Parameters<typeof helpCard>[0]['groups'][number];
type HelpEntry = HelpGroup['entries'][number];

interface Reader {
  readonly slash: string;
  readonly role: Role;
  /** Whether this server is known to lack it. */
  lacks(command: AnyCommand): boolean;
  /** False: the first line says how to link an account. */
  readonly linked?: boolean;
  /** Only these commands, each with an example. */
  readonly group?: Group | TopicGroup | undefined;
}

/** A line that works as typed. */
const entry = (command: AnyCommand): HelpEntry => ({
  usage: command.examples[0] ?? command.name,
  summary: command.summary,
});

/** The first eight this person may use on this server. */
const everyday: readonly (readonly [name: string, line: string])[] = [
  ['todo', 'todo'],
  ['pr list', 'prs'],
  ['issue create', 'issue create'],
  ['issue search', 'search leaking pipe'],
  ['pr merge', 'merge #12'],
  ['run list', 'run list acme/engine'],
  ['run stuck', 'run stuck'],
  ['subscribe', 'subscribe acme/engine'],
  ['inbox', 'inbox'],
  ['remind reviews', 'remind reviews daily 9:30'],
  ['issue list', 'issues'],
];
const lines = 8;
export const isEveryday = (name: string): boolean => everyday.some(([each]) => each === name);

/** One screen: the everyday commands and a menu of topics, or one topic. */
export function overview(catalog: CommandList, { slash, role, lacks, linked = true, group }: Reader): Message {
  const may = (command: AnyCommand) => atLeast(role, command.role);
  const isOffered = (command: AnyCommand) => may(command) && !lacks(command) && command.hidden !== true;
  const link: typeof everyday = linked ? [] : [['signin', 'signin']];
  const daily = [...link, ...everyday].flatMap(([name, line]) => {
    const command = catalog.get(name);
    return command && isOffered(command) ? [{ usage: line, summary: command.summary }] : [];
  });
  const all = (group?.commands ?? catalog.all).filter((command) => command.hidden !== true);
  const refused = all.filter((command) => !may(command)).length;
  const absent = all.filter((command) => may(command) && lacks(command)).length;
  const title = group && 'title' in group ? group.title : group?.noun;
  const topics = topicsOf(catalog).filter(({ commands }) => commands.some(isOffered));
  return message({
    text: `Help for ${slash}${title ? `: ${title}` : ''}`,
    blocks: helpCard({
      slash,
      groups: group
        ? [{ name: title ?? '', entries: all.filter(isOffered).map(entry) }]
        : [{ name: 'Everyday commands', entries: daily.slice(0, lines) }],
      menu: choiceMenu({
        action: actionNames.topic,
        placeholder: 'More topics',
        choices: topics.map(({ noun, title: label }) => ({ value: noun, label })),
      }),
      notes: [
        ...(group && refused > 0 ? [`${refused} more for maintainers or admins`] : []),
        ...(group && absent > 0 ? [`${absent} more not supported by this server`] : []),
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
  [typed === 'switch' ? '' : inWords(placeholder), hint ?? ''].filter(Boolean).join('. ');

/** What it does, examples, fields, who may use it, risk; the full grammar is in the docs. */
export function commandHelp(command: AnyCommand, { slash }: Pick<Reader, 'slash'>): Message {
  return message({
    text: `Help for ${slash} ${command.name}: ${command.summary}`,
    blocks: commandHelpCard({
      slash,
      name: command.name,
      summary: command.summary,
      fields: [
        ...typedFields(command).map(([name, field]) => ({
          name: typedAs(name, field),
          hint: wordsFor(field) || (field.input.kind === 'checkbox' ? field.input.text : field.label),
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
        command.risk === 'read' ? undefined : 'add --dry-run to see what it would do',
      ],
    }),
  });
}

/** Suggests what was probably meant. */
export function unknownWord(
  found: { readonly words: string; readonly nearest: readonly string[] },
  catalog: Pick<CommandList, 'find'>,
  { slash, role, lacks }: Pick<Reader, 'slash' | 'role' | 'lacks'>,
): Message {
  const possible = found.nearest.filter((name) => {
    const command = catalog.find(name.split(' '))?.command;
    return command && atLeast(role, command.role) && !lacks(command);
  });
  const near = join(
    possible.map((name) => code(`${slash} ${name}`)),
    ', ',
  );
  const next = possible.length === 0 ? md`See ${code(`${slash} help`)}.` : md`Did you mean ${near}?`;
  const buttons = possible.flatMap((name) => {
    const again = catalog.find(name.split(' '))?.command;
    return again ? [formButton({ text: titleOf(again), again, args: {} })] : [];
  });
  return say(md`Unknown command ${code(found.words)}. ${next}`, ...buttons);
}
