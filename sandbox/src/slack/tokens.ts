import type { TokenKind } from './records.js';
import { SlackError } from './slack-error.js';

export interface Token {
  kind: Exclude<TokenKind, 'none'>;
  scopes: readonly string[];
  revoked: boolean;
}

/** Who may call: the bot's token, the app's token, and tokens of installations. */
export class Tokens {
  readonly #tokens = new Map<string, Token>();

  add(value: string, kind: Token['kind'], scopes: readonly string[]): void {
    this.#tokens.set(value, { kind, scopes, revoked: false });
  }

  revoke(value: string): void {
    const token = this.#tokens.get(value);
    if (token !== undefined) token.revoked = true;
  }

  kindOf(value: string | undefined): TokenKind {
    return this.#tokens.get(value ?? '')?.kind ?? 'none';
  }

  check(value: string | undefined, kinds: readonly Token['kind'][]): Token {
    if (value === undefined || value === '') throw new SlackError('not_authed');
    const token = this.#tokens.get(value);
    if (token === undefined) throw new SlackError('invalid_auth');
    if (token.revoked) throw new SlackError('token_revoked');
    if (!kinds.includes(token.kind)) throw new SlackError('not_allowed_token_type');
    return token;
  }
}

export function demand(token: Token, needed: string): void {
  if (token.scopes.includes(needed)) return;
  throw new SlackError('missing_scope', { needed, provided: token.scopes.join(',') });
}
