import type { Flavor, Ties } from './state/site.js';
import type { State } from './state/state.js';
import type { World } from './world/index.js';

type SeedFn = (state: State, world: World) => void;

export interface ForgeOptions {
  readonly port?: number;
  readonly host?: string;
  /** Milliseconds, as Date.now. */
  readonly clock?: () => number;
  readonly seed?: 'organization' | 'empty' | SeedFn;
  readonly flavor?: Flavor;
  /** Serves its repositories to git, which must be on PATH; default: not. */
  readonly git?: boolean;
  /** The address the server believes it has; links are made from it. */
  readonly rootUrl?: string;
  /** Everything below this path, as behind a proxy: `/git`. */
  readonly subPath?: string;
  readonly pageMax?: number;
  /** How long the server checks open pull requests for conflicts after their base moved; default: not at all. */
  readonly recheckMs?: number;
  readonly ties?: Ties;
  /** Offset of the server's times in minutes. */
  readonly zoneMinutes?: number;
  /** How long an application's access token is valid; default: an hour. */
  readonly accessSeconds?: number;
  /** Whether a refresh token works once; on Forgejo it does, on Gitea if configured. */
  readonly refreshOnce?: boolean;
}
