import { describe } from 'vitest';
import { activity } from './activity.js';
import { adminActions } from './admin-actions.js';
import { adminSite } from './admin-site.js';
import { issues } from './issues.js';
import { issuesAround } from './issues-around.js';
import { keys } from './keys.js';
import { notifications } from './notifications.js';
import { projects } from './projects.js';
import { pulls } from './pulls.js';
import { repos } from './repos.js';
import { reposAround } from './repos-around.js';
import { rest } from './rest.js';
import { runs } from './runs.js';
import type { ContractServer } from './server.js';
import { type Ledger, recordIn } from './suite.js';
import { workflows } from './workflows.js';

const suites = {
  adminActions,
  adminSite,
  repos,
  reposAround,
  keys,
  issues,
  issuesAround,
  pulls,
  runs,
  workflows,
  projects,
  notifications,
  activity,
  rest,
};

/** What every server must do, sandbox or real. */
export function contract(book: Ledger, server: () => ContractServer): void {
  for (const [name, suite] of Object.entries(suites)) describe(name, () => suite(recordIn(book, server)));
}
