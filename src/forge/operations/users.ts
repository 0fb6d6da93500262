import { z } from 'zod';
import { operation } from '../operation.js';
import { CreatedOAuthApp, CreatedToken, CurrentToken } from '../schemas/token.js';
import { Account } from '../schemas/user.js';
import { Name, paging, RowId } from './input.js';

export const users = {
  me: operation({
    route: 'GET /user',
    scope: ['user'],
    effect: 'read',
    answer: Account,
    failures: ['unauthorized', 'forbidden'],
    beyond: true,
  }),
  get: operation({
    route: 'GET /users/{username}',
    scope: ['user'],
    effect: 'read',
    answer: Account,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  search: operation({
    route: 'GET /users/search',
    scope: ['user'],
    effect: 'read',
    query: z.strictObject({ q: z.string().optional(), uid: RowId.optional(), ...paging }),
    list: { item: Account, in: 'data' },
    failures: ['forbidden'],
    beyond: true,
  }),
  /** Needs Basic; a token as the password works if it may write the user. */
  createToken: operation({
    route: 'POST /users/{username}/tokens',
    scope: ['user'],
    effect: 'once',
    body: z.strictObject({ name: Name, scopes: z.array(Name).min(1) }),
    answer: CreatedToken,
    failures: ['unauthorized', 'forbidden', 'notFound', 'invalid'],
    beyond: true,
  }),
  /** Its owner does not matter: anyone may sign in with it. */
  createOAuthApp: operation({
    route: 'POST /user/applications/oauth2',
    scope: ['user'],
    effect: 'once',
    body: z.strictObject({ name: Name, redirect_uris: z.array(z.url()).min(1), confidential_client: z.boolean() }),
    answer: CreatedOAuthApp,
    failures: ['unauthorized', 'forbidden', 'invalid'],
    beyond: true,
  }),
  currentToken: operation({
    route: 'GET /token',
    scope: [],
    effect: 'read',
    answer: CurrentToken,
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.27',
    forgejo: { since: 'none' },
  }),
} as const;
