const forgejoReleases = { 'forgejo-11': 11, 'forgejo-15': 15, 'forgejo-16': 16 } as const;

/**
 * gitea-1.28: what the recordings of that server show. gitea-1.26: an older server, without what came later.
 * forgejo-11, -15, -16: the other product, as its recordings show it.
 * document: the API document to the letter. no-swagger: a 1.28 that does not describe itself.
 */
export type Flavour = 'gitea-1.28' | 'gitea-1.26' | keyof typeof forgejoReleases | 'document' | 'no-swagger';

export type ForgejoRelease = (typeof forgejoReleases)[keyof typeof forgejoReleases];

/** Feeds are ordered by whole seconds; inside one second the order is the database's mood. */
export type Ties = 'ascending' | 'descending' | 'alternating' | 'shuffled';

export interface Site {
  /** As in the browser, no slash at the end. */
  url: string;
  readonly flavour: Flavour;
  readonly pageMax: number;
  readonly zoneMinutes: number;
  ties: Ties;
  /** How feed rows are written from now on: `12|title`, or `["12","title"]`. Rows keep the form they were written in. */
  rowForm: 'piped' | 'listed';
  registrationToken: string | undefined;
  /** How long an import lasts. */
  migrationMs: number;
  /** A proxy before it passes no ranges on: files come in whole. */
  ignoresRange: boolean;
  /** How long a program's access token lives from now on. */
  accessSeconds: number;
  /** A refresh token works once. */
  readonly refreshOnce: boolean;
}

/** Undefined on every other server. */
export const forgejoOf = ({ flavour }: Pick<Site, 'flavour'>): ForgejoRelease | undefined =>
  Object.entries(forgejoReleases).find(([name]) => name === flavour)?.[1];

export const isForgejo = (site: Pick<Site, 'flavour'>, since: ForgejoRelease = 11): boolean =>
  (forgejoOf(site) ?? 0) >= since;
