import { messageIssues } from '@bellows/sandbox/slack/rules/surface.js';
import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/chat/catalog.js';
import { commandHelp, overview, topicNamed, unknownWord } from '../../src/chat/help.js';
import { catalogJson, table } from '../../src/chat/tables.js';
import { usage } from '../../src/chat/usage.js';
import { catalog, close, create, removeRunner, runs, sample, signin } from './samples.js';

const shown = (message: { blocks: unknown }) => JSON.stringify(message.blocks);
const everyone = { slash: '/forge', role: 'everyone', lacks: () => false } as const;

describe('usage', () => {
  it('shows words, flags and what is optional, but no secret and no paging', () => {
    expect(usage(create)).toBe(
      'issue create [owner/repo] <title…> [description…] [--labels <bug,docs>] [--due <2026-12-01|tomorrow|fri>] [--draft]',
    );
    expect(usage(runs)).toBe('run list [owner/repo] [--status <queued|failure|success>] [--older-than <age>]');
    expect(usage(signin)).toBe('signin [login]');
  });
});

describe('help', () => {
  it('is one screen: everyday lines that work, and a menu of topics', () => {
    const message = overview(catalog, everyone);
    expect(message.text).toBe('Help for /forge');
    expect(shown(message)).toContain('`/forge issue create` Does issue create.');
    expect(shown(message)).toContain('"value":"issues"');
    expect(shown(message)).not.toContain('&lt;');
    expect(messageIssues(JSON.parse(shown(message)))).toEqual([]);
  });

  it('starts with linking for people who are not linked', () => {
    const lines = shown(overview(catalog, { ...everyone, linked: false }));
    expect(lines.indexOf('/forge signin')).toBeGreaterThan(0);
    expect(lines.indexOf('/forge signin')).toBeLessThan(lines.indexOf('/forge issue create'));
  });

  it('shows one topic with examples, by its name or the first word of its commands', () => {
    for (const group of [topicNamed('issues', catalog), catalog.groups.find(({ noun }) => noun === 'issue')])
      expect(shown(overview(catalog, { ...everyone, group }))).toContain(
        '`/forge issue close acme/engine#12` Does issue close.',
      );
  });

  it('hides what this person may not use and this server lacks, and says how many', () => {
    const group = { noun: 'all', commands: catalog.all };
    const few = overview(catalog, { ...everyone, group, lacks: (command) => command === signin });
    expect(shown(few)).not.toContain('runner');
    expect(shown(few)).toContain('1 more for maintainers or admins');
    expect(shown(few)).toContain('1 more not supported by this server');
    expect(shown(overview(catalog, { ...everyone, group, role: 'admin' }))).toContain('runner remove');
  });

  it('explains one command: fields, examples, who may use it, risk', () => {
    expect(shown(commandHelp(close, { slash: '/forge' }))).toContain('`/forge issue close acme/engine#12`');
    expect(shown(commandHelp(close, { slash: '/forge' }))).toContain('Also: `/forge close`');
    expect(shown(commandHelp(close, { slash: '/forge' }))).toContain('--dry-run');
    expect(shown(commandHelp(runs, { slash: '/forge' }))).not.toContain('--dry-run');
    const risky = shown(commandHelp(removeRunner, { slash: '/git' }));
    expect(risky).toContain('For admins');
    expect(risky).toContain('needs a second person’s approval');
    expect(risky).toContain('/git runner remove 7');
    expect(shown(commandHelp(signin, { slash: '/forge' }))).toContain('in the form');
  });

  it('suggests what was meant', () => {
    const found = { words: 'isue <!here>', nearest: ['issue close', 'runner remove'] };
    expect(shown(unknownWord(found, catalog, everyone))).toContain(
      'Unknown command `isue &lt;!here&gt;`. Did you mean `/forge issue close`?',
    );
    expect(shown(unknownWord(found, catalog, { ...everyone, role: 'admin' }))).toContain('`/forge runner remove`?');
    expect(shown(unknownWord(found, catalog, { ...everyone, lacks: () => true }))).not.toContain('Did you mean');
  });
});

describe('lists for documents and scripts', () => {
  it('are written from the catalog', () => {
    expect(table(catalog)).toContain(
      '| `/forge issue close <owner/repo#12> [comment…]` | Does issue close. (also `close`) | everyone | write |',
    );
    expect(table(catalog)).toContain('<queued\\|failure\\|success>');
    expect(catalogJson(catalog)[0]).toMatchObject({
      name: 'issue close',
      usage: 'issue close <owner/repo#12> [comment…]',
      role: 'everyone',
      risk: 'write',
      effect: 'idempotent',
      operations: ['issues.edit'],
      fields: [
        { name: 'issue', required: true },
        { name: 'comment', required: false },
      ],
    });
  });
});

describe('the catalog', () => {
  it('refuses two commands with one name', () => {
    const other = sample({}, { name: 'pr close', aliases: ['close'] });
    expect(() => createCatalog([close, other])).toThrow('Two commands are called “close”: issue close and pr close.');
  });

  it('finds the longest name', () => {
    const mine = sample({}, { name: 'issue close all' });
    expect(createCatalog([close, mine]).find(['Issue', 'close', 'all', 'now'])).toEqual({ command: mine, used: 3 });
  });
});
