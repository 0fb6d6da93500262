import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/chat/catalog.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { commands } from '../../src/commands/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

const catalog = createCatalog(commands);
const webUrl = 'https://git.example.org';
const read = (text: string) =>
  parseCommand(text, catalog, { now: new Date('2026-11-10T09:00:00Z'), webUrl, slash: '/forge' });

describe('what people type out of habit', () => {
  it.each([
    ['issue list', 'issue list'],
    ['issues', 'issue list'],
    ['issue new Leaking pipe', 'issue create'],
    ['pr list acme/engine', 'pr list'],
    ['prs', 'pr list'],
    ['merge #12', 'pr merge'],
    ['approve #12', 'pr approve'],
    ['assign #12 ada', 'issue assign'],
    ['label #12 bug', 'issue label'],
    ['runs acme/engine', 'run list'],
    [`${webUrl}/acme/engine/issues/12`, 'issue show'],
    [`<${webUrl}/acme/engine/pulls/5|#5>`, 'pr show'],
    [`${webUrl}/acme/engine/actions/runs/7`, 'run show'],
    [`${webUrl}/acme/engine`, 'feed repo'],
    ['acme/engine#12', 'issue show'],
    ['#12', 'issue show'],
  ])('“%s” is %s', (typed, name) => {
    const parsed = read(typed);
    expect(parsed.kind === 'command' && parsed.command.name).toBe(name);
  });

  it('an address of another server is not a command', () => {
    expect(read('https://example.com/acme/engine/issues/12').kind).toBe('unknown');
  });
});

describe('a near miss', () => {
  it.each(['run rerunn', 'rum list', 'issue lst', 'croon', 'rnner'])(
    '“%s” suggests nothing risky of another kind',
    (typed) => {
      const risky = catalog.nearest(typed).filter((name) => catalog.get(name)?.risk === 'risky');
      expect(risky.filter((name) => name.split(' ')[0] !== typed.split(' ')[0])).toEqual([]);
    },
  );

  it('suggests harmless commands first', () => {
    expect(catalog.nearest('issue lst')[0]).toBe('issue list');
    expect(catalog.nearest('pr shw')[0]).toBe('pr show');
  });
});

describe('lists and labels', () => {
  let bellows: Bellows;
  const { type } = talkTo(() => bellows);
  beforeAll(async () => {
    bellows = await startBellows();
    await bellows.link('ada');
  });
  afterAll(() => bellows.close());

  it('list the channel’s own repository, or the named one', async () => {
    expect(words(await type('ada', 'prs acme/engine'))).toMatch(/open pull requests?/);
    await type('ada', 'use acme/website');
    expect(words(await type('ada', 'issues'))).not.toContain('acme/engine');
    expect(words(await type('ada', 'issues acme/engine'))).toContain('acme/engine');
  });

  it('labels are added and removed, the others stay', async () => {
    const shown = async () => words(await type('ada', 'issue show acme/engine#2'));
    await type('ada', 'label acme/engine#2 bug');
    await type('ada', 'label acme/engine#2 docs');
    expect(await shown()).toMatch(/`bug`.*`docs`|`docs`.*`bug`/);
    await type('ada', 'label acme/engine#2 -bug');
    const left = await shown();
    expect(left).toContain('`docs`');
    expect(left).not.toContain('`bug`');
  });

  it('runs are filtered by workflow, also in the words of GitHub’s app', async () => {
    const answer = words(await type('ada', 'subscribe acme/engine workflows:{name:"CI" branch:"main"}'));
    expect(answer).toContain('runs · `branch:main workflow:CI`');
    expect((await type('ada', 'subscribe acme/engine workflows:{event:"push"}')).text).toContain('Use workflow:');
  });
});
