import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readJson } from '../../src/forge/json.js';
import { shapeOf } from '../../src/forge/shape.js';

const person = z.object({ id: z.int(), login: z.string() });
const row = z.object({
  id: z.int(),
  title: z.string(),
  user: person.nullable(),
  labels: z.array(z.string()),
  rest: z.unknown(),
});
const shape = shapeOf(z.array(row));

const read = (text: string) => readJson(Buffer.from(text), shape);

describe('reading only what is wanted', () => {
  it('keeps wanted fields and passes over the others', () => {
    const text =
      '[{"x":{"y":["]}",{}]},"id":1,"title":"a\\"b\\u00e9","user":{"id":2,"z":null,"login":"ada"},"labels":["π"]}]';
    expect(read(text)).toEqual([{ id: 1, title: 'a"bé', user: { id: 2, login: 'ada' }, labels: ['π'] }]);
  });

  it('gives what JSON.parse and the schema give, for any rows in any spacing', () => {
    const anyPerson = fc.record({ id: fc.integer(), login: fc.string({ unit: 'binary' }), age: fc.double() });
    const anyRow = fc.record({
      id: fc.maxSafeInteger(),
      title: fc.string({ unit: 'grapheme' }),
      user: fc.option(anyPerson),
      labels: fc.array(fc.string()),
      rest: fc.jsonValue(),
      ids: fc.jsonValue(),
      titles: fc.jsonValue(),
    });
    const spaces = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(fc.array(anyRow), spaces, (rows, space) => {
        // twice, so that repeated objects are met
        const text = JSON.stringify([...rows, ...rows], null, space);
        expect(z.array(row).parse(read(text))).toEqual(z.array(row).parse(JSON.parse(text)));
      }),
    );
  });

  it('refuses every text that is cut off', () => {
    const text = JSON.stringify([
      { id: 1, other: { a: ['b'] }, title: 't', user: null, labels: ['l'], rest: { deep: [1.5] } },
    ]);
    for (let length = 0; length < text.length; length += 1) expect(() => read(text.slice(0, length))).toThrow();
  });

  it.each(['[{"id" 1}]', '[{"id":1,}]', '[{"id":1]', '[1 2]', '[] []', '[{"id":}]', '<html>', '[{"id":tru}]', '[,]'])(
    'refuses %s',
    (text) => {
      expect(() => read(text)).toThrow();
    },
  );

  it('reads another kind of value than expected as it is, for the schema to judge', () => {
    expect(read('{"message":"no"}')).toEqual({ message: 'no' });
    expect(read('[{"user":7,"id":"x"}]')).toEqual([{ user: 7, id: 'x' }]);
  });

  it.each(['9007199254740993', '-9007199254740993', '18446744073709551615', '9007199254740992'])(
    'never lets %s through as a rounded number',
    (digits) => {
      const text = `[{"id":${digits},"title":"","user":null,"labels":[],"rest":null}]`;
      const issue = z.array(row).safeParse(read(text)).error?.issues[0];
      expect(issue?.path).toEqual([0, 'id']);
    },
  );

  it('keeps the largest exact number', () => {
    expect(read('[{"id":9007199254740991}]')).toEqual([{ id: 9007199254740991 }]);
  });
});
