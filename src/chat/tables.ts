import type { Catalog } from './command.js';
import { isHidden } from './fields.js';
import { fieldsOf, flagName, isTyped, omissible, usage } from './usage.js';

const cell = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Markdown for the README and the manual. */
export function table(catalog: Catalog, slash = '/forge'): string {
  const rows = catalog.all
    .filter((command) => command.hidden !== true)
    .map((command) => {
      const also = command.aliases?.length
        ? ` (also ${command.aliases.map((alias) => `\`${alias}\``).join(', ')})`
        : '';
      return `| \`${cell(`${slash} ${usage(command)}`)}\` | ${cell(command.summary)}${also} | ${command.role} | ${command.risk} |`;
    });
  return ['| Command | What it does | Who | Risk |', '|---|---|---|---|', ...rows].join('\n');
}

/** For scripts: `bellows commands --json`. */
export function catalogJson(catalog: Catalog) {
  return catalog.all.map((command) => ({
    name: command.name,
    aliases: command.aliases ?? [],
    summary: command.summary,
    usage: usage(command),
    fields: fieldsOf(command)
      .filter(([, field]) => !isHidden(field))
      .map(([name, field]) => ({
        name,
        label: field.label,
        required: !omissible(field),
        typed: isTyped(command, field) ? field.typed : 'form',
        flag: `--${flagName(name)}`,
        placeholder: field.placeholder,
      })),
    examples: command.examples,
    role: command.role,
    risk: command.risk,
    effect: command.effect,
    operations: command.operations,
    needs: command.needs ?? [],
    hidden: command.hidden === true,
  }));
}
