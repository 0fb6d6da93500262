import type { AnyCommand } from './command.js';
import { type Field, isHidden, standIn } from './fields.js';

/** `olderThan` is typed `--older-than`. */
export const flagName = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A command's fields with plain types, in the order people type them. */
export function fieldsOf(command: AnyCommand): readonly (readonly [name: string, field: Field])[] {
  return Object.entries(command.fields);
}

/** Secrets are only entered in the form, and some commands are form-only. */
export const isTyped = (command: AnyCommand, field: Field) => command.form?.opens !== 'only' && field.secret !== true;

/** The fields in help, usage and typed input. */
export function typedFields(command: AnyCommand): readonly (readonly [name: string, field: Field])[] {
  return fieldsOf(command).filter(([, field]) => !isHidden(field) && isTyped(command, field));
}

/** The fields only the form asks for. */
export function formFields(command: AnyCommand): readonly (readonly [name: string, field: Field])[] {
  return fieldsOf(command).filter(([, field]) => !isHidden(field) && !isTyped(command, field));
}

/** Optional, or defaults to the channel's own. */
export const omissible = (field: Field) => !field.required || standIn(field) !== undefined;

function part(name: string, field: Field): string {
  if (field.typed === 'switch') return `[--${flagName(name)}]`;
  const value = field.typed === 'rest' ? `${field.placeholder}…` : field.placeholder;
  const words = field.typed === 'flag' ? `--${flagName(name)} <${field.placeholder}>` : `<${value}>`;
  if (!omissible(field)) return words;
  return field.typed === 'flag' ? `[${words}]` : `[${value}]`;
}

/** `daily|weekdays|mon` for readers: daily, weekdays or mon. */
export function inWords(placeholder: string): string {
  const [last = '', ...before] = placeholder.split('|').reverse();
  return before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`;
}

/** `issue close <owner/repo#12> [--comment <comment>]` */
export function usage(command: AnyCommand): string {
  return [command.name, ...typedFields(command).map(([name, field]) => part(name, field))].join(' ');
}

/** Nothing was typed, or only the item and not the change. */
export function opensForm(command: AnyCommand, args: Readonly<Record<string, unknown>>): boolean {
  const { opens } = command.form ?? {};
  if (opens === undefined) return false;
  if (opens === 'only') return true;
  const given = Object.keys(args);
  if (opens === 'always') return given.length === 0;
  return given.every((name) => command.fields[name]?.required === true);
}
