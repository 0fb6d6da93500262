const forgejoReleases = { 'forgejo-11': 11, 'forgejo-15': 15, 'forgejo-16': 16 } as const;

/**
 * gitea-1.28: as recorded from that server. gitea-1.26: an older server, without later additions.
 * forgejo-11, -15, -16: the other product, as recorded.
 * document: the API document to the letter. no-swagger: a 1.28 without an API document.
 */
export type Flavor = 'gitea-1.28' | 'gitea-1.26' | keyof typeof forgejoReleases | 'document' | 'no-swagger';

export type ForgejoRelease = (typeof forgejoReleases)[keyof typeof forgejoReleases];

/** Feeds are ordered by whole seconds; within a second the order is up to the database. */
export type Ties = 'ascending' | 'descending' | 'alternating' | 'shuffled';

export interface Site {
  /** As in the browser, no slash at the end. */
  url: string;
  readonly flavor: Flavor;
  /** Whether commits are real ones that git can fetch. */
  readonly git: boolean;
  readonly pageMax: number;
  readonly recheckMs: number;
  readonly zoneMinutes: number;
  ties: Ties;
  /** How feed rows are written from now on: `12|title`, or `["12","title"]`. Existing rows keep their form. */
  rowForm: 'piped' | 'listed';
  registrationToken: string | undefined;
  /** How long an import takes. */
  migrationMs: number;
  /** A proxy in front drops range requests: files are served whole. */
  ignoresRange: boolean;
  /** How long an application's new access tokens are valid. */
  accessSeconds: number;
  /** A refresh token works once. */
  readonly refreshOnce: boolean;
}

/** Undefined on every other server. */
export const forgejoOf = ({ flavor }: Pick<Site, 'flavor'>): ForgejoRelease | undefined =>
  Object.entries(forgejoReleases).find(([name]) => name === flavor)?.[1];

export const isForgejo = (site: Pick<Site, 'flavor'>, since: ForgejoRelease = 11): boolean =>
  (forgejoOf(site) ?? 0) >= since;
