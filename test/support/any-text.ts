import fc from 'fast-check';

/** Any code point that can stand alone; the library's own table of all of them takes seconds to build. */
const codePoint = fc
  .oneof(
    fc.integer({ min: 0, max: 0xff }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((point) => String.fromCodePoint(point));

export const anyText = (options: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: codePoint, ...options });
