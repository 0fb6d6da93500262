import { assign, setMilestone, setState } from '../acts/issues.js';
import { invalid, refuse } from '../http/answer.js';
import type { Body } from '../http/body.js';
import { badTime, parseTime } from '../http/query.js';
import { findUser } from '../state/find.js';
import type { User } from '../state/people.js';
import type { Issue, Milestone, Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';

/** Only the day counts: its last second, in the given offset. */
export function dueDate(body: Body): string | undefined {
  const text = body.text('due_date');
  if (text === undefined) return undefined;
  if (parseTime(text) === undefined) throw invalid(`[]: ${badTime(text)}`);
  const zone = /(Z|[+-]\d{2}:\d{2})$/.exec(text)?.[0] ?? 'Z';
  return `${text.slice(0, 10)}T23:59:59${zone}`;
}

/** The deprecated `assignee` counts as one more; undefined if neither was sent. */
export function assigneeNames(body: Body): string[] | undefined {
  const many = body.texts('assignees');
  const one = body.text('assignee');
  if (one === undefined || one === '') return many;
  return [...new Set([one, ...(many ?? [])])];
}

/** The people, or the first unknown name. */
export function peopleNamed(state: State, names: readonly string[]): User[] | string {
  const people: User[] = [];
  for (const name of names) {
    const user = findUser(state, name);
    if (user === undefined || user.kind === 'Organization') return name;
    people.push(user);
  }
  return people;
}

export const milestoneOf = (repo: Repo, id: number): Milestone | undefined =>
  repo.milestones.find((milestone) => milestone.id === id);

/** Forgejo has no content version: the last writer wins. */
export function mustBeFresh({ site }: State, issue: Issue, body: Body): void {
  if (isForgejo(site)) return;
  const seen = body.number('content_version');
  if (seen !== undefined && seen !== issue.contentVersion) throw refuse(409, 'the issue is already changed');
}

export function changeState(state: State, actor: User, issue: Issue, wanted: string | undefined): void {
  if (wanted === undefined) return;
  const isKnown = wanted === 'open' || wanted === 'closed';
  if (!isKnown && !isForgejo(state.site)) throw refuse(412, `unknown state: ${wanted}`);
  if (issue.pull?.merged !== undefined) {
    throw refuse(412, 'cannot change state of this pull request, it was already merged');
  }
  const blocked = [...issue.dependencies].some((dependency) => dependency.state === 'open');
  if (wanted === 'closed' && issue.state === 'open' && blocked) {
    throw refuse(412, 'cannot close this issue or pull request because it still has open dependencies');
  }
  setState(state, actor, issue, wanted === 'closed' ? 'closed' : 'open');
}

export interface Guarded {
  readonly state: State;
  readonly actor: User;
  readonly issue: Issue;
  readonly body: Body;
  /** The error for an unknown assignee or milestone. */
  readonly unknown: (what: string) => Error;
  /** On the pull request route 0 clears nothing. */
  readonly ignoresZero?: boolean;
}

/** Requires write access; silently ignored for others. */
export function changeGuarded({ state, actor, issue, body, unknown, ignoresZero = false }: Guarded): void {
  const due = dueDate(body);
  if (body.flag('unset_due_date') === true) issue.dueDate = undefined;
  else if (due !== undefined) issue.dueDate = due;
  const names = assigneeNames(body);
  if (names !== undefined) {
    const people = peopleNamed(state, names);
    if (typeof people === 'string') throw unknown(people);
    assign(state, actor, issue, people);
  }
  const id = body.number('milestone');
  if (id !== undefined && (id !== 0 || !ignoresZero)) {
    const milestone = milestoneOf(issue.repo, id);
    if (id !== 0 && milestone === undefined) throw unknown(`milestone ${id}`);
    setMilestone(state, actor, issue, milestone);
  }
}
