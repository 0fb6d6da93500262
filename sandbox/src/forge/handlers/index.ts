import type { Handlers } from '../http/call.js';
import { activity } from './activity.js';
import { admin } from './admin.js';
import { issues } from './issues.js';
import { keys } from './keys.js';
import { notifications } from './notifications.js';
import { projects } from './projects.js';
import { pulls } from './pulls.js';
import { repos } from './repos.js';
import { runs } from './runs.js';
import { orgs, packages, server } from './small.js';
import { users } from './users.js';
import { workflows } from './workflows.js';

/** Every operation of the table, served from memory. */
export const handlers = {
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
} satisfies Handlers;
