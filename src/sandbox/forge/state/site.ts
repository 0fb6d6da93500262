/**
 * gitea-1.28: what the recordings of that server show. gitea-1.26: an older server, without what came later.
 * document: the API document to the letter. no-swagger: a 1.28 that does not describe itself.
 */
export type Flavour = 'gitea-1.28' | 'gitea-1.26' | 'document' | 'no-swagger';

/** Feeds are ordered by whole seconds; inside one second the order is the database's mood. */
export type Ties = 'ascending' | 'descending' | 'alternating' | 'shuffled';

export interface Site {
  /** As in the browser, no slash at the end. */
  url: string;
  readonly flavour: Flavour;
  readonly pageMax: number;
  readonly zoneMinutes: number;
  ties: Ties;
  registrationToken: string | undefined;
  /** How long an import lasts. */
  migrationMs: number;
}
