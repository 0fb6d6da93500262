import { z } from 'zod';
import { operation } from '../operation.js';
import {
  Account,
  CreatedOAuthApp,
  CreatedToken,
  CurrentToken,
  DeployKey,
  Label,
  maybe,
  NotificationCount,
  NotificationStatus,
  NotificationThread,
  Organization,
  PublicKey,
  Repository,
  Team,
  User,
} from '../schemas.js';
import { Moment, Name, Paging, paging, RowId } from './input.js';

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

export const orgs = {
  mine: operation({
    route: 'GET /user/orgs',
    scope: ['user', 'organization'],
    effect: 'read',
    query: Paging,
    list: { item: Organization },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listTeams: operation({
    route: 'GET /orgs/{org}/teams',
    scope: ['organization'],
    effect: 'read',
    query: Paging,
    list: { item: Team },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listTeamMembers: operation({
    route: 'GET /teams/{id}/members',
    scope: ['organization'],
    effect: 'read',
    query: Paging,
    list: { item: User },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listLabels: operation({
    route: 'GET /orgs/{org}/labels',
    scope: ['organization'],
    effect: 'read',
    query: Paging,
    list: { item: Label },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listRepos: operation({
    route: 'GET /orgs/{org}/repos',
    scope: ['organization', 'repository'],
    effect: 'read',
    query: Paging,
    list: { item: Repository },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
} as const;

const CreateKey = z.strictObject({ title: Name, key: Name, read_only: z.boolean().optional() });

export const keys = {
  listDeploy: operation({
    route: 'GET /repos/{owner}/{repo}/keys',
    effect: 'read',
    query: z.strictObject({ key_id: RowId.optional(), fingerprint: z.string().optional(), ...paging }),
    list: { item: DeployKey },
    failures: ['forbidden', 'notFound'],
  }),
  /** Without `read_only: true` the key may write. */
  addDeploy: operation({
    route: 'POST /repos/{owner}/{repo}/keys',
    effect: 'once',
    body: CreateKey,
    answer: DeployKey,
    failures: ['forbidden', 'notFound', 'invalid'],
  }),
  listMine: operation({
    route: 'GET /user/keys',
    scope: ['user'],
    effect: 'read',
    query: z.strictObject({ fingerprint: z.string().optional(), ...paging }),
    list: { item: PublicKey },
    failures: ['unauthorized', 'forbidden'],
    beyond: true,
  }),
  addMine: operation({
    route: 'POST /user/keys',
    scope: ['user'],
    effect: 'once',
    body: CreateKey,
    answer: PublicKey,
    failures: ['unauthorized', 'forbidden', 'notFound', 'invalid'],
  }),
} as const;

const marking = z.strictObject({
  last_read_at: Moment.optional(),
  all: z.boolean().optional(),
  'status-types': z.array(NotificationStatus).optional(),
  'to-status': NotificationStatus.optional(),
});

export const notifications = {
  /** 205 with a body that a proxy may drop: then undefined, and the thread must be read again. */
  markThread: operation({
    route: 'PATCH /notifications/threads/{id}',
    scope: ['notification'],
    effect: 'idempotent',
    query: z.strictObject({ 'to-status': NotificationStatus.optional() }),
    answer: maybe(NotificationThread),
    failures: ['forbidden', 'notFound', 'rejected'],
  }),
  /** Every selected thread, unpaged; changes `updated_at` of each, so it is no way to list them. */
  markAll: operation({
    route: 'PUT /notifications',
    scope: ['notification'],
    effect: 'idempotent',
    query: marking,
    answer: maybe(z.array(NotificationThread)),
    failures: ['invalid', 'forbidden'],
  }),
  /** The same for one repository. */
  markRepo: operation({
    route: 'PUT /repos/{owner}/{repo}/notifications',
    scope: ['notification'],
    effect: 'idempotent',
    query: marking,
    answer: maybe(z.array(NotificationThread)),
    failures: ['invalid', 'forbidden', 'notFound'],
    beyond: true,
  }),
  list: operation({
    route: 'GET /notifications',
    scope: ['notification'],
    effect: 'read',
    query: z.strictObject({
      all: z.boolean().optional(),
      'status-types': z.array(NotificationStatus).optional(),
      'subject-type': z.array(z.enum(['issue', 'pull', 'commit', 'repository'])).optional(),
      since: Moment.optional(),
      before: Moment.optional(),
      ...paging,
    }),
    list: { item: NotificationThread },
    failures: ['forbidden', 'invalid'],
    beyond: true,
  }),
  getThread: operation({
    route: 'GET /notifications/threads/{id}',
    scope: ['notification'],
    effect: 'read',
    answer: NotificationThread,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  countNew: operation({
    route: 'GET /notifications/new',
    scope: ['notification'],
    effect: 'read',
    answer: NotificationCount,
    failures: ['forbidden'],
    beyond: true,
  }),
} as const;
