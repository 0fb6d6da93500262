import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../../src/forge/operation.js';
import { operations } from '../../src/forge/operations/index.js';
import { Activity, Issue, Project, Time, TimeOrUnset } from '../../src/forge/schemas.js';

const Exchange = z.object({ method: z.string(), path: z.string(), status: z.int(), answer: z.unknown() });
type Exchange = z.infer<typeof Exchange>;

const table = Object.entries(operations).flatMap(([noun, methods]) =>
  Object.entries(methods).map(([method, entry]): [string, Operation] => [`${noun}.${method}`, entry]),
);
const routes = table.map(([, entry]) => {
  const [method, path = ''] = entry.route.split(' ');
  return [entry, method, new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)] as const;
});

function ownerOf(exchange: Exchange): Operation | undefined {
  const path = exchange.path.replace(/\?.*/, '');
  const fits = routes.filter(([, method, pattern]) => method === exchange.method && pattern.test(path));
  // the route with the fewest parameters is the exact one
  return fits.map(([entry]) => entry).sort((a, b) => a.route.split('{').length - b.route.split('{').length)[0];
}

function schemaOf(entry: Operation): z.ZodType {
  if (!entry.list) return entry.answer ?? z.unknown();
  const items = z.array(entry.list.item);
  return entry.list.in ? z.object({ [entry.list.in]: items }) : items;
}

describe.each(['gitea-1.26.0', 'gitea-1.28-dev'])('answers of %s', (server) => {
  const recorded = z.array(Exchange).parse(JSON.parse(readFileSync(`test/recordings/${server}.json`, 'utf8')));
  const heard = new Map(table.map(([, entry]): [Operation | undefined, Exchange[]] => [entry, []]));
  for (const exchange of recorded) if (exchange.status < 300) heard.get(ownerOf(exchange))?.push(exchange);

  it.each(table)('%s are parsed', (_name, entry) => {
    const problems = (heard.get(entry) ?? []).flatMap(
      (exchange) => schemaOf(entry).safeParse(exchange.answer).error?.issues ?? [],
    );
    expect(problems).toEqual([]);
  });
});

describe('scalars', () => {
  it('reads a time with any offset as the same moment', () => {
    expect(Time.parse('2026-08-22T23:32:59+02:00')).toEqual(new Date('2026-08-22T21:32:59Z'));
  });

  it('refuses a time without an offset', () => {
    expect(Time.safeParse('2026-08-22T23:32:59').success).toBe(false);
  });

  it.each([
    null,
    undefined,
    '',
    '1970-01-01T00:00:00Z',
    '1970-01-01T01:00:00+01:00',
    '0001-01-01T00:00:00Z',
    '0001-01-01T00:00:00+02:00',
  ])('takes %j for "never"', (text) => {
    expect(TimeOrUnset.parse(text)).toBeUndefined();
  });
});

describe('an issue', () => {
  const least = { id: 1, number: 2, title: 'Third | <!channel>', state: 'open' };

  it('needs only its identity', () => {
    expect(Issue.parse(least)).toMatchObject({ ...least, body: '', assignees: [], labels: [], comments: 0 });
  });

  it('takes null where the forge sends null', () => {
    const issue = Issue.parse({ ...least, assignees: null, projects: null, milestone: null, due_date: null });
    expect(issue).toMatchObject({ assignees: [], projects: [], milestone: undefined, due_date: undefined });
  });

  it('is refused, with the path named, if its id would be rounded', () => {
    const read = Issue.safeParse(JSON.parse(JSON.stringify(least).replace('"id":1', '"id":9007199254740993')));
    expect(read.error?.issues[0]?.path).toEqual(['id']);
  });
});

it('keeps op_types that newer servers add', () => {
  expect(Activity.parse({ id: 1, op_type: 'action-99', created: '2026-01-01T00:00:00Z' }).op_type).toBe('action-99');
});

it('recognizes a closed project from a server without a state', () => {
  expect(Project.parse({ id: 1, title: 'Board', is_closed: true }).state).toBe('closed');
});
