import fc from 'fast-check';

/** How often a property is tried: CI tries it three times as often. */
export const tries = (usual: number) => ({ numRuns: process.env['CI'] ? 3 * usual : usual });

const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Any text at all. fast-check's own `binary` unit maps every character back first: a second and 100 MB. */
export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
  fc.string({ unit: anyCharacter, ...(maxLength === undefined ? {} : { maxLength }) });

/** How much longer eight times as much takes, at best: about 8 times if linear, 64 if quadratic. */
export function growthOf(work: (size: number) => void, size: number): number {
  const took = (letters: number) => {
    const began = performance.now();
    work(letters);
    return performance.now() - began;
  };
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < 3 || (tries < 40 && most > 16 * least); tries++) {
    least = Math.min(least, took(size));
    most = Math.min(most, took(8 * size));
  }
  return most / least;
}
