import { addColumn, createProject } from '../acts/projects.js';
import { created, forbidden, invalid, notFound, ok } from '../http/answer.js';
import type { Body } from '../http/body.js';
import type { Handlers } from '../http/call.js';
import { mustWrite, notArchived, repoOf, signedIn } from '../http/guard.js';
import { list } from '../http/paging.js';
import type { Query } from '../http/query.js';
import { columnJson, projectJson } from '../render/projects.js';
import type { User } from '../state/people.js';
import type { Column, Project } from '../state/records.js';
import type { Repo } from '../state/repo.js';
import type { State } from '../state/state.js';

function inRepo(state: State, repo: Repo, id: number): Project {
  const project = state.projects.get(id);
  if (project === undefined || !('repo' in project.home) || project.home.repo !== repo) {
    throw notFound(`projects does not exist [id: ${id}]`);
  }
  return project;
}

function ofUser(state: State, user: User, id: number): Project {
  const project = state.projects.get(id);
  if (project === undefined || !('owner' in project.home) || project.home.owner !== user) {
    throw notFound(`projects does not exist [id: ${id}]`);
  }
  return project;
}

/** A closed project can only be reopened. */
function mustBeOpen(project: Project): void {
  if (project.closedAt !== undefined) throw forbidden('project is closed');
}

function colorOf(body: Body): string | undefined {
  const color = body.text('color');
  if (color !== undefined && color !== '' && !/^#[0-9a-fA-F]{6}$/.test(color)) {
    throw invalid(`invalid column color "${color}", expected a 6-digit hex string like #FF0000`);
  }
  return color;
}

function edit(state: State, project: Project, body: Body): void {
  const title = body.text('title');
  if (title !== undefined && title.trim() === '') throw invalid('title must not be blank');
  const wanted = body.text('state');
  if (wanted !== undefined && wanted !== 'open' && wanted !== 'closed') {
    throw invalid("state must be 'open' or 'closed'");
  }
  project.card = body.oneOf('card_type', ['text_only', 'images_and_text']) ?? project.card;
  project.title = title ?? project.title;
  project.description = body.text('description') ?? project.description;
  if (wanted === 'closed') project.closedAt ??= state.now();
  if (wanted === 'open') project.closedAt = undefined;
  project.updated = state.now();
}

export function readProject(body: Body) {
  return {
    title: body.requiredText('title'),
    description: body.text('description') ?? '',
    template: body.oneOf('template_type', ['none', 'basic_kanban', 'bug_triage']) ?? ('none' as const),
    card: body.oneOf('card_type', ['text_only', 'images_and_text']) ?? ('text_only' as const),
  };
}

function inState(query: Query, project: Project): boolean {
  const state = query.text('state') ?? 'open';
  return state === 'all' || (state === 'closed') === (project.closedAt !== undefined);
}

const ordered = (project: Project): Column[] =>
  [...project.columns].sort((a, b) => a.sorting - b.sorting || a.id - b.id);

export const projects = {
  createInRepo: (call) => {
    const repo = repoOf(call);
    notArchived(repo);
    const user = mustWrite(call, repo, 'projects');
    const project = createProject(call.state, user, { repo }, readProject(call.body()));
    return created(projectJson(call.view, project));
  },

  editInRepo: (call) => {
    const repo = repoOf(call);
    notArchived(repo);
    mustWrite(call, repo, 'projects');
    const body = call.body();
    const project = inRepo(call.state, repo, call.params.id);
    edit(call.state, project, body);
    return ok(projectJson(call.view, project));
  },

  addColumn: (call) => {
    const repo = repoOf(call);
    notArchived(repo);
    const user = mustWrite(call, repo, 'projects');
    const body = call.body();
    const title = body.requiredText('title');
    const project = inRepo(call.state, repo, call.params.id);
    mustBeOpen(project);
    const color = colorOf(body) ?? '';
    if (project.columns.length >= 20) throw invalid('max. number of columns reached');
    return created(columnJson(call.view, project, addColumn(call.state, user, project, title, color)));
  },

  listColumns: (call) => {
    const repo = repoOf(call);
    const project = inRepo(call.state, repo, call.params.id);
    return list(call, ordered(project), (column) => columnJson(call.view, project, column));
  },

  editMine: (call) => {
    const user = signedIn(call);
    const body = call.body();
    const project = ofUser(call.state, user, call.params.id);
    edit(call.state, project, body);
    return ok(projectJson(call.view, project));
  },

  listMyColumns: (call) => {
    const project = ofUser(call.state, signedIn(call), call.params.id);
    return list(call, ordered(project), (column) => columnJson(call.view, project, column));
  },

  editMyColumn: (call) => {
    const body = call.body();
    const project = ofUser(call.state, signedIn(call), call.params.id);
    mustBeOpen(project);
    const column = project.columns.find((each) => each.id === call.params.column_id);
    if (column === undefined) throw notFound(`project column does not exist [columnID: ${call.params.column_id}]`);
    const sorting = body.number('sorting');
    if (sorting !== undefined && (sorting < -128 || sorting > 127)) {
      throw invalid('sorting must be between -128 and 127');
    }
    column.color = colorOf(body) ?? column.color;
    column.title = body.text('title') || column.title;
    column.sorting = sorting ?? column.sorting;
    column.updated = call.state.now();
    return ok(columnJson(call.view, project, column));
  },

  listInRepo: (call) => {
    const repo = repoOf(call);
    const found = [...call.state.projects.values()].filter(
      (project) => 'repo' in project.home && project.home.repo === repo && inState(call.query, project),
    );
    return list(call, found, (project) => projectJson(call.view, project));
  },

  getInRepo: (call) => ok(projectJson(call.view, inRepo(call.state, repoOf(call), call.params.id))),

  listMine: (call) => {
    const user = signedIn(call);
    const found = [...call.state.projects.values()].filter(
      (project) => 'owner' in project.home && project.home.owner === user && inState(call.query, project),
    );
    return list(call, found, (project) => projectJson(call.view, project));
  },

  getMine: (call) => ok(projectJson(call.view, ofUser(call.state, signedIn(call), call.params.id))),
} satisfies Handlers['projects'];
