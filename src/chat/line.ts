import type { AnyCommand } from './command.js';
import { withoutMentions } from './slack-text.js';
import { fieldsOf, flagName } from './usage.js';
import { isLong } from './words.js';

const special = /["“”„‟'‘’‚‛\\]|^[-—–/]|--|[—–]\w|\s/;
const quote = (text: string) => `"${text.replace(/["“”„‟\\]/g, '\\$&')}"`;
const word = (text: string) => (text === '' || special.test(text) ? quote(text) : text);

/** The line a person would type for these values, without secrets. */
export function commandLine(command: AnyCommand, args: Readonly<Record<string, unknown>>): string {
  const parts = [command.name];
  let text: string | undefined;
  let inOrder = true;
  for (const [name, field] of fieldsOf(command)) {
    const value = args[name];
    const byName = field.typed === 'flag' || field.typed === 'switch';
    const shown = value === undefined || field.secret === true ? '' : withoutMentions(field.show(value));
    if (shown === '') inOrder &&= byName;
    else if (field.typed === 'switch') parts.push(value === true ? `--${flagName(name)}` : `--no-${flagName(name)}`);
    // Flags after a long text would become part of it.
    else if (inOrder && isLong(field)) text = word(shown);
    else if (byName || !inOrder) parts.push(`--${flagName(name)} ${word(shown)}`);
    else parts.push(word(shown));
    if (field.typed === 'rest') inOrder = false;
  }
  return [...parts, ...(text === undefined ? [] : [text])].join(' ');
}
