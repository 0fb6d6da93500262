import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Field } from '../../../src/chat/fields.js';
import * as fields from '../../../src/chat/fields.js';
import { UserError } from '../../../src/errors.js';
import { anyText } from '../../support/properties.js';
import { reading } from '../samples.js';

const name = fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,20}$/).filter((text) => !text.endsWith('.git'));
const line = fc
  .string({ minLength: 1, maxLength: 40 })
  .map((text) => text.trim())
  .filter((text) => text !== '');
const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const written = fc.oneof(fc.record({ owner: name, repo: name }), fc.record({ repo: name }), fc.constant({}));
const login = name.filter((text) => text.toLowerCase() !== 'me');
const slack = fc.record(
  { slack: fc.stringMatching(/^U[A-Z0-9]{1,10}$/), name: fc.stringMatching(/^[\w. ]{1,20}$/) },
  { requiredKeys: ['slack'] },
);
const someone = fc.oneof(slack, fc.record({ login }), fc.constant({ me: true as const }));
const key = `ssh-ed25519 ${Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.alloc(36)]).toString('base64')}`;

const samples: Record<string, readonly [Field, fc.Arbitrary<unknown>]> = {
  text: [fields.text({ label: 'Name' }), line],
  rest: [fields.rest({ label: 'Title' }), line],
  body: [fields.body({ label: 'Body' }), line.map((text) => `${text}\n\n  ${text}`)],
  secret: [fields.secret({ label: 'Token' }), line],
  number: [fields.number({ label: 'Position', min: -128, max: 127 }), fc.integer({ min: -128, max: 127 })],
  choice: [fields.choice(['open', 'closed'], { label: 'State' }), fc.constantFrom('open', 'closed')],
  choices: [
    fields.choices(['open', 'closed', 'all'], { label: 'States' }),
    fc.uniqueArray(fc.constantFrom('open', 'closed', 'all'), { minLength: 1 }),
  ],
  toggle: [fields.toggle({ label: 'Draft' }), fc.boolean()],
  repository: [fields.repository(), fc.oneof(fc.record({ owner: name, repo: name }), fc.constant({}))],
  issue: [fields.issue(), fc.tuple(written, id).map(([at, index]) => ({ ...at, index }))],
  issueOrPull: [fields.issueOrPull(), fc.tuple(written, id).map(([at, index]) => ({ ...at, index }))],
  pull: [fields.pull(), fc.tuple(written, id).map(([at, index]) => ({ ...at, index }))],
  run: [fields.run(), fc.tuple(written, id).map(([at, run]) => ({ ...at, run }))],
  person: [fields.person(), someone],
  people: [
    fields.people(),
    fc.uniqueArray(someone, { minLength: 1, maxLength: 5, selector: (each) => JSON.stringify(each) }),
  ],
  peopleOrTeams: [
    fields.peopleOrTeams(),
    fc.uniqueArray(
      fc.oneof(
        someone,
        fc.tuple(name, name).map((parts) => ({ team: parts.join('/') })),
      ),
      {
        minLength: 1,
        maxLength: 5,
        selector: (each) => JSON.stringify(each),
      },
    ),
  ],
  teams: [fields.teams(), fc.uniqueArray(name, { minLength: 1, maxLength: 5 })],
  labels: [fields.labels(), fc.uniqueArray(line, { minLength: 1, maxLength: 5 })],
  milestone: [
    fields.milestone(),
    fc.oneof(fc.record({ id: fc.integer({ min: 1 }) }), fc.record({ title: name.map((text) => `v ${text}`) })),
  ],
  branch: [
    fields.branch(),
    fc
      .tuple(name, name)
      .map(([a, b]) => `x${a}/x${b}`)
      .filter((text) => !/\.\.|\.$|\.\/|\.lock/.test(text) && !text.includes('/-')),
  ],
  glob: [fields.glob({ label: 'Branches' }), name.map((text) => `${text}/*`)],
  duration: [fields.duration({ label: 'Time' }), fc.integer({ min: 1, max: 365 * 86_400 })],
  date: [
    fields.date({ label: 'Due' }),
    fc
      .date({ min: reading.now, max: new Date('2999-01-01'), noInvalidDate: true })
      .map((day) => day.toISOString().slice(0, 10)),
  ],
  color: [fields.color(), fc.stringMatching(/^#[0-9a-f]{6}$/)],
  address: [fields.address(), name.map((text) => `https://example.org/${text}.git`)],
  sshKey: [fields.sshKey(), fc.constantFrom(key, `${key} ada@laptop`)],
  clearable: [fields.clearable(fields.labels()), fc.oneof(fc.constant(null), fc.constant(['bug']))],
};

describe('every field', () => {
  it.each(Object.entries(samples))(
    '%s reads back what it shows, and its schema and JSON keep it',
    (_, [field, values]) => {
      fc.assert(
        fc.property(values, (value) => {
          expect(field.read(field.show(value), reading)).toEqual(value);
          expect(field.schema.parse(JSON.parse(JSON.stringify(value)))).toEqual(value);
        }),
      );
    },
  );

  it.each(Object.entries(samples))('%s answers any text with a value of its schema or a sentence', (_, [field]) => {
    const near = fc.constantFrom(
      '',
      ' ',
      '#',
      'a/b',
      '#0',
      '../..#1',
      'https://',
      'https://git.example.org/forge/%2e/x',
      '1'.repeat(400),
      '-',
      ',,',
      '<@U1',
      'next',
      '+999d',
      '9999-99-99',
    );
    fc.assert(
      fc.property(fc.oneof(anyText(), near), (text) => {
        try {
          field.schema.parse(field.read(text, reading));
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
    );
  });

  it('is made by one of these', () => {
    const combinators = ['flag', 'requireName', 'optional', 'trailing'];
    const unseen = ['askingField', 'hidden', 'offset', 'plainField', 'seenField'];
    const readers = [
      'formHint',
      'isClearable',
      'isHidden',
      'joinList',
      'listOf',
      'needsDefault',
      'printOf',
      'printsOf',
      'readFrom',
    ];
    const helpers = [...combinators, ...unseen, ...readers, 'rows', 'seenIn', 'splitList', 'standIn'];
    expect([...Object.keys(samples), ...helpers].sort()).toEqual(Object.keys(fields).sort());
  });
});
