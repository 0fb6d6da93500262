import { command } from '../../chat/command.js';
import { pull } from '../../chat/fields.js';
import { possible } from '../../forge/possible.js';
import { edit, editReply, planEdit } from '../issues/changes.js';
import { refuseIssue } from '../issues/close.js';
import { editFields, formValues } from '../issues/values.js';

export const prEdit = command({
  name: 'pr edit',
  summary: 'Edit a pull request: title, text, people, labels and dates',
  examples: ['pr edit acme/engine#5', 'pr edit #5 --title "Seal the pipe" --labels ready'],
  fields: { pull: pull(), ...editFields },
  form: {
    opens: 'edit',
    async prefill({ pull }, { api }) {
      const present = pull && (await possible(api.issues.get(pull)));
      if (pull && present) refuseIssue(pull, present);
      return pull ? formValues(present) : {};
    },
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: [
    'pulls.edit',
    'issues.edit',
    'issues.get',
    'issues.setLabels',
    'repos.listAssignees',
    'repos.listLabels',
    'orgs.listLabels',
    'repos.listMilestones',
  ],
  plan: ({ pull, ...wanted }, context) => planEdit('pull', pull, wanted, context),
  run: ({ pull, ...wanted }, context) => edit('pull', pull, wanted, context),
  reply: (result, _args, context) => editReply(result, context),
});
