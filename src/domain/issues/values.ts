import { hidden } from '../../chat/fields/hidden.js';
import { body, clearable, flag, labels, milestone, number, people, text } from '../../chat/fields/index.js';
import { printsOf, type Seen, seen } from '../../chat/fields/seen.js';
import type { Milestone } from '../../chat/fields/tags.js';
import { UserError } from '../../errors.js';
import type { Issue } from '../../forge/schemas/issue.js';
import { day } from '../../view/when.js';
import { dueDate } from './due-date.js';

/** What can be changed on an issue or pull request; null clears it. */
export interface Values {
  readonly title?: string | undefined;
  readonly body?: string | null | undefined;
  readonly assignees?: readonly string[] | null | undefined;
  readonly milestone?: Milestone | null | undefined;
  readonly due?: string | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
}

/** As requested: with what the form showed, if there was one. */
export interface Wanted extends Values {
  readonly version?: number | undefined;
  readonly seen?: Seen | undefined;
}

export const valueNames = ['title', 'body', 'assignees', 'milestone', 'due', 'labels'] as const;
export type ValueName = (typeof valueNames)[number];

export const words: Readonly<Record<ValueName, string>> = {
  title: 'title',
  body: 'text',
  assignees: 'assignees',
  milestone: 'milestone',
  due: 'due date',
  labels: 'labels',
};

/** The fields of `issue edit` and `pr edit`. */
export const editFields = {
  title: flag(text({ label: 'Title' })),
  body: flag(clearable(body({ label: 'Text', hint: 'Markdown.' }))),
  assignees: flag(clearable(people({ label: 'Assignees' }))),
  milestone: flag(clearable(milestone())),
  due: flag(clearable(dueDate())),
  labels: flag(clearable(labels())),
  version: hidden(number({ label: 'Version', min: 0 })),
  seen: seen(),
};

/** All of them, as the forge has them now. */
export interface PresentValues extends Values {
  readonly title: string;
  readonly milestone: { readonly title: string } | null;
}

export function valuesOf(issue: Issue): PresentValues {
  return {
    title: issue.title,
    body: issue.body,
    assignees: issue.assignees.map(({ login }) => login),
    milestone: issue.milestone ? { title: issue.milestone.title.replace(/\s+/g, ' ').trim() } : null,
    due: day(issue.due_date) ?? null,
    labels: issue.labels.map(({ name }) => name),
  };
}

const listed = <T>(all: readonly T[]) => (all.length === 0 ? null : all);

/** The current values, to prefill a form. */
export function formValues(issue: Issue | undefined) {
  // Without them an emptied field would look like one that was never filled.
  if (!issue) {
    throw new UserError(
      'This forge cannot fill the form. Type the change instead, such as /forge issue edit #12 --title "New title".',
    );
  }
  const values = valuesOf(issue);
  return {
    ...values,
    assignees: listed(issue.assignees.map(({ login }) => ({ login }))),
    labels: listed(values.labels ?? []),
    seen: printsOf({ ...values }),
    ...(issue.content_version === undefined ? {} : { version: issue.content_version }),
  };
}
