import type { User } from './people.js';

/** An application that people let act for them. */
export interface OAuthApp {
  readonly id: number;
  readonly owner: User;
  readonly name: string;
  readonly clientId: string;
  readonly secret: string;
  readonly confidential: boolean;
  readonly redirectUris: readonly string[];
  readonly created: number;
}

/** One person's consent to one application; it keeps its first scopes. */
export interface Grant {
  readonly id: number;
  readonly app: OAuthApp;
  readonly user: User;
  readonly scope: string;
  /** Each refresh token carries the counter it was made with. */
  counter: number;
}

export interface Code {
  readonly grant: Grant;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly method: string;
  readonly expires: number;
}

/** A request its person has not decided yet. */
export interface Asked {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: string;
  readonly method: string;
}

export interface Session {
  user?: User;
  asked?: Asked;
  /** Where to go after signing in. */
  next?: string;
}

/** One request at the token endpoint, without its secrets. */
interface Exchanged {
  readonly grantType: string;
  readonly status: number;
  readonly error?: string;
}

export interface OAuthState {
  readonly apps: Map<string, OAuthApp>;
  readonly grants: Set<Grant>;
  readonly codes: Map<string, Code>;
  readonly refreshTokens: Map<string, { readonly grant: Grant; readonly counter: number }>;
  readonly sessions: Map<string, Session>;
  readonly exchanged: Exchanged[];
}

export const createOAuthState = (): OAuthState => ({
  apps: new Map(),
  grants: new Set(),
  codes: new Map(),
  refreshTokens: new Map(),
  sessions: new Map(),
  exchanged: [],
});
