import type { SandboxForge } from './forge/index.js';

const repo = 'acme/website';

/** A pull request from a fork whose run needs approval: it changes a workflow file. */
export function addForkRun({ world }: Pick<SandboxForge, 'world'>): void {
  world.forkRepo({ as: 'margaret', repo });
  const files = ['.gitea/workflows/ci.yml', 'index.html'];
  world.push({
    as: 'margaret',
    repo: 'margaret/website',
    branch: 'faster-ci',
    commits: [{ message: 'Cache it', files }],
  });
  const title = 'Cache dependencies in CI';
  world.openPull({ as: 'margaret', repo, title, head: 'faster-ci', from: 'margaret/website' });
  world.queueRun({ as: 'margaret', repo, title, branch: 'faster-ci', event: 'pull_request', needsApproval: true });
}
