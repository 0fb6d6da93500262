import { command } from '../../chat/command.js';
import { body, choice, flag, repository, rest } from '../../chat/fields.js';
import type { RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { md } from '../../view/text.js';
import { firstOf, isNew, sameText } from '../find.js';
import { cards, projectMessage } from './project.js';

interface NewProject {
  readonly repository: RepositoryRef;
  readonly title: string;
  readonly description?: string | undefined;
  readonly template?: 'none' | 'basic_kanban' | 'bug_triage' | undefined;
  readonly cards?: 'text_only' | 'images_and_text' | undefined;
}

const inputOf = ({ repository, title, description, template, cards }: NewProject) => ({
  ...repository,
  body: { title, description, template_type: template, card_type: cards },
});

export const projectCreate = command({
  name: 'project create',
  summary: 'Create a project in a repository',
  examples: ['project create acme/engine Road to 2.0', 'project create acme/engine Bugs --template bug_triage'],
  fields: {
    repository: repository(),
    title: rest({ label: 'Title' }),
    template: flag(choice(['none', 'basic_kanban', 'bug_triage'], { label: 'Template' })),
    cards: flag(cards()),
    description: flag(body({ label: 'Description' })),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['projects.createInRepo', 'projects.listInRepo'],
  needs: ['projects.createInRepo'],
  plan: (args) => [request('projects.createInRepo', inputOf(args))],
  run: (args, { api }) => api.projects.createInRepo(inputOf(args)),
  findDone: ({ repository, title }, { api }, sent) =>
    firstOf(
      api.projects.listInRepo.each(repository, { max: 500 }),
      (each) => sameText(each.title, title) && isNew(each.created_at, sent),
    ),
  reply: (made, { repository }, context) => projectMessage(made, { ...repository, id: made.id }, md`Created`, context),
});
