/** Used as the operation's name, though it is not in the table. */
export const signingIn = 'oauth.token';

/** The forge or the person refused a sign-in. Contains no code, token or secret. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
  /** An OAuth error code: `access_denied`, `invalid_grant`. */
  readonly code: string;
  readonly description: string;

  constructor(code: string, description: string) {
    super(`${code}: ${description}`.slice(0, 300));
    this.code = code.slice(0, 60);
    this.description = description.slice(0, 240);
  }

  /** The application is misconfigured, which is not the fault of the person signing in. */
  get isOfProgram(): boolean {
    return this.code === 'invalid_client' || /client secret|client id|redirect uri/i.test(this.description);
  }
}
