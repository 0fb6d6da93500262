import { command } from '../../chat/command.js';
import { body, flag, text } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { possible } from '../../forge/possible.js';
import { md } from '../../view/text.js';
import { bodyOf, cards, presentOf, project, projectMessage, refuseEmpty } from './project.js';

export const projectEdit = command({
  name: 'project edit',
  summary: 'Edit a repository project',
  examples: ['project edit acme/engine#1 --title "Road to 1.1"'],
  fields: {
    project: project(),
    title: flag(text({ label: 'Title' })),
    cards: flag(cards()),
    description: flag(body({ label: 'Description' })),
  },
  form: {
    opens: 'edit',
    async prefill({ project }, { api }) {
      const present = project && (await possible(api.projects.getInRepo(project)));
      return present ? presentOf(present) : {};
    },
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['projects.editInRepo', 'projects.getInRepo'],
  needs: ['projects.editInRepo'],
  plan: ({ project, ...changes }) => [request('projects.editInRepo', { ...project, body: bodyOf(changes) })],
  async run({ project, ...changes }, { api }) {
    refuseEmpty(changes);
    return api.projects.editInRepo({ ...project, body: bodyOf(changes) });
  },
  reply: (changed, { project }, context) => projectMessage(changed, project, md`Updated`, context),
});
