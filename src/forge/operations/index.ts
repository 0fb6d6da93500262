import { operation } from '../operation.js';
import { ApiSettings, ServerVersion } from '../schemas.js';
import { admin } from './admin.js';
import { issues } from './issues.js';
import { projects } from './projects.js';
import { pulls } from './pulls.js';
import { activity, packages, repos } from './repos.js';
import { runs } from './runs.js';
import { keys, notifications, orgs, users } from './users.js';
import { workflows } from './workflows.js';

const server = {
  version: operation({
    route: 'GET /version',
    scope: [],
    effect: 'read',
    answer: ServerVersion,
    failures: ['forbidden'],
    beyond: true,
  }),
  settings: operation({
    route: 'GET /settings/api',
    scope: [],
    effect: 'read',
    answer: ApiSettings,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
} as const;

/** Everything the client can request from a forge; the client and the sandbox forge are derived from it. */
export const operations = {
  admin,
  repos,
  keys,
  orgs,
  users,
  server,
  issues,
  pulls,
  runs,
  workflows,
  projects,
  notifications,
  activity,
  packages,
} as const;
export type Operations = typeof operations;
