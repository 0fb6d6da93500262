const size = (name: string, usual: number): number => Number(process.env[name] ?? usual);

/** Small enough to be repeated; docs/scaling.md has the sizes of an organization of some hundred thousand people. */
export const sizes = {
  owners: size('SCALE_OWNERS', 20),
  repositories: size('SCALE_REPOSITORIES', 1_000),
  followersEach: size('SCALE_FOLLOWERS', 10),
  channels: size('SCALE_CHANNELS', 2_000),
  workspaces: size('SCALE_WORKSPACES', 20),
  /** Linked, each with an inbox. */
  people: size('SCALE_PEOPLE', 20_000),
  eventsPerSecond: size('SCALE_RATE', 40),
  seconds: size('SCALE_SECONDS', 15),
  /** How long after the last event the last post may come. */
  patienceSeconds: size('SCALE_PATIENCE', 300),
  workers: (process.env['SCALE_WORKERS'] ?? '1,2').split(',').map(Number),
} as const;

/** Only the first three happen here. Nobody follows tags: those would get releases too. */
const wanted = [
  'issues',
  'commits',
  'releases',
  'reviews',
  'branches',
  'reviews:approved',
  'comments',
  'pulls',
  'repos',
  'mirrors',
];

/** Nobody follows the activity of every fifth repository. */
export const featureOf = (repository: number, follower: number): string =>
  wanted[(repository % 5 === 0 ? follower % 7 : follower % wanted.length) + (repository % 5 === 0 ? 3 : 0)] ??
  'mirrors';

export const channelAt = (at: number): string => `C${String(at).padStart(9, '0')}`;
/** Each kind of event reaches every channel in turn, or a few would get all of Slack's pace. */
export const channelOf = (repository: number, follower: number): string =>
  channelAt((repository * 613 + follower * 37) % sizes.channels);
/** Each has the rate limit of its own workspace. */
export const teamOf = (channel: string): string =>
  `T0SCALE${Math.floor((Number(channel.slice(1)) * sizes.workspaces) / sizes.channels)}`;

export const personAt = (at: number): string => `U0P${String(at).padStart(8, '0')}`;
export const repositoryAt = (at: number) => ({ owner: `org-${at % sizes.owners}`, name: `repo-${at}` });

/** The n-th event: its repository, its kind, and a unique title. */
export function eventAt(round: number, n: number) {
  const repository = (n * 7_919 + round * 104_729) % sizes.repositories;
  const kind = n % 10 < 5 ? 'issues' : n % 10 < 9 ? 'commits' : 'releases';
  const follower = wanted.indexOf(kind);
  const read = repository % 5 !== 0 && follower < sizes.followersEach;
  return {
    repository,
    kind,
    title: `E${round}x${String(n).padStart(6, '0')}z`,
    channel: read ? channelOf(repository, follower) : undefined,
  };
}
