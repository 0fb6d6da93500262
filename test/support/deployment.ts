import type { Deployment } from '../../src/store/index.js';

/** A deployment as the store takes it, about to start. */
export const deploymentOf = (more: Partial<Deployment> = {}): Deployment => ({
  id: 'd1',
  environment: 'production',
  repository: { owner: 'acme', repo: 'engine' },
  workflow: 'deploy.yml',
  ref: 'refs/heads/main',
  sha: 'a'.repeat(40),
  from: null,
  by: { team: 'T1', user: 'U1', login: 'ada' },
  approvers: [],
  breakGlass: null,
  channel: 'C1',
  approval: null,
  run: null,
  attempt: 1,
  url: '',
  otherCommit: null,
  rollback: null,
  state: 'starting',
  startedAt: 0,
  endedAt: null,
  ...more,
});

/** A workflow file that is started by hand, with these inputs. */
export const dispatchedWith = (inputs: string): string =>
  `on:\n  workflow_dispatch:\n    inputs:\n${inputs}jobs:\n  build:\n    runs-on: x\n    steps:\n      - run: make\n`;
