import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { body, choice, flag, text } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { possible } from '../../forge/possible.js';
import { projectCard } from '../../view/cards/project.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { bodyOf, cards, ownProject, presentOf, refuseEmpty } from './project.js';

export const projectMineEdit = command({
  name: 'project mine edit',
  title: 'Edit my project',
  summary: 'Edit one of your projects',
  examples: ['project mine edit 2 --title "This week"', 'project mine edit 2 --state closed'],
  fields: {
    project: ownProject('id'),
    title: flag(text({ label: 'Title' })),
    cards: flag(cards()),
    state: flag(choice(['open', 'closed'], { label: 'State' })),
    description: flag(body({ label: 'Description' })),
  },
  form: {
    submit: 'Save changes',
    opens: 'edit',
    async prefill({ project }, { api }) {
      const present = project === undefined ? undefined : await possible(api.projects.getMine({ id: project }));
      return present ? { ...presentOf(present), state: present.state } : {};
    },
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['projects.editMine', 'projects.getMine'],
  needs: ['projects.editMine'],
  plan: ({ project, ...changes }) => [request('projects.editMine', { id: project, body: bodyOf(changes) })],
  async run({ project, ...changes }, { api }) {
    refuseEmpty(changes);
    return api.projects.editMine({ id: project, body: bodyOf(changes) });
  },
  reply: (changed, { project }, { now }) => {
    const columns = runButton({ text: 'Columns', command: 'project mine columns', args: { project } });
    const buttons = [columns, openButton(changed.html_url)];
    return message({ blocks: projectCard(changed, { now, says: md`Updated`, buttons }) });
  },
});
