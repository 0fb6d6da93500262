/** Random choices that come out the same for the same seed. */
export interface Chance {
  readonly seed: number;
  /** At least `least`, below `most`. */
  between(least: number, most: number): number;
  /** True in this percentage of cases. */
  percent(often: number): boolean;
  of<T>(list: readonly T[]): T;
}

export function createChance(seed = Number(process.env['BELLOWS_CHAOS_SEED'] ?? Date.now() % 1_000_000)): Chance {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    seed,
    between: (least, most) => Math.floor(least + next() * (most - least)),
    percent: (often) => next() * 100 < often,
    of(list) {
      const chosen = list[Math.floor(next() * list.length)];
      if (chosen === undefined) throw new Error('nothing to choose from');
      return chosen;
    },
  };
}
