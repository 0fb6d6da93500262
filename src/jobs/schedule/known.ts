import { SourceAbout } from '../../feed/sources/about.js';
import { readSource } from '../../feed/sources/source.js';
import type { SourceState } from '../../store/index.js';

/** Above this, an owner's feed and list are polled instead of each repository. */
const few = 10;

/** What is polled now. */
export interface Known {
  readonly states: ReadonlyMap<string, SourceState>;
  readonly abouts: ReadonlyMap<string, SourceAbout>;
  /** Owners whose feed and list cover many of them. */
  readonly many: ReadonlyMap<number, string>;
}

export function readKnown(sources: readonly { readonly source: string; readonly state: SourceState }[]): Known {
  const abouts = new Map<string, SourceAbout>();
  for (const { source, state } of sources) {
    const read = SourceAbout.safeParse(state.about).data;
    if (!read) continue;
    // whether many are polled together is determined anew each time
    const { together: _, ...about } = read;
    abouts.set(source, about);
  }
  return { states: new Map(sources.map(({ source, state }) => [source, state])), abouts, many: manyOf(abouts) };
}

/** The owners with many repositories among these sources, by id, with their names. */
export function manyOf(sources: ReadonlyMap<string, SourceAbout>): ReadonlyMap<number, string> {
  const counts = new Map<number, number>();
  const found = new Map<number, string>();
  for (const [source, { ownerId, owner }] of sources) {
    if (ownerId === undefined || readSource(source)?.kind !== 'repo') continue;
    const count = (counts.get(ownerId) ?? 0) + 1;
    counts.set(ownerId, count);
    if (count > few) found.set(ownerId, owner);
  }
  return found;
}
