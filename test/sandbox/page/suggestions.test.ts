import { suggest } from '@bellows/sandbox/page/app/suggestions.js';
import type { Team } from '@bellows/sandbox/page/wire.js';
import { describe, expect, it } from 'vitest';

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

const labels = (typed: string) => suggest(typed, team).map(({ label }) => label);

describe('suggestions', () => {
  it('offers the slash command and, like Slack, nothing after it', () => {
    expect(labels('/f')).toEqual(['/forge']);
    for (const typed of ['/forge ', '/forge issue cl', '/forge subscribe']) expect(labels(typed)).toEqual([]);
  });

  it('offers people after an @', () => {
    expect(suggest('/forge pr review #5 @a', team)).toEqual([
      { label: '@ada', detail: 'Ada Lovelace', text: '/forge pr review #5 @ada ' },
    ]);
  });

  it('offers nothing for ordinary words', () => {
    expect(labels('hello')).toEqual([]);
  });
});
