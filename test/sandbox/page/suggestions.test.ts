import { suggest } from '@bellows/sandbox/page/app/suggestions.js';
import type { CatalogEntry, Team } from '@bellows/sandbox/page/wire.js';
import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../../src/chat/catalog.js';
import { catalogJson } from '../../../src/chat/tables.js';
import { commands } from '../../../src/features/index.js';

const entry = (name: string, usage: string, summary: string, aliases: readonly string[] = []): CatalogEntry => ({
  name,
  aliases,
  usage,
  summary,
  risk: 'read',
  role: 'everyone',
  examples: [],
});

const catalog = [
  entry('issue close', 'issue close <owner/repo#12>', 'Close an issue', ['close']),
  entry('issue show', 'issue show <owner/repo#12>', 'Show an issue'),
  entry('subscribe', 'subscribe [owner/repo]', 'Subscribe this channel'),
  entry('subscribe list', 'subscribe list', 'What this channel follows'),
];

const team: Team = {
  name: 'Acme',
  me: 'U1',
  bot: 'U0',
  people: [{ id: 'U1', name: 'ada', realName: 'Ada Lovelace', about: '' }],
  channels: [],
  slash: '/forge',
  shortcuts: [],
  token: '',
  redis: '',
};

const labels = (typed: string) => suggest(typed, team, catalog).map(({ label }) => label);

describe('suggestions', () => {
  it('offers the slash command, then every command', () => {
    expect(labels('/f')).toEqual(['/forge']);
    expect(labels('/forge ')).toHaveLength(4);
  });

  it('puts names with this prefix before summaries that mention it', () => {
    expect(labels('/forge issue s')).toEqual(['/forge issue show <owner/repo#12>']);
    expect(labels('/forge follows')).toEqual(['/forge subscribe list']);
  });

  it('shows the usage of a complete command, and longer ones', () => {
    expect(labels('/forge subscribe')).toEqual(['/forge subscribe [owner/repo]', '/forge subscribe list']);
    expect(suggest('/forge issue close acme/engine#1', team, catalog)).toMatchObject([{ eager: false }]);
  });

  it('shows the usage of the longest name that was typed', () => {
    expect(labels('/forge subscribe list')).toEqual(['/forge subscribe list']);
  });

  it('finds a command by the beginning of its short name', () => {
    expect(suggest('/forge clo', team, catalog)).toMatchObject([{ text: '/forge issue close ', eager: true }]);
    expect(labels('/forge close #6')).toEqual(['/forge issue close <owner/repo#12>']);
  });

  it('never replaces what was typed with a command that only mentions it', () => {
    expect(suggest('/forge follows', team, catalog)).toMatchObject([{ eager: false }]);
  });

  const real = catalogJson(createCatalog(commands)).filter(({ hidden }) => !hidden);
  const typed = real.flatMap(({ name, aliases, usage }) => [name, ...aliases].map((word) => ({ word, usage })));
  it.each(typed)('leaves `$word` to Enter as it was typed', ({ word, usage }) => {
    const offers = suggest(`/forge ${word}`, team, real);
    expect(offers[0]).toMatchObject({ label: `/forge ${usage}`, text: `/forge ${word}` });
    expect(offers.filter(({ eager }) => eager)).toEqual([]);
  });

  it('offers people after an @', () => {
    expect(suggest('/forge pr review #5 @a', team, catalog)).toEqual([
      { label: '@ada', detail: 'Ada Lovelace', text: '/forge pr review #5 @ada ', eager: true },
    ]);
  });

  it('offers nothing for ordinary words', () => {
    expect(labels('hello')).toEqual([]);
  });
});
