import { describe, expect, it } from 'vitest';
import { refuseRole } from '../../src/chat/admit.js';
import { createCatalog } from '../../src/chat/catalog.js';
import { explain } from '../../src/chat/explain.js';
import { drawForm } from '../../src/chat/form/draw.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { commandHelp, overview, unknownWord } from '../../src/chat/help.js';
import { UserError } from '../../src/errors.js';
import { commands } from '../../src/features/index.js';
import { digest } from '../../src/feed/digest.js';
import { type Event, type EventOf, kinds } from '../../src/feed/event.js';
import { draw } from '../../src/feed/events.js';
import { plainPorts } from '../../src/feed/ports.js';
import { stand } from '../../src/feed/standing.js';
import { ApiError, type FailureKind, operationNames } from '../../src/forge/index.js';
import { createLog } from '../../src/log.js';
import { events, itemOf, now } from '../feed/samples/events.js';
import { cards } from '../view/samples/cards.js';
import { formIssues, messageIssues, textsOf } from './hold.js';
import { rules } from './rules.js';

const catalog = createCatalog(commands);
const reading = { now: new Date('2026-11-10T09:00:00Z'), webUrl: 'https://forge.example.org', slash: '/forge' };
const slash = '/forge';
const log = createLog({ level: 'silent' });
const ports = plainPorts(now);

describe('every card', () => {
  it.each(Object.entries(cards))('%s', (_name, drawCard) => {
    for (const style of ['line', 'row', 'card', 'full'] as const)
      expect(messageIssues(drawCard((data) => data, { now, style }))).toEqual([]);
  });
});

describe('every event', () => {
  const drawn = kinds.flatMap((kind) => (['line', 'card'] as const).map((style) => [kind, style] as const));
  it.each(drawn)('%s in %s style', (kind, style) => {
    const event = events[kind];
    for (const reply of [false, true]) {
      const { blocks } = draw({ event, style, reply, standing: stand(undefined, event, itemOf(event)) }, ports);
      expect(messageIssues(blocks)).toEqual([]);
      // in a thread the card right above has it
      const title = itemOf(event)?.title;
      if (reply && title) expect(textsOf(blocks).join()).not.toContain(`#${event.item.number} ${title}`);
    }
  });

  // Record: an action without a line here does not compile.
  const actions: Readonly<Record<NonNullable<EventOf<'inbox:activity'>['did']>, RegExp>> = {
    commented: /^\*ada\* commented on /,
    approved: /^\*ada\* approved /,
    rejected: /^\*ada\* requested changes on /,
    reviewed: /^\*ada\* reviewed /,
    opened: /^\*ada\* opened /,
    closed: /^\*ada\* closed /,
    reopened: /^\*ada\* reopened /,
    merged: /^\*ada\* merged /,
    pushed: /^\*ada\* pushed to /,
  };
  it.each(Object.entries(actions))('direct message: someone %s', (did, says) => {
    const event = { ...events['inbox:activity'], actor: { id: 1, login: 'ada', bot: false }, did } as Event;
    for (const actor of [event.actor, null]) {
      const { blocks } = draw({ event: { ...event, actor }, style: 'card', reply: false, standing: {} }, ports);
      expect(messageIssues(blocks)).toEqual([]);
      if (actor) expect(blocks[0]).toMatchObject({ text: { text: expect.stringMatching(says) } });
    }
  });

  it.each([
    ['inbox:review_requested', 'requested your review on'],
    ['inbox:assigned', 'assigned you to'],
  ] as const)('%s names who did it, if known', (kind, says) => {
    for (const actor of [{ id: 1, login: 'ada', bot: false }, null]) {
      const event = { ...events[kind], actor };
      const { blocks } = draw({ event, style: 'card', reply: false, standing: {} }, ports);
      expect(messageIssues(blocks)).toEqual([]);
      if (actor) expect(blocks[0]).toMatchObject({ text: { text: expect.stringMatching(`^\\*ada\\* ${says} `) } });
    }
  });

  it('in a digest', () => {
    const { message } = digest(
      kinds.map((kind) => ({ event: events[kind] })),
      kinds.length,
      ports,
    );
    expect(messageIssues(message.blocks)).toEqual([]);
  });
});

describe.each(commands.map((command) => [command.name, command] as const))('%s', (name, command) => {
  it('asks in its form', () => {
    const parsed = parseCommand(command.examples.at(-1) ?? '', catalog, reading);
    for (const values of [{}, parsed.kind === 'command' ? parsed.args : {}]) {
      const form = drawForm(command, { values, meta: { command: name } });
      expect(formIssues(form, name)).toEqual([]);
    }
  });

  it('explains itself', () => {
    const long = command.summary.length > rules.summary ? [`summary: ${command.summary}`] : [];
    expect([...long, ...messageIssues(commandHelp(command, { slash }).blocks)]).toEqual([]);
  });
});

describe('people who may not', () => {
  it.each(commands.filter(({ role }) => role !== 'everyone').map((command) => [command.name, command] as const))(
    'are refused %s',
    (_name, command) => {
      const refuse = () => refuseRole(command, 'everyone');
      expect(refuse).toThrow(UserError);
      expect(refuse).toThrow(expect.toSatisfy(({ message }: Error) => messageIssues(message).length === 0));
    },
  );
});

describe('help', () => {
  const reader = { slash, role: 'admin', lacks: () => false } as const;
  it('on everything and on each subject', () => {
    for (const group of [undefined, ...catalog.groups])
      expect(messageIssues(overview(catalog, { ...reader, group }).blocks)).toEqual([]);
  });

  it('for an unknown word', () => {
    for (const words of ['issue lst', 'xyz'])
      expect(messageIssues(unknownWord({ words, nearest: catalog.nearest(words) }, catalog, reader).blocks)).toEqual(
        [],
      );
  });
});

const failures: Readonly<Record<FailureKind, true>> = {
  unauthorized: true,
  forbidden: true,
  notFound: true,
  conflict: true,
  invalid: true,
  archived: true,
  empty: true,
  exists: true,
  blocked: true,
  rejected: true,
  unavailable: true,
  timeout: true,
};

// The table has every kind.
describe.each(Object.keys(failures) as FailureKind[])('the failure %s', (kind) => {
  it('of each operation', () => {
    const issues = operationNames.flatMap((operation) => {
      const errors = [{}, { unsupported: true }, { neverSent: true }, { retryAfter: 60 }, { status: 500 }].map(
        (more) => new ApiError({ kind, operation, ...more }),
      );
      return errors.flatMap((error) => messageIssues(explain(error, { slash, log }).blocks));
    });
    expect(issues).toEqual([]);
  });
});
