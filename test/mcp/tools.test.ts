import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { describe, expect, it } from 'vitest';
import { closedToAgents } from '../../src/chat/agent.js';
import { createCatalog } from '../../src/chat/catalog.js';
import { isHidden } from '../../src/chat/fields.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { readToolArgs, toolName, toolOf } from '../../src/chat/tool.js';
import { fieldsOf, opensForm } from '../../src/chat/usage.js';
import { commands } from '../../src/features/index.js';
import { saidTo } from './said.js';

const reading = { now: new Date('2026-11-10T09:00:00Z'), webUrl: 'https://git.example.org', slash: '/forge' };
const catalog = createCatalog(commands);
const open = commands.filter((command) => closedToAgents(command) === undefined);
const closed = commands.filter((command) => closedToAgents(command) !== undefined);

describe('every command', () => {
  it('is a tool, or says why it is not', () => {
    expect(open.length).toBeGreaterThan(60);
    for (const command of closed)
      expect([command.name, closedToAgents(command)]).toEqual([command.name, expect.stringMatching(/^[A-Z].*\.$/)]);
    const names = closed.map(({ name }) => name);
    for (const name of [
      'signin',
      'signout',
      'agents add',
      'agents revoke',
      'subscribe',
      'pr approve',
      'key add-mine',
      'runner token',
      'approval show',
    ])
      expect(names).toContain(name);
    // whatever may answer with a secret is closed for that reason alone
    expect(open.filter(({ confidential }) => confidential)).toEqual([]);
  });

  it('has a unique name that clients accept', () => {
    const names = open.map(toolName);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_-]{1,63}$/);
  });

  it.each(open.map((command) => [command.name, command] as const))('%s says what it takes and does', (_, command) => {
    const tool = toolOf(command);
    if (!tool) throw new Error('it is a tool');
    const validate = new AjvJsonSchemaValidator().getValidator(JSON.parse(JSON.stringify(tool.inputSchema)));
    expect(tool.description).toContain(command.summary);
    expect(tool.annotations).toMatchObject({
      readOnlyHint: command.risk === 'read',
      destructiveHint: command.risk === 'risky',
      idempotentHint: command.effect !== 'once',
    });
    const secrets = fieldsOf(command).flatMap(([name, field]) => (field.secret ? [name] : []));
    for (const secret of secrets) expect(Object.keys(tool.inputSchema.properties)).not.toContain(secret);
    const visible = fieldsOf(command).filter(([, field]) => !isHidden(field) && !field.secret && !field.notForAgents);
    expect(Object.keys(tool.inputSchema.properties)).toEqual(expect.arrayContaining(visible.map(([name]) => name)));
    // an agent can express the examples people type
    for (const example of command.examples) {
      const parsed = parseCommand(example, catalog, reading);
      if (parsed.kind !== 'command' || parsed.missing.length > 0) continue;
      const said = saidTo(command, parsed.args);
      if (Object.keys(said).some((name) => command.fields[name]?.notForAgents)) continue;
      expect([example, validate(said)]).toEqual([example, expect.objectContaining({ valid: true })]);
      // with nothing to change, a person gets the form
      if (opensForm(command, parsed.args))
        expect(() => readToolArgs(command, said, reading)).toThrow('one more argument');
      else expect([example, readToolArgs(command, said, reading).args]).toEqual([example, parsed.args]);
    }
  });
});

it('keeps from agents what skips approval', () => {
  const deploy = catalog.get('deploy');
  if (!deploy) throw new Error('it is a command');
  expect(Object.keys(toolOf(deploy)?.inputSchema.properties ?? {})).not.toContain('breakGlass');
  expect(() => readToolArgs(deploy, { environment: 'production', breakGlass: true }, reading)).toThrow(
    'deploy has no argument breakGlass',
  );
});
