import type { Commit, Pull, Repo } from '../state/repo.js';
import { history } from './commits.js';

/** Newest first: the commits a merge would add. */
export function missingIn(repo: Repo, base: string, head: string): Commit[] {
  const present = new Set(history(repo, base).map((each) => each.sha));
  return history(repo, head).filter((each) => !present.has(each.sha));
}

/** What the timeline says of a push: the commits that are new and not in the base, or from and to where it was forced. */
export function pushedBody(repo: Repo, base: string, head: string, before?: string): string {
  const forced = before !== undefined && !history(repo, head).some(({ sha }) => sha === before);
  const fresh = new Set(before === undefined ? [] : history(repo, before).map(({ sha }) => sha));
  const ids = missingIn(repo, base, head).flatMap(({ sha }) => (fresh.has(sha) ? [] : [sha]));
  return JSON.stringify({ is_force_push: forced, commit_ids: forced ? [before, head] : ids });
}

/** The size of the change and where the branches diverged. */
export function measure(repo: Repo, pull: Pull): void {
  const baseSha = repo.branches.get(pull.base) ?? '';
  const commits = missingIn(repo, baseSha, pull.headSha);
  pull.additions = commits.reduce((sum, each) => sum + each.additions, 0);
  pull.deletions = commits.reduce((sum, each) => sum + each.deletions, 0);
  pull.changedFiles = new Set(commits.flatMap((each) => each.files.map((file) => file.filename))).size;
  const ours = new Set(history(repo, pull.headSha).map((each) => each.sha));
  pull.mergeBase = history(repo, baseSha).find((each) => ours.has(each.sha))?.sha ?? '';
}
