import { UserError } from '../errors.js';

/** All but the anonymous are sent as HTTP Basic; a token stands where the password would. */
export type Credential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly secret: string }
  | { readonly kind: 'anonymous' };

/** What a request carries of its sender, made once per sender. */
export interface Bearer {
  readonly plain: Readonly<Record<string, string>>;
  readonly withBody: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

const common = { accept: 'application/json', 'user-agent': 'bellows' };

/** The forge does not look at the name beside a token. */
const anyLogin = 'token';

export function bearer(credential: Credential): Bearer {
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
