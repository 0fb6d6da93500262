import { liveMentions } from '@bellows/sandbox/slack/mentions.js';
import { messageIssues } from '@bellows/sandbox/slack/rules/surface.js';
import { describe, expect, it } from 'vitest';
import { digest } from '../../src/feed/digest.js';
import { type Event, type Kind, kinds } from '../../src/feed/event.js';
import { draw } from '../../src/feed/events.js';
import { plainPorts } from '../../src/feed/ports.js';
import { stand } from '../../src/feed/standing.js';
import { readable } from '../../src/view/text.js';
import { events, itemOf, now } from './samples/events.js';

const ports = plainPorts(now);
const json = (value: unknown) => JSON.parse(JSON.stringify(value));
const styles = ['line', 'card'] as const;
const every: readonly (readonly [Kind, 'line' | 'card'])[] = kinds.flatMap((kind) =>
  styles.map((style) => [kind, style] as const),
);

/** Replaces every string of the event with an attack, except names and dates of things. */
function poisoned(event: Event): Event {
  const keep = new Set(['kind', 'at', 'id', 'source', 'v', 'brokenAt', 'also', 'thread', 'to']);
  const poison = '<!channel> <@U1> <https://evil.example|x> `*_~ \u202e ]|> '.repeat(80);
  return JSON.parse(JSON.stringify(event), (key, value) =>
    typeof value === 'string' && !keep.has(key) ? poison : value,
  );
}

const words = (event: Event, style: 'line' | 'card' = 'card', before: readonly Event[] = []): string[] => {
  const standing = [...before, event].reduce<ReturnType<typeof stand> | undefined>(
    (was, next) => stand(was, next, itemOf(next)),
    undefined,
  );
  const { blocks } = draw({ event, style, standing }, ports);
  return blocks.map((block) => {
    if (block.type === 'section') return readable(block.text?.text ?? '');
    return block.type === 'context'
      ? block.elements.map((part) => ('text' in part ? readable(String(part.text)) : '')).join('')
      : block.type;
  });
};

describe('drawing events', () => {
  it.each(every)('%s in %s style is a message that Slack accepts', (kind, style) => {
    const event = events[kind];
    for (const reply of [false, true]) {
      const sent = draw({ event, style, reply, standing: stand(undefined, event, itemOf(event)) }, ports);
      expect(messageIssues(json(sent.blocks))).toEqual([]);
      expect(sent.text).not.toBe('');
      expect(liveMentions(json(sent))).toEqual([]);
    }
  });

  it.each(every)('%s in %s style cannot be broken out of', (kind, style) => {
    const sent = draw({ event: poisoned(events[kind]), style }, ports);
    expect(messageIssues(json(sent.blocks))).toEqual([]);
    expect(liveMentions(json(sent))).toEqual([]);
  });

  it('a line is one line', () => {
    expect(words(events['issues:opened'], 'line')).toEqual(['🟢 *ada* opened issue #7 Leaking pipe · acme/engine']);
  });

  it('a card has a quiet line with state, repository, people and labels', () => {
    expect(words(events['pulls:opened'])).toEqual([
      '*ada* opened pull request #8 Seal it',
      '🟢 Open · acme/engine · `main` ← `seal` · assigned to grace · waiting on grace · `bug`',
    ]);
  });

  it('a message to a reviewer shows what there is to review', () => {
    const event = events['inbox:review_requested'];
    const item = itemOf(event);
    if (!item) throw new Error('the sample has an item');
    const size = { additions: 6, deletions: 1, files: 2 };
    const standing = stand(undefined, event, { ...item, size, excerpt: 'The joint leaks under pressure.' });
    const shown = JSON.stringify(draw({ event, style: 'card', standing }, ports).blocks);
    expect(shown).toContain('The joint leaks under pressure.');
    expect(shown).toContain('`main` ← `seal` · +6 −1 · 2 files');
    expect(JSON.stringify(draw({ event, style: 'card', standing, reply: true }, ports).blocks)).not.toContain('leaks');
  });

  it('a push lists its commits and links the comparison', () => {
    const { blocks } = draw({ event: events['commits:pushed'], style: 'card' }, ports);
    expect(words(events['commits:pushed'])[0]).toBe(
      '*ada* pushed 7 commits to main\n194fbaec Seal the pipe – Ada\naec743d4 Tighten – Grace\nand 5 more',
    );
    expect(JSON.stringify(blocks)).toContain('/compare/a...b|7 commits');
  });

  it('a merge that was also a push says where it went', () => {
    expect(words(events['pulls:merged'])[0]).toBe(
      '*ada* merged pull request #8 Seal it into main'.replace('main', '`main`'),
    );
  });

  it('the first red and the fix are distinguished from any other run', () => {
    expect(words(events['runs:failure'])[0]).toContain('*ci.yml failed on `main`:* Seal it, run 3');
    expect(words(events['runs:success'])[0]).toBe('*ci.yml passes again on `main`:* fixed by run 4 after 1 h');
    expect(words(events['runs:skipped'])).toEqual([
      '*ci.yml was skipped on `main`:* Seal it, run 3',
      expect.stringContaining('Skipped'),
    ]);
  });

  it('mentions the people concerned, never the one who acted', () => {
    const mentioning = { ...ports, mention: (login: string) => ({ ada: 'U1', grace: 'U2' })[login] };
    const opened = draw(
      {
        event: events['pulls:opened'],
        style: 'card',
        standing: stand(undefined, events['pulls:opened'], itemOf(events['pulls:opened'])),
      },
      mentioning,
    );
    expect(JSON.stringify(opened.blocks)).toContain('<@U2>');
    expect(JSON.stringify(opened.blocks)).not.toContain('<@U1>');
    const approved = draw(
      {
        event: events['reviews:approved'],
        style: 'card',
        standing: stand(undefined, events['reviews:approved'], itemOf(events['reviews:approved'])),
      },
      mentioning,
    );
    expect(JSON.stringify(approved.blocks)).toContain('<@U1>');
    expect(JSON.stringify(approved.blocks)).not.toContain('<@U2>');
  });

  it('puts the given buttons on cards only', () => {
    const button = { type: 'button' as const, action_id: 'run', text: { type: 'plain_text' as const, text: 'Close' } };
    const withButtons = { ...ports, actions: () => ({ buttons: [button] }) };
    const card = draw({ event: events['issues:opened'], style: 'card' }, withButtons);
    const line = draw({ event: events['issues:opened'], style: 'line' }, withButtons);
    expect(card.blocks.map(({ type }) => type)).toContain('actions');
    expect(line.blocks.map(({ type }) => type)).not.toContain('actions');
  });
});

describe('a card’s state', () => {
  const opened = events['pulls:opened'];
  const state = (...past: readonly Event[]) =>
    past.reduce<ReturnType<typeof stand> | undefined>((before, event) => stand(before, event, undefined), undefined);

  it('keeps each reviewer’s last verdict', () => {
    expect(state(opened, events['reviews:rejected'])).toMatchObject({ rejectedBy: ['grace'] });
    const approved = state(opened, events['reviews:rejected'], events['reviews:approved']);
    expect(approved).toMatchObject({ approvedBy: ['grace'] });
    expect(approved?.rejectedBy).toBeUndefined();
    expect(state(opened, events['reviews:approved'], events['reviews:dismissed'])?.approvedBy).toBeUndefined();
  });

  it('applying the same event twice changes nothing', () => {
    const once = state(opened, events['reviews:approved'], events['pulls:merged']);
    expect(
      state(
        opened,
        events['reviews:approved'],
        events['reviews:approved'],
        events['pulls:merged'],
        events['pulls:merged'],
      ),
    ).toEqual(once);
  });

  it('shows on the card of an opened item that it is merged now', () => {
    const standing = state(opened, events['reviews:approved'], events['pulls:merged']);
    const { blocks } = draw({ event: opened, style: 'card', standing }, ports);
    expect(JSON.stringify(blocks)).toContain('🟣 Merged');
    expect(JSON.stringify(blocks)).toContain('approved by grace');
  });

  it('turns a red card green when a later run fixes the branch', () => {
    const standing = state(events['runs:failure'], events['runs:success']);
    const { blocks } = draw({ event: events['runs:failure'], style: 'card', standing }, ports);
    expect(JSON.stringify(blocks)).toContain('✅ Fixed');
    expect(JSON.stringify(blocks)).toContain('Fixed by');
  });
});

describe('digest', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ event: { ...events['issues:opened'], id: `e${at}` } }));

  it('lists as many as one message holds and says how many follow', () => {
    const { message, count } = digest(many(300), 1_000, ports);
    expect(count).toBeGreaterThan(40);
    expect(messageIssues(json(message.blocks))).toEqual([]);
    expect(JSON.stringify(message.blocks)).toContain(`${1_000 - count} more follow`);
  });

  it('takes hostile events without breaking', () => {
    const { message, count } = digest(
      kinds.map((kind) => ({ event: poisoned(events[kind]) })),
      39,
      ports,
    );
    expect(count).toBeGreaterThan(10);
    expect(messageIssues(json(message.blocks))).toEqual([]);
    expect(liveMentions(json(message))).toEqual([]);
  });

  it('names the repository of each line when there are several', () => {
    const other = {
      ...events['issues:opened'],
      repo: { ...events['issues:opened'].repo, id: 13, fullName: 'acme/website' },
    };
    const { message } = digest([{ event: events['issues:opened'] }, { event: other }], 2, ports);
    expect(message.text).toBe('2 updates in 2 repositories');
    expect(JSON.stringify(message.blocks)).toContain('acme/website');
  });
});
