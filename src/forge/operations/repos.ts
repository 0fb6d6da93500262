import { z } from 'zod';
import { commitSieves } from '../filters.js';
import { migrateBody } from '../forgejo.js';
import { operation } from '../operation.js';
import {
  Activity,
  Branch,
  CollaboratorPermission,
  CommitStatus,
  FileContent,
  IssueConfig,
  IssueTemplate,
  Label,
  Milestone,
  Package,
  PoorerActivity,
  Protection,
  Release,
  RepoCommit,
  Repository,
  Team,
  Tree,
  User,
} from '../schemas.js';
import { Day, Direction, Moment, Name, Paging, paging, RowId, StateFilter } from './input.js';

const RepoName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,100}$/, 'use letters, digits, dash, underscore and dot, at most 100');

const Description = z.string().max(2048);

const CreateRepo = z.strictObject({
  name: RepoName,
  auto_init: z.boolean().optional(),
  default_branch: z.string().optional(),
  description: Description.optional(),
  gitignores: z.string().optional(),
  issue_labels: z.string().optional(),
  license: z.string().optional(),
  object_format_name: z.enum(['', 'sha1', 'sha256']).optional(),
  private: z.boolean().optional(),
  readme: z.string().optional(),
  template: z.boolean().optional(),
  trust_model: z.enum(['default', 'collaborator', 'committer', 'collaboratorcommitter']).optional(),
});

/** A credential in the URL would be stored and shown by the forge. */
const CloneAddress = Name.refine((address) => !/^[a-z+]+:\/\/[^/?#]*@/i.test(address), {
  error: 'leave user and password out of the address; use auth_username with auth_password or auth_token',
});

/** Servers read `aws_*`; the API document says `cloud_*`. */
const MigrateRepo = z.strictObject({
  clone_addr: CloneAddress,
  repo_name: RepoName,
  repo_owner: z.string().optional(),
  service: z
    .enum(['git', 'github', 'gitea', 'forgejo', 'gitlab', 'gogs', 'onedev', 'gitbucket', 'codebase', 'codecommit'])
    .optional(),
  description: Description.optional(),
  auth_username: z.string().optional(),
  auth_password: z.string().optional(),
  auth_token: z.string().optional(),
  aws_access_key_id: z.string().optional(),
  aws_secret_access_key: z.string().optional(),
  lfs_endpoint: z.string().optional(),
  mirror_interval: z.string().optional(),
  issues: z.boolean().optional(),
  labels: z.boolean().optional(),
  lfs: z.boolean().optional(),
  milestones: z.boolean().optional(),
  mirror: z.boolean().optional(),
  private: z.boolean().optional(),
  pull_requests: z.boolean().optional(),
  releases: z.boolean().optional(),
  wiki: z.boolean().optional(),
  /** Deprecated in favor of `repo_owner`. */
  uid: z.int().optional(),
});

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
    rowFilters: commitSieves,
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
  /** Like all of a rule, only for repository admins. */
  getProtection: operation({
    route: 'GET /repos/{owner}/{repo}/branch_protections/{name}',
    effect: 'read',
    answer: Protection,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  /** What is left out stays as it is. */
  editProtection: operation({
    route: 'PATCH /repos/{owner}/{repo}/branch_protections/{name}',
    effect: 'idempotent',
    body: z.strictObject({ enable_status_check: z.boolean(), status_check_contexts: z.array(z.string()) }),
    answer: Protection,
    failures: ['forbidden', 'notFound', 'invalid', 'archived'],
    beyond: true,
  }),
  /** Another row each time; the newest of a context counts. */
  createStatus: operation({
    route: 'POST /repos/{owner}/{repo}/statuses/{sha}',
    effect: 'idempotent',
    body: z.strictObject({
      state: z.enum(['pending', 'success', 'failure']),
      context: Name,
      description: z.string(),
      target_url: z.string().optional(),
    }),
    answer: CommitStatus,
    failures: ['forbidden', 'notFound', 'invalid'],
    beyond: true,
  }),
  deleteBranch: operation({
    route: 'DELETE /repos/{owner}/{repo}/branches/{branch}',
    effect: 'idempotent',
    failures: ['forbidden', 'notFound', 'archived'],
    beyond: true,
  }),
  /** The files and folders at the root of a commit. Servers get the tree's own id wrong. */
  getTree: operation({
    route: 'GET /repos/{owner}/{repo}/git/trees/{sha}',
    effect: 'read',
    answer: Tree,
    failures: ['forbidden', 'notFound', 'invalid'],
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

export const packages = {
  get: operation({
    route: 'GET /packages/{owner}/{type}/{name}/{version}',
    scope: ['package'],
    effect: 'read',
    answer: Package,
    failures: ['unauthorized', 'forbidden', 'notFound'],
    since: '1.17',
  }),
} as const;

export const activity = {
  userFeed: operation({
    route: 'GET /users/{username}/activities/feeds',
    scope: ['user'],
    effect: 'read',
    query: z.strictObject({ 'only-performed-by': z.boolean().optional(), date: Day.optional(), ...paging }),
    list: { item: Activity, poorer: PoorerActivity },
    failures: ['notFound'],
    since: '1.20',
  }),
  repoFeed: operation({
    route: 'GET /repos/{owner}/{repo}/activities/feeds',
    effect: 'read',
    query: z.strictObject({ date: Day.optional(), ...paging }),
    list: { item: Activity, poorer: PoorerActivity },
    failures: ['notFound'],
    since: '1.20',
  }),
} as const;
