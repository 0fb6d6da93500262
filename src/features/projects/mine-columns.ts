import { formButton, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { offset, readFrom, rows } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { section } from '../../view/blocks.js';
import { columnRow } from '../../view/cards/project.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { md } from '../../view/text.js';
import { ownProject } from './project.js';

export const projectMineColumns = command({
  name: 'project mine columns',
  title: 'List columns',
  summary: 'List the columns of one of your projects',
  examples: ['project mine columns 2'],
  fields: {
    project: ownProject('id'),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['projects.listMyColumns'],
  needs: ['projects.listMyColumns'],
  plan: ({ project }) => [request('projects.listMyColumns', { id: project })],
  run: ({ project, from }, { api }) =>
    readFrom(from ?? 0, (query) => api.projects.listMyColumns({ id: project, query })),
  reply: (found, { project }, { now }) => {
    if (found.items.length === 0) return message({ blocks: [section(md`Project ${project} has no columns.`)] });
    const shown = stretch(
      found,
      rows,
      ({ id, ...column }) => {
        const args = { project, column: id };
        const edit = formButton({ text: 'Edit', command: 'project mine column-edit', args });
        return columnRow({ id, ...column }, { now, buttons: [edit] });
      },
      (from) => turnButton({ text: 'Show more', command: 'project mine columns', args: { project, from } }),
    );
    return message({ blocks: [section(md`Columns of your project ${project}`), ...shown] });
  },
});
