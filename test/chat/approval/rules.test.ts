import { describe, expect, it } from 'vitest';
import { chosenRule, ruleWords, type Subject } from '../../../src/chat/approval/policy.js';
import type { AnyCommand } from '../../../src/chat/command.js';
import { readPolicyFile } from '../../../src/config/file.js';
import { splitFullName } from '../../../src/full-name.js';
import { createVault } from './vault.js';

const vault = createVault({ state: 'shut', observe: () => {}, run: () => {}, found: undefined });

interface About {
  readonly name?: string;
  readonly more?: Partial<AnyCommand>;
  readonly repositories?: readonly string[];
  readonly branches?: readonly (string | undefined)[] | undefined;
}

const asked = { branches: 0, repositories: 0 };

function subjectOf({ name = 'pr merge', more = {}, repositories = ['acme/engine'], branches = [] }: About): Subject {
  Object.assign(asked, { branches: 0, repositories: 0 });
  return {
    command: vault(name, more),
    async repositories() {
      asked.repositories += 1;
      return repositories.map(splitFullName);
    },
    async branches() {
      asked.branches += 1;
      return branches;
    },
  };
}

const rulesOf = (...rules: readonly string[]) => {
  const lines = rules.map((rule) => `    - { ${rule} }\n`).join('');
  return readPolicyFile(`approvals:\n  rules:\n${lines}`, 'bellows.yaml').approvals.rules;
};

/** The index of the chosen rule, and of those it overrides. */
async function chosen(about: About, ...rules: readonly string[]) {
  const found = await chosenRule(subjectOf(about), rulesOf(...rules));
  return found && [found.at, [...found.over]];
}

describe('a rule matches', () => {
  it('the command it names, and no other', async () => {
    expect(await chosen({}, 'command: pr merge, count: 1')).toEqual([0, []]);
    expect(await chosen({ name: 'pr close' }, 'command: pr merge, count: 1')).toBeUndefined();
    expect(await chosen({ name: 'pr mergex' }, 'command: pr merge, count: 1')).toBeUndefined();
  });

  it('commands by a pattern, unless they only read', async () => {
    expect(await chosen({}, 'command: pr *, count: 1')).toEqual([0, []]);
    expect(await chosen({ more: { risk: 'write' } }, 'command: pr *, count: 1')).toEqual([0, []]);
    expect(await chosen({ more: { risk: 'read' } }, 'command: pr *, count: 1')).toBeUndefined();
    expect(await chosen({ name: 'issue close' }, 'command: pr *, count: 1')).toBeUndefined();
    expect(await chosen({ name: 'pr x' }, 'command: pr ?, count: 1')).toEqual([0, []]);
    expect(await chosen({ name: 'pr xy' }, 'command: pr ?, count: 1')).toBeUndefined();
  });

  it('read-only commands only by their exact name', async () => {
    expect(await chosen({ more: { risk: 'read' } }, 'command: pr merge, count: 1')).toEqual([0, []]);
  });

  it('without a command, everything that changes something on the forge', async () => {
    const rule = 'repository: acme/*, count: 1';
    expect(await chosen({}, rule)).toEqual([0, []]);
    expect(await chosen({ more: { risk: 'read' } }, rule)).toBeUndefined();
    expect(await chosen({ more: { operations: ['issues.get'] } }, rule)).toBeUndefined();
    expect(await chosen({ more: { operations: ['issues.get', 'issues.edit'] } }, rule)).toEqual([0, []]);
  });

  it('the repositories it names, any of those the command is about', async () => {
    const rule = 'command: pr merge, repository: acme/eng*, count: 1';
    expect(await chosen({}, rule)).toEqual([0, []]);
    expect(await chosen({ repositories: ['acme/website'] }, rule)).toBeUndefined();
    expect(await chosen({ repositories: ['acme/website', 'ACME/Engine'] }, rule)).toEqual([0, []]);
    expect(await chosen({ repositories: [] }, rule)).toBeUndefined();
    expect(await chosen({ repositories: [] }, 'command: pr merge, count: 1')).toEqual([0, []]);
  });

  it('repositories, which are read only if one is named', async () => {
    expect(await chosen({}, 'command: pr merge, count: 1')).toEqual([0, []]);
    expect(asked.repositories).toBe(0);
    expect(await chosen({}, 'command: pr merge, count: 1', 'repository: acme/*, count: 1')).toEqual([1, [0]]);
    expect(asked.repositories).toBe(1);
    expect(await chosen({ name: 'pr close' }, 'command: pr merge, repository: acme/*, count: 1')).toBeUndefined();
    expect(asked.repositories).toBe(0);
  });

  it('the branches it names, which are read only if that matters', async () => {
    const rule = 'command: pr merge, branch: release/*, count: 1';
    expect(await chosen({ branches: ['release/1.8'] }, rule)).toEqual([0, []]);
    expect(asked.branches).toBe(1);
    expect(await chosen({ branches: ['main', 'Release/1.8'] }, rule)).toEqual([0, []]);
    expect(await chosen({ branches: ['main'] }, rule)).toBeUndefined();
    expect(await chosen({ branches: [] }, rule)).toBeUndefined();
    expect(await chosen({ name: 'pr close', branches: ['release/1'] }, rule)).toBeUndefined();
    expect(asked.branches).toBe(0);
    expect(await chosen({ branches: ['release/1'] }, 'command: pr merge, count: 1')).toEqual([0, []]);
    expect(asked.branches).toBe(0);
  });

  it('no branch if the command is not about one', async () => {
    const subject = { ...subjectOf({}), branches: async () => undefined };
    expect(await chosenRule(subject, rulesOf('command: pr merge, branch: main, count: 1'))).toBeUndefined();
    expect(await chosenRule(subject, rulesOf('command: pr merge, branch: "*", count: 1'))).toBeUndefined();
  });

  it('nothing at all if a branch it depends on cannot be read', async () => {
    const rules = rulesOf('command: pr merge, branch: main, count: 1');
    await expect(chosenRule(subjectOf({ branches: ['main', undefined] }), rules)).rejects.toThrow(
      'cannot tell which branch pr merge is about',
    );
    expect(await chosen({ branches: [undefined] }, 'command: pr merge, count: 1')).toEqual([0, []]);
  });
});

describe('of several matching rules', () => {
  it.each([
    ['the repository before the branch', 'repository: acme/engine, count: 1', 'branch: main, count: 1', 0],
    ['the repository before the command', 'command: pr merge, count: 1', 'repository: acme/*, count: 1', 1],
    ['the branch before the command', 'command: pr merge, count: 1', 'branch: m*, count: 1', 1],
    ['a name before a pattern', 'repository: acme/engin*, count: 1', 'repository: acme/engine, count: 1', 1],
    ['what fixes more letters', 'repository: acme/e*, count: 1', 'repository: acme/en*, count: 1', 1],
    ['letters, not wildcards', 'repository: acme/en*, count: 1', 'repository: acme/e*??*, count: 1', 0],
    ['the command at last', 'command: pr *, repository: acme/*, count: 1', 'repository: acme/*, count: 1', 0],
    ['said before unsaid', 'repository: acme/*, count: 1', 'command: "*", repository: acme/*, count: 1', 1],
    ['of equals the first', 'repository: acme/e*, count: 1', 'repository: acme/*e, count: 1', 0],
  ])('wins %s', async (_what, first, second, winner) => {
    const about = { branches: ['main'] };
    expect(await chosen(about, first, second)).toEqual([winner, [1 - winner]]);
    const other = winner === 0 && first.length === second.length ? 0 : 1 - winner;
    const turned = await chosen(about, second, first);
    expect(turned).toEqual(_what === 'of equals the first' ? [0, [1]] : [other, [1 - other]]);
  });

  it('says which it is and what it overrides', async () => {
    const rules = rulesOf(
      'command: pr merge, count: 1',
      'command: pr merge, repository: acme/engine, branch: main, count: 2',
      'command: pr close, count: 1',
      'repository: acme/*, count: 1',
    );
    const found = await chosenRule(subjectOf({ branches: ['main'] }), rules);
    expect(found && ruleWords(found)).toBe(
      'approvals.rules.1 (pr merge, acme/engine, main), more specific than rules.3, rules.0',
    );
    expect(ruleWords({ rule: { command: 'pr merge', count: 1 }, at: 0, over: [] })).toBe(
      'approvals.rules.0 (pr merge)',
    );
  });
});
