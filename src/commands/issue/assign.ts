import { command } from '../../chat/command.js';
import { clearable, issue, optional, people } from '../../chat/fields/index.js';
import { UserError } from '../../errors.js';
import { possible } from '../possible.js';
import { edit, editReply, planEdit } from './editing.js';
import { formValues } from './values.js';

const given = (people: readonly string[] | null | undefined) => {
  if (people === undefined)
    throw new UserError('Assign whom? Write @person, a login, me, or nobody.', { field: 'people' });
  return { assignees: people };
};

export const issueAssign = command({
  name: 'issue assign',
  summary: 'Set who an issue is assigned to, in place of whoever has it now',
  examples: ['issue assign acme/engine#12 me', 'issue assign #12 ada, grace', 'issue assign #12 nobody'],
  fields: {
    issue: issue(),
    people: optional(clearable(people({ label: 'Assignees', hint: 'Everyone who shall have it; empty for nobody.' }))),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  form: 'edit',
  operations: ['issues.edit', 'issues.get', 'repos.listAssignees'],
  plan: ({ issue, people }, context) => planEdit('issue', issue, given(people), context),
  async prefill({ issue }, { api }) {
    return issue ? { people: formValues(await possible(api.issues.get(issue))).assignees } : {};
  },
  run: ({ issue, people }, context) => edit('issue', issue, given(people), context),
  reply: (result, _args, context) => editReply(result, context),
});
