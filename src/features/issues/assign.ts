import { command } from '../../chat/command.js';
import { clearable, issue, optional, people, type Seen, seenField } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import { possible } from '../../forge/possible.js';
import { edit, editReply, planEdit } from './changes.js';
import { formValues } from './values.js';

interface Given {
  readonly people?: readonly string[] | null | undefined;
  readonly seen?: Seen | undefined;
}

/** A form submitted without people means nobody, as it says. */
const wantedOf = ({ people, seen }: Given) => ({
  assignees: people ?? null,
  seen: under('assignees', seen?.['people']),
});

/** Typed input has no form that would say so. */
function typedOf(given: Given) {
  if (given.people === undefined)
    throw new UserError('Who should be assigned? Write @person, a login, me, or nobody.', { field: 'people' });
  return wantedOf(given);
}

const under = (name: string, print: string | undefined): Seen | undefined =>
  print === undefined ? undefined : { [name]: print };

export const issueAssign = command({
  name: 'issue assign',
  aliases: ['assign'],
  summary: 'Assign an issue, replacing the current assignees',
  examples: ['issue assign acme/engine#12 me', 'issue assign #12 ada, grace', 'issue assign #12 nobody'],
  fields: {
    issue: issue(),
    people: optional(
      clearable(people({ label: 'Assignees', hint: 'Replaces the current assignees. Leave empty for nobody.' })),
    ),
    seen: seenField(),
  },
  form: {
    opens: 'edit',
    async prefill({ issue }, { api }) {
      if (!issue) return {};
      const { assignees, seen } = formValues(await possible(api.issues.get(issue)));
      return { people: assignees, seen: under('people', seen['assignees']) };
    },
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  approval: { forPulls: 'pr edit' },
  operations: ['issues.edit', 'issues.get', 'repos.listAssignees'],
  plan: ({ issue, ...given }, context) => planEdit('issue', issue, typedOf(given), context),
  run: ({ issue, ...given }, context) => edit('issue', issue, wantedOf(given), context),
  reply: (result, _args, context) => editReply(result, context),
});
