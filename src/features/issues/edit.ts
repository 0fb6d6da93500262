import { command } from '../../chat/command.js';
import { issue } from '../../chat/fields.js';
import { possible } from '../../forge/possible.js';
import { edit, editReply, planEdit } from './changes.js';
import { editFields, formValues } from './values.js';

export const issueEdit = command({
  name: 'issue edit',
  summary: 'Edit an issue: title, text, people, labels and dates',
  examples: [
    'issue edit acme/engine#12',
    'issue edit #12 --title "Leaking pipe" --labels bug,urgent',
    'issue edit #12 --milestone none --due fri',
  ],
  fields: { issue: issue(), ...editFields },
  form: {
    opens: 'edit',
    prefill: async ({ issue }, { api }) => (issue ? formValues(await possible(api.issues.get(issue))) : {}),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  approval: { forPulls: 'pr edit' },
  operations: [
    'issues.edit',
    'issues.get',
    'issues.setLabels',
    'repos.listAssignees',
    'repos.listLabels',
    'orgs.listLabels',
    'repos.listMilestones',
  ],
  plan: ({ issue, ...wanted }, context) => planEdit('issue', issue, wanted, context),
  run: ({ issue, ...wanted }, context) => edit('issue', issue, wanted, context),
  reply: (result, _args, context) => editReply(result, context),
});
