import { UserError } from '../errors.js';

/** A token is sent as the password in HTTP Basic; a renewable one as Bearer, the form in which scopes apply. */
export type Credential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly secret: string }
  /** Of an authorized application: requested before each call, because it expires. */
  | {
      readonly kind: 'renewed';
      token(): Promise<string>;
      /** Another one if the forge refused it early; undefined if there is none. */
      afterRefusal?(): Promise<string | undefined>;
    }
  | { readonly kind: 'anonymous' };

/** The credentials of a request, made once per sender. */
export interface Bearer {
  readonly plain: Readonly<Record<string, string>>;
  readonly withBody: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

const common = { accept: 'application/json', 'user-agent': 'bellows' };

/** The forge ignores the name beside a token. */
const anyLogin = 'token';

export interface Who {
  /** The current one. */
  now(): Bearer | Promise<Bearer>;
  /** For when the forge refused that one. */
  afterRefusal?(): Promise<Bearer | undefined>;
}

export function bearerOf(credential: Credential): Who {
  if (credential.kind !== 'renewed') {
    const fixed = bearer(credential);
    return { now: () => fixed };
  }
  const carryToken = (token: string) => carrying({ authorization: `Bearer ${token}` }, [token]);
  return {
    now: async () => carryToken(await credential.token()),
    async afterRefusal() {
      const token = await credential.afterRefusal?.();
      return token === undefined ? undefined : carryToken(token);
    },
  };
}

export function bearer(credential: Exclude<Credential, { readonly kind: 'renewed' }>): Bearer {
  if (credential.kind === 'anonymous') return carrying({}, []);
  const login = credential.kind === 'basic' ? credential.login : anyLogin;
  const secret = credential.kind === 'basic' ? credential.secret : credential.token;
  if (login.includes(':'))
    throw new UserError('A login cannot contain a colon. Enter the login and the token separately.');
  if (secret === '') throw new UserError('The token is empty. Create one on the forge under Settings, Applications.');
  const basic = Buffer.from(`${login}:${secret}`).toString('base64');
  return carrying({ authorization: `Basic ${basic}` }, [basic, secret]);
}

function carrying(authorization: Readonly<Record<string, string>>, secrets: readonly string[]): Bearer {
  const plain = { ...common, ...authorization };
  return { plain, withBody: { ...plain, 'content-type': 'application/json' }, secrets };
}
