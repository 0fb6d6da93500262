import { command } from '../../chat/command.js';
import { clearable, issue, optional, type Seen, seenField } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import { possible } from '../../forge/possible.js';
import { edit, editReply, planEdit } from './changes.js';
import { dueDate, formValues } from './values.js';

interface Given {
  readonly due?: string | null | undefined;
  readonly seen?: Seen | undefined;
}

/** A form opened without an issue could not show its date, so an empty field means nothing there. */
function wantedOf(given: Given) {
  if (given.due !== undefined) return given;
  throw new UserError('When is it due? Write a day such as fri or 2026-12-01, or none to clear it.', {
    field: 'due',
  });
}

export const issueDue = command({
  name: 'issue due',
  title: 'Set due date',
  summary: 'Set or clear the due date of an issue',
  examples: ['issue due acme/engine#12 fri', 'issue due #12 2026-12-01', 'issue due #12 none'],
  fields: { issue: issue(), due: optional(clearable(dueDate())), seen: seenField() },
  form: {
    opens: 'edit',
    async prefill({ issue }, { api }) {
      if (!issue) return {};
      const { due, seen } = formValues(await possible(api.issues.get(issue)));
      return { due, seen };
    },
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  approval: { forPulls: 'pr edit' },
  operations: ['issues.edit', 'issues.get'],
  plan: ({ issue, ...given }, context) => planEdit('issue', issue, wantedOf(given), context),
  run: ({ issue, ...given }, context) => edit('issue', issue, wantedOf(given), context),
  reply: (result, _args, context) => editReply(result, context),
});
