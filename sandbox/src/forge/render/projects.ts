import type { Column, Project } from '../state/records.js';
import { fullName } from '../state/repo.js';
import { userJson } from './people.js';
import { type Json, stamp, type View } from './view.js';

export function projectJson(view: View, project: Project): Json {
  const { home } = project;
  const within = [...view.state.issues.values()].filter((issue) => issue.projects.has(project.id));
  const open = within.filter((issue) => issue.state === 'open').length;
  const site = view.state.site.url;
  return {
    id: project.id,
    title: project.title,
    description: project.description,
    owner_id: 'owner' in home ? home.owner.id : 0,
    repo_id: 'repo' in home ? home.repo.id : 0,
    creator: userJson(view, project.creator),
    creator_id: project.creator.id,
    state: project.closedAt === undefined ? 'open' : 'closed',
    is_closed: project.closedAt !== undefined,
    template_type: project.template,
    card_type: project.card,
    type: 'repo' in home ? 'repository' : home.owner.kind === 'Organization' ? 'organization' : 'individual',
    num_open_issues: open,
    num_closed_issues: within.length - open,
    num_issues: within.length,
    created_at: stamp(view, project.created),
    updated_at: stamp(view, project.updated),
    ...(project.closedAt === undefined ? {} : { closed_at: stamp(view, project.closedAt) }),
    html_url:
      'repo' in home
        ? `${site}/${fullName(home.repo)}/projects/${project.id}`
        : `${site}/${home.owner.login}/-/projects/${project.id}`,
  };
}

export const columnJson = (view: View, project: Project, column: Column): Json => ({
  id: column.id,
  title: column.title,
  default: column.isDefault,
  sorting: column.sorting,
  ...(column.color === '' ? {} : { color: column.color }),
  project_id: project.id,
  creator: userJson(view, column.creator),
  created_at: stamp(view, column.created),
  updated_at: stamp(view, column.updated),
});
