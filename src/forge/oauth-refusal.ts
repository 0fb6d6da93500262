/** Stands where an operation's name does: it is none of the table. */
export const signingIn = 'oauth.token';

/** The forge, or the person, said no to a sign-in. Holds no code, no token and no secret. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
  /** A word of the standard: `access_denied`, `invalid_grant`. */
  readonly code: string;
  readonly description: string;

  constructor(code: string, description: string) {
    super(`${code}: ${description}`.slice(0, 300));
    this.code = code.slice(0, 60);
    this.description = description.slice(0, 240);
  }

  /** The settings of the program are wrong, which is nobody's fault who signs in. */
  get isOfProgram(): boolean {
    return this.code === 'invalid_client' || /client secret|client id|redirect uri/i.test(this.description);
  }
}
