import * as acts from '../acts/issues.js';
import { notifyAboutRepo } from '../acts/notify.js';
import { issueOf, person, repository } from '../state/find.js';
import type { Label } from '../state/label.js';
import type { Comment, Issue, Repo } from '../state/repo.js';
import type { State } from '../state/state.js';

/** Who does it, and where: logins, `owner/name` and numbers, as people write them. */
export interface By {
  readonly as: string;
  readonly repo: string;
}
export interface On extends By {
  readonly index: number;
}

export interface OpenIssue extends By {
  readonly title: string;
  readonly body?: string;
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  readonly milestone?: string;
}

function labelsNamed(repo: Repo, names: readonly string[]): Label[] {
  return names.map((name) => {
    const label = repo.labels.find((each) => each.name === name);
    if (label === undefined) throw new Error(`The sandbox forge has no label ${name} in ${repo.name}.`);
    return label;
  });
}

/** The parts an issue and a pull request start with. */
export function contentOf(state: State, what: OpenIssue) {
  const repo = repository(state, what.repo);
  return {
    title: what.title,
    body: what.body ?? '',
    labels: labelsNamed(repo, what.labels ?? []),
    assignees: (what.assignees ?? []).map((login) => person(state, login)),
    milestone: repo.milestones.find((each) => each.title === what.milestone),
  };
}

export const issueVerbs = (state: State) => {
  const at = (what: On): Issue => issueOf(state, what.repo, what.index);
  return {
    openIssue: (what: OpenIssue): Issue =>
      acts.openIssue(state, person(state, what.as), repository(state, what.repo), contentOf(state, what)),
    comment: (what: On & { readonly body: string }): Comment =>
      acts.comment(state, person(state, what.as), at(what), what.body),
    close: (what: On): void => acts.setState(state, person(state, what.as), at(what), 'closed'),
    reopen: (what: On): void => acts.setState(state, person(state, what.as), at(what), 'open'),
    edit: (what: On & { readonly title?: string; readonly body?: string }): void =>
      acts.rewrite(state, person(state, what.as), at(what), what.title, what.body),
    /** Replaces all. */
    label: (what: On & { readonly labels: readonly string[] }): void =>
      acts.setLabels(state, person(state, what.as), at(what), labelsNamed(repository(state, what.repo), what.labels)),
    /** Replaces all. */
    assign: (what: On & { readonly assignees: readonly string[] }): void =>
      acts.assign(
        state,
        person(state, what.as),
        at(what),
        what.assignees.map((login) => person(state, login)),
      ),
    lock: (what: On): void => {
      at(what).locked = true;
    },
    /** `index` is blocked by `by`. */
    dependOn: (what: On & { readonly by: number }): void => {
      at(what).dependencies.add(issueOf(state, what.repo, what.by));
    },
    /** A thread about the repository itself, as after an offered transfer. */
    notifyAboutRepo: (what: { readonly repo: string; readonly to: readonly string[] }): void =>
      notifyAboutRepo(
        state,
        repository(state, what.repo),
        what.to.map((login) => person(state, login)),
      ),
  };
};
