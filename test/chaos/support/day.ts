import type { SandboxForge } from '@bellows/sandbox/forge';
import type { Chance } from './chance.js';

/** An event as a channel's line shows it: a word and the path of the linked page. */
export type Deed = string;

export interface Day {
  /** Makes one more thing happen in one of the repositories. */
  act(): void;
  /** A repository's feed events, in order. */
  of(repo: string): readonly Deed[];
  runsOf(repo: string): readonly Deed[];
  readonly count: number;
}

/** People at work: issues, comments, pushes, merges and failing runs, each with what channels should show. */
export function createDay({ world }: SandboxForge, repos: readonly string[], chance: Chance): Day {
  const actions = new Map(repos.map((repo) => [repo, [] as Deed[]]));
  const runs = new Map(repos.map((repo) => [repo, [] as Deed[]]));
  const fresh: { repo: string; index: number }[] = [];
  const open: { repo: string; index: number }[] = [];
  const pulls: { repo: string; index: number }[] = [];
  let count = 0;
  const note = (repo: string, action: Deed) => {
    count += 1;
    actions.get(repo)?.push(action);
  };
  const take = <T>(from: T[]): T | undefined => from.splice(chance.between(0, from.length), 1)[0];

  function openIssue(repo: string): void {
    const { index } = world.openIssue({ as: 'grace', repo, title: `Steam ${count} <!channel>` });
    fresh.push({ repo, index });
    note(repo, `opened /${repo}/issues/${index}`);
  }

  const acts: readonly ((repo: string) => void)[] = [
    openIssue,
    () => {
      const issue = take(fresh);
      if (!issue) return;
      const { id } = world.comment({ as: 'ada', ...issue, body: `seen ${count}` });
      open.push(issue);
      note(issue.repo, `commented /${issue.repo}/issues/${issue.index}#issuecomment-${id}`);
    },
    () => {
      const issue = take(open);
      if (!issue) return;
      world.close({ as: 'ada', ...issue });
      note(issue.repo, `closed /${issue.repo}/issues/${issue.index}`);
    },
    (repo) => {
      const [commit] = world.push({ as: 'grace', repo, branch: 'main', commits: [{ message: `Change ${count}` }] });
      note(repo, `pushed ${commit?.sha}`);
    },
    (repo) => {
      const head = `work-${count}`;
      // other branches than the default are not posted here
      world.push({ as: 'grace', repo, branch: head, commits: [{ message: `Work ${count}` }] });
      const { index } = world.openPull({ as: 'grace', repo, title: `Work ${count}`, head });
      pulls.push({ repo, index });
      note(repo, `opened /${repo}/pulls/${index}`);
    },
    () => {
      const pull = take(pulls);
      if (!pull) return;
      // two rows, one event
      world.merge({ as: 'ada', ...pull });
      note(pull.repo, `merged /${pull.repo}/pulls/${pull.index}`);
    },
    (repo) => {
      const { id } = world.startRun({ as: 'ada', repo, workflow: 'ci.yml', branch: `red-${count}` });
      world.finishRun({ run: id, conclusion: 'failure' });
      count += 1;
      runs.get(repo)?.push(`failed /${repo}/actions/runs/${id}`);
    },
  ];

  return {
    act() {
      const before = count;
      const repo = chance.of(repos);
      chance.of(acts)(repo);
      if (count === before) openIssue(repo);
    },
    of: (repo) => actions.get(repo) ?? [],
    runsOf: (repo) => runs.get(repo) ?? [],
    get count() {
      return count;
    },
  };
}
