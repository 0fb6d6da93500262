import { z } from 'zod';
import { commitSieves } from '../filters.js';
import { migrateBody } from '../forgejo/migrate.js';
import { operation } from '../operation.js';
import { CommitStatus, RepoCommit } from '../schemas/commit.js';
import { IssueConfig, IssueTemplate } from '../schemas/issue-template.js';
import { Label } from '../schemas/label.js';
import { Milestone } from '../schemas/milestone.js';
import { Release } from '../schemas/release.js';
import { Branch, CollaboratorPermission, Repository } from '../schemas/repository.js';
import { Team } from '../schemas/team.js';
import { User } from '../schemas/user.js';
import { FileContent } from '../schemas/workflow.js';
import { Direction, Moment, Paging, paging, RowId, StateFilter } from './input.js';
import { CreateRepo, MigrateRepo } from './repo.js';

export const repos = {
  createInOrg: operation({
    route: 'POST /orgs/{org}/repos',
    scope: ['organization', 'repository'],
    effect: 'once',
    body: CreateRepo,
    answer: Repository,
    failures: ['invalid', 'forbidden', 'notFound', 'exists'],
  }),
  /** Takes as long as the import does, and continues if the caller disconnects. */
  migrate: operation({
    route: 'POST /repos/migrate',
    effect: 'once',
    slow: true,
    body: MigrateRepo,
    answer: Repository,
    failures: ['forbidden', 'exists', 'invalid'],
    forgejo: {},
    send: migrateBody,
    secrets: ['auth_password', 'auth_token', 'aws_access_key_id', 'aws_secret_access_key'],
  }),
  delete: operation({
    route: 'DELETE /repos/{owner}/{repo}',
    effect: 'once',
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  search: operation({
    route: 'GET /repos/search',
    effect: 'read',
    query: z.strictObject({
      q: z.string().optional(),
      topic: z.boolean().optional(),
      includeDesc: z.boolean().optional(),
      uid: RowId.optional(),
      priority_owner_id: RowId.optional(),
      team_id: RowId.optional(),
      starredBy: RowId.optional(),
      private: z.boolean().optional(),
      is_private: z.boolean().optional(),
      /** Absent: all; true: only templates; false: none. */
      template: z.boolean().optional(),
      archived: z.boolean().optional(),
      mode: z.enum(['fork', 'source', 'mirror', 'collaborative']).optional(),
      exclusive: z.boolean().optional(),
      sort: z.enum(['alpha', 'created', 'updated', 'size', 'git_size', 'lfs_size', 'stars', 'forks', 'id']).optional(),
      order: Direction.optional(),
      ...paging,
    }),
    list: { item: Repository, in: 'data' },
    failures: ['invalid'],
  }),
  listWatched: operation({
    route: 'GET /users/{username}/subscriptions',
    scope: ['user'],
    effect: 'read',
    query: Paging,
    list: { item: Repository },
    failures: ['notFound'],
  }),
  listCommits: operation({
    route: 'GET /repos/{owner}/{repo}/commits',
    effect: 'read',
    query: z.strictObject({
      sha: z.string().optional(),
      path: z.string().optional(),
      since: Moment.optional(),
      until: Moment.optional(),
      stat: z.boolean().optional(),
      verification: z.boolean().optional(),
      files: z.boolean().optional(),
      not: z.string().optional(),
      ...paging,
    }),
    list: { item: RepoCommit },
    failures: ['notFound', 'empty', 'invalid'],
    forgejo: { ignores: ['since', 'until'] },
    sieves: commitSieves,
  }),
  get: operation({
    route: 'GET /repos/{owner}/{repo}',
    effect: 'read',
    answer: Repository,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  mine: operation({
    route: 'GET /user/repos',
    scope: ['user', 'repository'],
    effect: 'read',
    query: Paging,
    list: { item: Repository },
    failures: ['forbidden'],
    beyond: true,
  }),
  getRelease: operation({
    route: 'GET /repos/{owner}/{repo}/releases/tags/{tag}',
    effect: 'read',
    answer: Release,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listReleases: operation({
    route: 'GET /repos/{owner}/{repo}/releases',
    effect: 'read',
    query: Paging,
    list: { item: Release },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listBranches: operation({
    route: 'GET /repos/{owner}/{repo}/branches',
    effect: 'read',
    query: Paging,
    list: { item: Branch },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  /** With what it demands of a merge, as far as everyone may know. */
  getBranch: operation({
    route: 'GET /repos/{owner}/{repo}/branches/{branch}',
    effect: 'read',
    answer: Branch,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listLabels: operation({
    route: 'GET /repos/{owner}/{repo}/labels',
    scope: ['issue'],
    effect: 'read',
    query: Paging,
    list: { item: Label },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listMilestones: operation({
    route: 'GET /repos/{owner}/{repo}/milestones',
    scope: ['issue'],
    effect: 'read',
    query: z.strictObject({ state: StateFilter.optional(), name: z.string().optional(), ...paging }),
    list: { item: Milestone },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listAssignees: operation({
    route: 'GET /repos/{owner}/{repo}/assignees',
    effect: 'read',
    list: { item: User },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listReviewers: operation({
    route: 'GET /repos/{owner}/{repo}/reviewers',
    effect: 'read',
    list: { item: User },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  /** Refused for a repository without an organization. */
  listTeams: operation({
    route: 'GET /repos/{owner}/{repo}/teams',
    effect: 'read',
    list: { item: Team },
    failures: ['forbidden', 'notFound', 'rejected'],
    beyond: true,
  }),
  /** Parsed by the server from the folders it knows; unreadable files are left out. */
  listIssueTemplates: operation({
    route: 'GET /repos/{owner}/{repo}/issue_templates',
    effect: 'read',
    list: { item: IssueTemplate },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  getIssueConfig: operation({
    route: 'GET /repos/{owner}/{repo}/issue_config',
    effect: 'read',
    answer: IssueConfig,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  permission: operation({
    route: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
    effect: 'read',
    answer: CollaboratorPermission,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  /** The latest result of each check on a commit; for all of them use `commitChecks`. */
  commitStatus: operation({
    route: 'GET /repos/{owner}/{repo}/commits/{ref}/status',
    effect: 'read',
    query: Paging,
    list: { item: CommitStatus, in: 'statuses', countsPage: 'body' },
    failures: ['forbidden', 'notFound', 'invalid'],
    beyond: true,
  }),
  /** One file, or that a folder exists. */
  getFile: operation({
    route: 'GET /repos/{owner}/{repo}/contents/{filepath}',
    effect: 'read',
    query: z.strictObject({ ref: z.string().optional() }),
    answer: FileContent,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
} as const;
