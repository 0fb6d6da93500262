import { activity } from './activity.js';
import { admin } from './admin.js';
import { issues } from './issues.js';
import { keys } from './keys.js';
import { notifications } from './notifications.js';
import { orgs } from './orgs.js';
import { packages } from './packages.js';
import { projects } from './projects.js';
import { pulls } from './pulls.js';
import { repos } from './repos.js';
import { runs } from './runs.js';
import { server } from './server.js';
import { users } from './users.js';
import { workflows } from './workflows.js';

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
