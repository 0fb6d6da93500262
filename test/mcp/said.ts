import type { AnyCommand } from '../../src/chat/command.js';
import { toolOf } from '../../src/chat/tool.js';
import { fieldsOf } from '../../src/chat/usage.js';

/** Typed values as an agent would give them: plain JSON where the tool says so, text everywhere else. */
export function saidTo(command: AnyCommand, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const properties = toolOf(command)?.inputSchema.properties ?? {};
  const given = fieldsOf(command).flatMap(([name, field]) => {
    const value = args[name];
    if (value === undefined) return [];
    const { type } = Object(properties[name]);
    const plain = ['boolean', 'integer'].includes(type) ? value : field.show(value);
    return [[name, type === 'array' ? String(plain).split(', ') : plain] as const];
  });
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
