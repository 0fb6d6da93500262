import type { User } from '../state/people.js';
import type { Column, Project } from '../state/records.js';
import type { State } from '../state/state.js';

const templates: Record<Project['template'], readonly string[]> = {
  none: ['Backlog'],
  basic_kanban: ['Backlog', 'To Do', 'In Progress', 'Done'],
  bug_triage: ['Backlog', 'Needs Triage', 'High Priority', 'Low Priority', 'Closed'],
};

export interface NewProject {
  readonly title: string;
  readonly description?: string;
  readonly template?: Project['template'];
  readonly card?: Project['card'];
}

export function createProject(state: State, creator: User, home: Project['home'], what: NewProject): Project {
  const now = state.now();
  const project: Project = {
    id: state.nextId('project'),
    title: what.title,
    description: what.description ?? '',
    home,
    creator,
    closedAt: undefined,
    template: what.template ?? 'none',
    card: what.card ?? 'text_only',
    created: now,
    updated: now,
    columns: [],
  };
  for (const title of templates[project.template]) addColumn(state, creator, project, title, '', 0);
  state.projects.set(project.id, project);
  return project;
}

export function addColumn(
  state: State,
  creator: User,
  project: Project,
  title: string,
  color: string,
  sorting = Math.max(-1, ...project.columns.map((column) => column.sorting)) + 1,
): Column {
  const now = state.now();
  const column: Column = {
    id: state.nextId('column'),
    title,
    color,
    sorting,
    isDefault: project.columns.length === 0,
    creator,
    created: now,
    updated: now,
  };
  project.columns.push(column);
  return column;
}
