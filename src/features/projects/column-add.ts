import { formButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { color, flag, rest } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { columnRow } from '../../view/cards/project.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { firstOf, isNew, sameText } from '../find.js';
import { project, projectName } from './project.js';

export const projectColumnAdd = command({
  name: 'project column-add',
  title: 'Add column',
  summary: 'Add a column to a repository project',
  examples: ['project column-add acme/engine#1 In review --color #1d76db'],
  fields: {
    project: project(),
    title: rest({ label: 'Title' }),
    color: flag(color({ hint: '# and six hex digits.' })),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['projects.addColumn', 'projects.listColumns'],
  needs: ['projects.addColumn'],
  plan: ({ project, title, color }) => [request('projects.addColumn', { ...project, body: { title, color } })],
  run: ({ project, title, color }, { api }) => api.projects.addColumn({ ...project, body: { title, color } }),
  findDone: ({ project, title }, { api }, sent) =>
    firstOf(
      api.projects.listColumns.each(project, { max: 100 }),
      (each) => sameText(each.title, title) && isNew(each.created_at, sent),
    ),
  reply: (column, { project }, { now }) => {
    const again = formButton({ text: 'Add another', command: 'project column-add', args: { project } });
    const says = md`Added to ${projectName(project)}:`;
    return message({ blocks: columnRow(column, { now, says, buttons: [again] }) });
  },
});
