import { z } from 'zod';
import { operation } from '../operation.js';
import { Project, ProjectColumn, State } from '../schemas.js';
import { Color, Paging, paging, StateFilter, Title } from './input.js';

const CardType = z.enum(['text_only', 'images_and_text']);

const CreateProject = z.strictObject({
  title: Title,
  description: z.string().optional(),
  template_type: z.enum(['none', 'basic_kanban', 'bug_triage']).optional(),
  card_type: CardType.optional(),
});

const EditProject = z.strictObject({
  title: Title.optional(),
  description: z.string().optional(),
  card_type: CardType.optional(),
  state: State.optional(),
});

const CreateColumn = z.strictObject({ title: Title, color: Color.optional() });

const EditColumn = z.strictObject({
  title: Title.optional(),
  color: Color.optional(),
  sorting: z.int().min(-128).max(127).optional(),
});

const ProjectQuery = z.strictObject({ state: StateFilter.optional(), ...paging });

export const projects = {
  createInRepo: operation({
    route: 'POST /repos/{owner}/{repo}/projects',
    scope: ['issue'],
    effect: 'once',
    body: CreateProject,
    answer: Project,
    failures: ['forbidden', 'notFound', 'invalid', 'archived'],
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  editInRepo: operation({
    route: 'PATCH /repos/{owner}/{repo}/projects/{id}',
    scope: ['issue'],
    effect: 'idempotent',
    body: EditProject,
    answer: Project,
    failures: ['forbidden', 'notFound', 'invalid', 'archived'],
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  addColumn: operation({
    route: 'POST /repos/{owner}/{repo}/projects/{id}/columns',
    scope: ['issue'],
    effect: 'once',
    body: CreateColumn,
    answer: ProjectColumn,
    failures: ['forbidden', 'notFound', 'invalid', 'archived'],
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  listColumns: operation({
    route: 'GET /repos/{owner}/{repo}/projects/{id}/columns',
    scope: ['issue'],
    effect: 'read',
    query: Paging,
    list: { item: ProjectColumn },
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  editMine: operation({
    route: 'PATCH /user/projects/{id}',
    scope: ['user', 'issue'],
    effect: 'idempotent',
    body: EditProject,
    answer: Project,
    failures: ['forbidden', 'notFound', 'invalid'],
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  listMyColumns: operation({
    route: 'GET /user/projects/{id}/columns',
    scope: ['user', 'issue'],
    effect: 'read',
    query: Paging,
    list: { item: ProjectColumn },
    failures: ['notFound'],
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  editMyColumn: operation({
    route: 'PATCH /user/projects/{id}/columns/{column_id}',
    scope: ['user', 'issue'],
    effect: 'idempotent',
    body: EditColumn,
    answer: ProjectColumn,
    failures: ['forbidden', 'notFound', 'invalid'],
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  listInRepo: operation({
    route: 'GET /repos/{owner}/{repo}/projects',
    scope: ['issue'],
    effect: 'read',
    query: ProjectQuery,
    list: { item: Project },
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  getInRepo: operation({
    route: 'GET /repos/{owner}/{repo}/projects/{id}',
    scope: ['issue'],
    effect: 'read',
    answer: Project,
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  listMine: operation({
    route: 'GET /user/projects',
    scope: ['user', 'issue'],
    effect: 'read',
    query: ProjectQuery,
    list: { item: Project },
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.28',
    forgejo: { since: 'none' },
  }),
  getMine: operation({
    route: 'GET /user/projects/{id}',
    scope: ['user', 'issue'],
    effect: 'read',
    answer: Project,
    failures: ['forbidden', 'notFound'],
    beyond: true,
    since: '1.28',
    forgejo: { since: 'none' },
  }),
} as const;
