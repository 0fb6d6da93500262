import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { color, flag, number, text } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { columnRow } from '../../view/cards/project.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { ownProject } from './project.js';

interface ColumnChange {
  readonly project: number;
  readonly column: number;
  readonly title?: string | undefined;
  readonly color?: string | undefined;
  readonly position?: number | undefined;
}

const inputOf = ({ project, column, title, color, position }: ColumnChange) => ({
  id: project,
  column_id: column,
  body: { title, color, sorting: position },
});

export const projectMineColumnEdit = command({
  name: 'project mine column-edit',
  title: 'Edit column',
  summary: 'Edit a column of one of your projects',
  examples: ['project mine column-edit 2 5 --title Done --color #0e8a16', 'project mine column-edit 2 5 --position -1'],
  fields: {
    project: ownProject('project'),
    column: number({ label: 'Column', hint: 'The number shown by “project mine columns”.', placeholder: 'column' }),
    title: flag(text({ label: 'Title' })),
    color: flag(color({ hint: '# and six hex digits.' })),
    position: flag(number({ label: 'Position', hint: 'From -128 (first) to 127 (last).', min: -128, max: 127 })),
  },
  form: { submit: 'Save changes', opens: 'edit' },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['projects.editMyColumn'],
  needs: ['projects.editMyColumn'],
  plan: (args) => [request('projects.editMyColumn', inputOf(args))],
  async run(args, { api }) {
    if (args.title === undefined && args.color === undefined && args.position === undefined)
      throw new UserError('What should change? Use --title, --color or --position.', { field: 'title' });
    return api.projects.editMyColumn(inputOf(args));
  },
  reply: (column, { project }, { now }) => {
    const all = runButton({ text: 'All columns', command: 'project mine columns', args: { project } });
    return message({ blocks: columnRow(column, { now, says: md`Updated`, buttons: [all] }) });
  },
});
