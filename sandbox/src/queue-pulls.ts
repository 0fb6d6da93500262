import type { SandboxForge } from './forge/index.js';

const repo = 'acme/website';
const context = 'ci / browser tests';
const lookEveryMs = 500;
/** How long a commit is tested. */
const testSeconds = 2;

export interface QueuePulls {
  /** As people type them. */
  readonly names: readonly string[];
  /** One was merged, and the other failed on top of it. */
  isOver(): boolean;
  stop(): void;
}

/** Two pull requests that pass their checks alone and fail together. */
export function addQueuePulls({ world }: Pick<SandboxForge, 'world'>): QueuePulls {
  const open = (head: string, title: string, file: string) => {
    const [made] = world.push({
      as: 'margaret',
      repo,
      branch: head,
      from: 'main',
      commits: [{ message: title, files: [file] }],
    });
    return { index: world.openPull({ as: 'margaret', repo, title, head, base: 'main' }).index, sha: made?.sha };
  };
  const pulls = [
    open('larger-logo', 'Enlarge the logo', 'src/logo.svg'),
    open('smaller-header', 'Shrink the header', 'src/header.html'),
  ];
  const pullOf = (index: number) => world.issue(repo, index)?.pull;
  const lastStatus = (sha: string | undefined) =>
    world.repo(repo).statuses.findLast((each) => each.sha === sha && each.context === context);

  function look(): void {
    for (const { index, sha: alone } of pulls) {
      const pull = pullOf(index);
      if (!pull || pull.merged) continue;
      const last = lastStatus(pull.headSha);
      const isTested = last?.state === 'pending' && world.state.now() - last.at >= testSeconds;
      if (last && !isTested) continue;
      const state = !last ? 'pending' : pull.headSha === alone ? 'success' : 'failure';
      world.commitStatus({ as: 'margaret', repo, sha: pull.headSha, context, state });
    }
  }
  const timer = setInterval(look, lookEveryMs).unref();
  look();
  return {
    names: pulls.map(({ index }) => `${repo}#${index}`),
    isOver: () =>
      pulls.some(({ index }) => pullOf(index)?.merged !== undefined) &&
      pulls.some(({ index }) => lastStatus(pullOf(index)?.headSha)?.state === 'failure'),
    stop: () => clearInterval(timer),
  };
}
