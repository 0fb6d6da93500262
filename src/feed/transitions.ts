import type { Outcome, RunFacts } from './event.js';
import type { Track } from './mark.js';

/** One color history per workflow and branch of a repository. */
export const trackKey = (workflow: string, branch: string): string => `${workflow}\n${branch}`;

interface Ended {
  readonly id: number;
  readonly workflow: string;
  readonly branch: string;
  readonly outcome: Outcome;
  readonly at: string;
  readonly sha: string;
  readonly number: number;
  readonly url: string;
}

type Transition = NonNullable<RunFacts['transition']>;

/** First red, and green again; canceled or skipped runs do not change the color. */
export function transition(
  track: Track | undefined,
  run: Ended,
): { readonly track: Track | undefined; readonly transition?: Transition } {
  if (run.outcome !== 'failure' && run.outcome !== 'success') return { track };
  const color = run.outcome === 'failure' ? 'red' : 'green';
  const last = { number: run.number, url: run.url, at: run.at };
  if (track?.color === color) return { track: { ...track, sha: run.sha, last } };
  const next: Track = { color, run: run.id, at: run.at, sha: run.sha, last };
  // the first run ever seen on a branch is news only if it failed
  if (!track && color === 'green') return { track: next };
  return {
    track: next,
    transition: {
      to: color,
      ...(color === 'green' && track && { since: track.run, brokenAt: track.at }),
      ...(color === 'red' && track?.sha && { green: track.sha }),
      ...(color === 'red' && track?.last && { lastGreen: track.last }),
    },
  };
}
